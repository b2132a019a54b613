//! The operations of a kernel, one row each: number, name, form, hyperparameters, whether shaders know it.
//!
//! Everything else that is asked of an operation follows from its row, and everything that computes matches its
//! [`Form`] without a wildcard: what a new row leaves out does not compile.

use super::bessel::MAX_ORDER;

/// Declares the operations with their rows.
macro_rules! operations {
    ($($(#[doc = $doc:literal])+ $op:ident = $code:literal, $name:literal, $form:expr, [$($theta:expr),*], gpu: $gpu:literal;)+) => {
        /// What a node computes; the numbers are part of the saved format and of the shaders and never change.
        ///
        /// Code 0 ends a tape. Gaps are left between the families.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op {
            $($(#[doc = $doc])+ $op = $code,)+
        }

        impl Op {
            /// All of them, by their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$op),+];

            /// The operation of a code, if it is one.
            #[must_use]
            pub const fn of(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$op),)+
                    _ => None,
                }
            }

            /// The name, in lower case with underscores.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$op => $name,)+
                }
            }

            /// Its documentation: the formula.
            #[must_use]
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Self::$op => concat!($($doc, "\n"),+),)+
                }
            }

            /// How it is computed.
            #[must_use]
            pub const fn form(self) -> Form {
                match self {
                    $(Self::$op => $form,)+
                }
            }

            /// Whether the shaders of `infill-gpu` know it.
            #[must_use]
            pub const fn on_gpu(self) -> bool {
                match self {
                    $(Self::$op => $gpu,)+
                }
            }

            /// The hyperparameters in their order in θ, with the bias that a node may do without.
            const fn all_parameters(self) -> &'static [Parameter] {
                match self {
                    $(Self::$op => const { &[$($theta),*] },)+
                }
            }
        }
    };
}

operations! {
    /// The sum of the two kernels before it.
    Sum = 1, "sum", Form::Sum, [], gpu: true;
    /// The product of the two kernels before it.
    Product = 2, "product", Form::Product, [], gpu: true;
    /// σ² times the kernel before it.
    Scale = 3, "scale", Form::Scale, [VARIANCE], gpu: true;
    /// The constant σ².
    Constant = 4, "constant", Form::Leaf(Formula::Constant), [VARIANCE], gpu: true;
    /// exp(−ρ²/2)
    SquaredExponential = 16, "squared_exponential", radial(Profile::SquaredExponential), [LENGTH], gpu: true;
    /// exp(−ρ)
    Matern12 = 17, "matern12", radial(Profile::HalfInteger(Half::One)), [LENGTH], gpu: true;
    /// (1 + √3ρ) exp(−√3ρ)
    Matern32 = 18, "matern32", radial(Profile::HalfInteger(Half::Three)), [LENGTH], gpu: true;
    /// (1 + √5ρ + 5ρ²/3) exp(−√5ρ)
    Matern52 = 19, "matern52", radial(Profile::HalfInteger(Half::Five)), [LENGTH], gpu: true;
    /// 2¹⁻ᵛ/Γ(ν) zᵛ Kᵥ(z), z = √(2ν) ρ: the Matérn kernel of any order ν, which is not learnt (the derivative by it is 0).
    /// Not in a build without the other models.
    Matern = 20, "matern", radial(Profile::Matern), [LENGTH, SHAPE.up_to(MAX_ORDER)], gpu: false;
    /// (1 + ρ²/(2α))⁻ᵅ
    RationalQuadratic = 21, "rational_quadratic", radial(Profile::RationalQuadratic), [LENGTH, SHAPE], gpu: true;
    /// exp(−ρᵞ)
    GammaExponential = 22, "gamma_exponential", radial(Profile::GammaExponential), [LENGTH, GAMMA], gpu: true;
    /// exp(−Σ |Δ|/ℓ)
    Laplace = 24, "laplace", Form::Leaf(Formula::Laplace), [LENGTH], gpu: true;
    /// exp(−2 Σ sin²(πΔ/p)/ℓ²)
    Periodic = 25, "periodic", Form::Leaf(Formula::Periodic), [LENGTH, PERIOD], gpu: true;
    /// cos(2π Σ Δ/p)
    Cosine = 26, "cosine", Form::Leaf(Formula::Cosine), [PERIOD], gpu: true;
    /// Σ w a b
    Linear = 32, "linear", Form::Leaf(Formula::Linear), [WEIGHT], gpu: true;
    /// (Σ w a b + w₀)ᵈ
    Polynomial = 33, "polynomial", Form::Leaf(Formula::Polynomial), [WEIGHT, BIAS], gpu: true;
    /// 2/π arcsin of a normalised dot product.
    ArcSine = 34, "arc_sine", Form::Leaf(Formula::ArcSine), [WEIGHT, BIAS], gpu: true;
    /// exp(−Σ w \[a ≠ b\])
    Hamming = 48, "hamming", Form::Leaf(Formula::Discrete(Discrete::Hamming)), [MISMATCH], gpu: true;
    /// Π (a = b ? 1 : c)
    Exchangeable = 49, "exchangeable", Form::Leaf(Formula::Discrete(Discrete::Exchangeable)), [CORRELATION], gpu: true;
    /// Π \[a = b\]: zero across branches of a conditional space.
    Branch = 64, "branch", Form::Leaf(Formula::Gate(Gate::Branch)), [], gpu: true;
    /// Π \[(a < 0) = (b < 0)\]: zero unless the same coordinates are active, that is, not negative.
    Active = 65, "active", Form::Leaf(Formula::Gate(Gate::Active)), [], gpu: true;
    /// A radial kernel (degree: its number) of points r (sin πωx, cos πωx) on circles, (0, 0) for inactive coordinates.
    Arc = 66, "arc", Form::Leaf(Formula::Arc), [ANGLE, RADIUS], gpu: true;
    /// A radial kernel of numbers and of categories as unit vectors, the last of its coordinates; a list increases up to
    /// the first category, and again from there. Its degree is the number of that kernel and 256 for each category.
    OneHot = 67, "one_hot", Form::Leaf(Formula::OneHot), [LENGTH], gpu: true;
}

