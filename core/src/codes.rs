//! Numbers of the members of a plain enum, as they stand in a saved block.

/// The numbers of an enum without fields, each said once; a member without one does not compile.
///
/// ```text
/// codes!(Trend { Zero = 0, Constant = 1, Linear = 2, Quadratic = 3 });
/// ```
macro_rules! codes {
    ($name:ident { $($member:ident = $number:literal),+ $(,)? }) => {
        impl $name {
            /// All of them.
            pub const ALL: [Self; [$($number),+].len()] = [$(Self::$member),+];

            /// Its number in a saved block.
            #[must_use]
            pub const fn code(self) -> u64 {
                match self {
                    $(Self::$member => $number,)+
                }
            }

            /// The member with that number.
            #[must_use]
            pub const fn from_code(code: u64) -> Option<Self> {
                match code {
                    $($number => Some(Self::$member),)+
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use codes;
