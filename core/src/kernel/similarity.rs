//! How the default kernel compares parameters of different kinds and configurations of different branches.

/// How the kernel of an optimizer that was given none compares points.
///
/// ```text
/// numbers × categories, numbers + categories, or both;   times 1 within a branch of the space and 0 across, if apart
/// ```
/// Numbers are compared by a Matérn-5/2 kernel with a length scale each. [`Limits::suit`](crate::Limits::suit) makes room
/// for what is not the default.
///
/// ```
/// use infill::{Condition, Config, Limits, Optimizer, Param, Space, When};
/// use infill::config::{Branches, Similarity};
/// // A choice of two algorithms, each with a parameter of its own.
/// let params = [Param::categorical(2), Param::real(1e-4, 1.0).log(), Param::integer(1, 9)];
/// let conditions =
///     [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
/// let space = Space::new(&params, &conditions)?;
/// let apart = Similarity { branches: Branches::Apart, ..Similarity::default() };
/// let config = Config::default().with(|c| c.surrogate.similarity = apart);
/// let limits = Limits::new(3, 20).conditions(2, 0).suit(&config);
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
/// # let mut x = [0.0; 3];
/// # optimizer.ask(&mut x)?;
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Similarity {
    /// How values without order are compared.
    pub categories: Categories,
    /// How numbers and categories are brought together.
    pub structure: Structure,
    /// Whether configurations of different branches are similar.
    pub branches: Branches,
}

/// How two values without order are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Categories {
    /// A weight for each parameter that differs: exp(−Σ w \[a ≠ b\]).
    #[default]
    Hamming = 0,
    /// One correlation for any two different values of a parameter: Π (a = b ? 1 : c).
    Exchangeable = 1,
    /// Unit vectors in the distance of the numbers: Δ² = 2 \[a ≠ b\].
    OneHot = 2,
    /// The index as if it were a number: wrong unless the values happen to have an order; for comparison.
    Index = 3,
}

impl Categories {
    /// All of them, by their numbers.
    pub(crate) const ALL: [Self; 4] = [Self::Hamming, Self::Exchangeable, Self::OneHot, Self::Index];
}

/// How the kernels of numbers and of categories are brought together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Structure {
    /// Their product: points are similar if both are; one-hot and index categories are part of one distance.
    #[default]
    Product = 0,
    /// Their sum, a variance each: what is learnt of the numbers holds for every category.
    Sum = 1,
    /// Product, sum and a constant: σ² (1 + σ₁² k₁)(1 + σ₂² k₂).
    Both = 2,
}

impl Structure {
    /// All of them, by their numbers.
    pub(crate) const ALL: [Self; 3] = [Self::Product, Self::Sum, Self::Both];
}

/// Whether configurations are similar whose conditions turn out differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Branches {
    /// As their coordinates are, those included that do not matter.
    #[default]
    Shared = 0,
    /// Not at all: the covariance is zero unless the parents of all conditions have equal values.
    ///
    /// A real parent is not compared by its value: its children have to be active in both or in neither, which is seen
    /// where inactive coordinates are outside ([`Impute::Outside`](crate::space::Impute::Outside)); an integer parent
    /// likewise, if they are. Otherwise, and where inactive parents have no common value
    /// ([`Impute::Scatter`](crate::space::Impute::Scatter)), it is [`Error::Unsupported`](crate::Error::Unsupported).
    Apart = 1,
}

impl Branches {
    /// All of them, by their numbers.
    pub(crate) const ALL: [Self; 2] = [Self::Shared, Self::Apart];
}

impl Similarity {
    /// The default, which every build has.
    pub(crate) const PLAIN: Self =
        Self { categories: Categories::Hamming, structure: Structure::Product, branches: Branches::Shared };

    /// Nodes, list entries and hyperparameters of the largest kernel over so many parameters.
    pub(crate) const fn room(dims: u32) -> [u32; 3] {
        [16, dims.saturating_mul(2), dims.saturating_add(5)]
    }

    /// Whether it is the default.
    pub(crate) const fn is_plain(&self) -> bool {
        matches!(self.categories, Categories::Hamming)
            && matches!(self.structure, Structure::Product)
            && matches!(self.branches, Branches::Shared)
    }
}