/// How an operation is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The sum of two values.
    Sum,
    /// The product of two values.
    Product,
    /// σ² times a value.
    Scale,
    /// A function of two points.
    Leaf(Formula),
}

/// A function of two points: what there is one piece of code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// σ²
    Constant,
    /// A profile of ρ² = Σ (Δₖ/ℓₖ)².
    Radial(Profile),
    /// exp(−Σ|Δₖ|/ℓₖ)
    Laplace,
    /// exp(−2 Σ sin²(πΔₖ/pₖ)/ℓₖ²)
    Periodic,
    /// cos(2π Σ Δₖ/pₖ)
    Cosine,
    /// Σ wₖ aₖ bₖ
    Linear,
    /// (Σ wₖ aₖ bₖ + w₀)ᵈ
    Polynomial,
    /// 2/π arcsin of a normalised dot product.
    ArcSine,
    /// A product over the coordinates that are not equal.
    Discrete(Discrete),
    /// 1 or 0 without a hyperparameter.
    Gate(Gate),
    /// A profile of points on circles.
    Arc,
    /// A profile of numbers and of categories as unit vectors.
    OneHot,
}

/// A function of ρ².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// exp(−ρ²/2)
    SquaredExponential,
    /// A Matérn profile that is a polynomial times an exponential.
    HalfInteger(Half),
    /// The Matérn profile of order ν.
    Matern,
    /// (1 + ρ²/(2α))⁻ᵅ
    RationalQuadratic,
    /// exp(−ρᵞ)
    GammaExponential,
}

/// The spectral density of a kernel: most often a normal one whose frequencies are all stretched by a random number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spectrum {
    /// By 1.
    Normal,
    /// As those of a Student distribution of 2ν degrees of freedom.
    Student(f64),
    /// The same, ν the shape of the kernel.
    StudentOfShape,
    /// By the root of a gamma variable whose shape is that of the kernel.
    GammaOfShape,
    /// Each frequency by a number of its own: a Cauchy distribution.
    Cauchy,
    /// Two frequencies, of either sign.
    Line,
    /// The frequency 0.
    Zero,
    /// Not one that is known here.
    Unknown,
}

impl Profile {
    /// Its spectral density.
    pub(crate) const fn spectrum(self) -> Spectrum {
        match self {
            Self::SquaredExponential => Spectrum::Normal,
            Self::HalfInteger(Half::One) => Spectrum::Student(0.5),
            Self::HalfInteger(Half::Three) => Spectrum::Student(1.5),
            Self::HalfInteger(Half::Five) => Spectrum::Student(2.5),
            Self::Matern => Spectrum::StudentOfShape,
            Self::RationalQuadratic => Spectrum::GammaOfShape,
            Self::GammaExponential => Spectrum::Unknown,
        }
    }
}

impl Formula {
    /// Its spectral density.
    pub(crate) const fn spectrum(self) -> Spectrum {
        match self {
            Self::Constant => Spectrum::Zero,
            Self::Radial(profile) => profile.spectrum(),
            Self::Laplace => Spectrum::Cauchy,
            Self::Cosine => Spectrum::Line,
            Self::Periodic | Self::Linear | Self::Polynomial | Self::ArcSine => Spectrum::Unknown,
            Self::Discrete(_) | Self::Gate(_) | Self::Arc | Self::OneHot => Spectrum::Unknown,
        }
    }
}

/// Twice the order of a Matérn profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// ν = 1/2
    One,
    /// ν = 3/2
    Three,
    /// ν = 5/2
    Five,
}

/// What two different categories are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discrete {
    /// e⁻ʷ
    Hamming,
    /// c
    Exchangeable,
}

/// What opens a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// a = b
    Branch,
    /// (a < 0) = (b < 0)
    Active,
}

impl Op {
    /// Values that the node takes off the stack; a leaf takes none.
    pub(crate) const fn arity(self) -> usize {
        match self.form() {
            Form::Sum | Form::Product => 2,
            Form::Scale => 1,
            Form::Leaf(_) => 0,
        }
    }

    /// Whether the node looks at coordinates of the points.
    pub(crate) const fn has_dims(self) -> bool {
        match self.form() {
            Form::Sum | Form::Product | Form::Scale | Form::Leaf(Formula::Constant) => false,
            Form::Leaf(_) => true,
        }
    }

    /// Whether the node is a function of ρ² = Σ (Δₖ/ℓₖ)² alone.
    #[must_use]
    pub const fn is_radial(self) -> bool {
        matches!(self.form(), Form::Leaf(Formula::Radial(_)))
    }

    /// Whether the node depends on a − b alone (or on equality or activity of coordinates).
    pub(crate) const fn is_stationary(self) -> bool {
        match self.form() {
            Form::Sum | Form::Product | Form::Scale => true,
            Form::Leaf(formula) => match formula {
                Formula::Linear | Formula::Polynomial | Formula::ArcSine => false,
                Formula::Constant | Formula::Radial(_) | Formula::Laplace | Formula::Periodic => true,
                Formula::Cosine | Formula::Discrete(_) | Formula::Gate(_) => true,
                Formula::Arc | Formula::OneHot => true,
            },
        }
    }

    /// The hyperparameters in their order in θ; the bias only if the node has one.
    #[must_use]
    pub const fn parameters(self, bias: bool) -> &'static [Parameter] {
        let all = self.all_parameters();
        match all {
            [rest @ .., Parameter { role: Role::Bias, .. }] if !bias => rest,
            [..] => all,
        }
    }

    /// Whether a node of this kind may have a bias, and has one at first.
    pub(super) const fn may_have_bias(self) -> bool {
        self.parameters(true).len() > self.parameters(false).len()
    }

    /// Whether the radial profile has ν, α or γ behind its length scales.
    #[must_use]
    pub const fn has_shape(self) -> bool {
        matches!(self.all_parameters(), [_, Parameter { role: Role::Shape, .. }])
    }

    /// Whether ARD gives each dimension its own second hyperparameter.
    #[must_use]
    pub const fn has_second_per_dimension(self) -> bool {
        matches!(self.all_parameters(), [_, second] if second.role.per_dimension())
    }

    /// What the degree of a node of this kind says.
    const fn degree(self) -> Degree {
        match self.form() {
            Form::Leaf(Formula::Polynomial) => Degree::Power,
            Form::Leaf(Formula::Arc) => Degree::Profile,
            Form::Leaf(Formula::OneHot) => Degree::ProfileAndCategories,
            Form::Sum | Form::Product | Form::Scale | Form::Leaf(_) => Degree::None,
        }
    }

    /// The degree that a node of this kind has at first.
    pub(super) const fn first_degree(self) -> u16 {
        match self.degree() {
            Degree::None => 0,
            Degree::Power => 1,
            Degree::Profile | Degree::ProfileAndCategories => Self::Matern52 as u16,
        }
    }

    /// Whether a node of this kind may have a degree.
    pub(super) const fn may_have_degree(self, degree: u16) -> bool {
        match self.degree() {
            Degree::None => degree == 0,
            Degree::Power => 1 <= degree && degree <= MAX_DEGREE,
            Degree::Profile => degree < 256 && Profile::without_shape(degree as u8).is_some(),
            Degree::ProfileAndCategories => Profile::without_shape(degree as u8).is_some(),
        }
    }
}

/// What the degree of a node says.
enum Degree {
    /// Nothing: 0.
    None,
    /// A power, 1 to [`MAX_DEGREE`].
    Power,
    /// The number of a radial kernel without a shape.
    Profile,
    /// That number and 256 for each category.
    ProfileAndCategories,
}

impl Profile {
    /// The profile of this number of an operation, if it is one that needs no shape: those of embedded points.
    pub(super) const fn without_shape(code: u8) -> Option<Self> {
        let Some(op) = Op::of(code) else { return None };
        if let Form::Leaf(Formula::Radial(profile)) = op.form()
            && !op.has_shape()
        {
            return Some(profile);
        }
        None
    }
}

/// A radial kernel.
const fn radial(profile: Profile) -> Form {
    Form::Leaf(Formula::Radial(profile))
}

/// What a parameter does in its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// A length scale ℓ, one per dimension under ARD.
    Length = 1,
    /// A variance σ² that multiplies a kernel, or the value of a constant.
    Variance = 2,
    /// ν, α or γ.
    Shape = 3,
    /// A period p, one per dimension under ARD.
    Period = 4,
    /// A weight w, one per dimension under ARD.
    Weight = 5,
    /// The variance w₀ of the constant input of a dot-product kernel.
    Bias = 6,
    /// The correlation c of two different categories, one per dimension under ARD.
    Correlation = 7,
    /// The part ω of a half circle that the values of an arc kernel's parameter span, one per dimension under ARD.
    Angle = 8,
    /// The radius r of the circle of an arc kernel's parameter, one per dimension under ARD.
    Radius = 9,
}

impl Role {
    /// Whether ARD gives each dimension its own parameter.
    pub(crate) const fn per_dimension(self) -> bool {
        match self {
            Self::Variance | Self::Shape | Self::Bias => false,
            Self::Length | Self::Period | Self::Weight | Self::Correlation | Self::Angle | Self::Radius => {
                true
            }
        }
    }
}

/// A hyperparameter of an operation, for inputs in the unit cube and outputs of unit variance, in natural units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// What it does.
    pub role: Role,
    /// Where training starts, unless told otherwise.
    pub value: f64,
    /// Its least value, unless told otherwise.
    pub lo: f64,
    /// Its largest value, unless told otherwise.
    pub hi: f64,
    /// The largest value for which the kernel is defined.
    pub most: f64,
}

impl Parameter {
    const fn new(role: Role, value: f64, lo: f64, hi: f64) -> Self {
        Self { role, value, lo, hi, most: f64::INFINITY }
    }

    const fn up_to(self, most: f64) -> Self {
        Self { most, ..self }
    }
}

const LENGTH: Parameter = Parameter::new(Role::Length, 0.5, 0.01, 100.0);
const VARIANCE: Parameter = Parameter::new(Role::Variance, 1.0, 1e-4, 1e4);
const SHAPE: Parameter = Parameter::new(Role::Shape, 1.0, 0.05, 50.0);
const GAMMA: Parameter = Parameter::new(Role::Shape, 1.5, 0.1, 2.0).up_to(2.0);
const PERIOD: Parameter = Parameter::new(Role::Period, 1.0, 0.05, 20.0);
const WEIGHT: Parameter = Parameter::new(Role::Weight, 1.0, 1e-3, 1e3);
const BIAS: Parameter = Parameter::new(Role::Bias, 1.0, 1e-3, 1e3);
const MISMATCH: Parameter = Parameter::new(Role::Weight, 1.0, 1e-3, 20.0);
const CORRELATION: Parameter = Parameter::new(Role::Correlation, 0.5, 1e-3, 0.999).up_to(1.0);
/// Half a circle is as far as the distance grows with |Δ| over the unit interval.
const ANGLE: Parameter = Parameter::new(Role::Angle, 0.5, 1e-3, 1.0);
const RADIUS: Parameter = Parameter::new(Role::Radius, 1.0, 1e-2, 1e2);

/// Largest degree of a polynomial kernel.
pub(crate) const MAX_DEGREE: u16 = 16;

#[cfg(test)]
mod tests {
    use super::Op;

    /// Saved blocks and shaders hold these numbers.
    #[test]
    fn codes_are_pinned() {
        let codes: std::vec::Vec<u8> = (0..=255).filter(|&code| Op::of(code).is_some()).collect();
        assert_eq!(
            codes,
            [1, 2, 3, 4, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 32, 33, 34, 48, 49, 64, 65, 66, 67]
        );
        assert!(codes.iter().zip(Op::ALL).all(|(&code, &op)| op as u8 == code && Op::of(code) == Some(op)));
        assert_eq!((Op::Matern52 as u8, Op::Laplace as u8, Op::ArcSine as u8), (19, 24, 34));
    }

    /// A name is the member's, so that those of C, Python and the shaders are.
    #[test]
    fn names_are_those_of_the_members() {
        for &op in Op::ALL {
            let words: std::string::String = op.name().split('_').collect();
            assert_eq!(words, std::format!("{op:?}").to_lowercase());
        }
    }

    #[test]
    fn rows_are_whole() {
        for &op in Op::ALL {
            assert!(op.may_have_degree(op.first_degree()), "{op:?}");
            assert!(op.has_dims() || op.parameters(true).iter().all(|p| !p.role.per_dimension()), "{op:?}");
            for p in op.parameters(true) {
                assert!(0.0 < p.lo && p.lo < p.value && p.value < p.hi && p.hi <= p.most, "{op:?} {p:?}");
            }
        }
    }
}
