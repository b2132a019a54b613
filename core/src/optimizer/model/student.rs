//! A Student-t process as the model of an optimizer: an exact process whose predictions have heavier tails.

use super::Member;
use crate::backend::Backend;
use crate::error::Error;
use crate::gp::Training;
use crate::gp::student::{Freedom, Tail};
use crate::kernel::Prior;
use crate::optimizer::block::{Block, place};
use crate::real::Real;
use crate::rng::Generator;

impl<R: Real> Block<'_, R> {
    pub(super) fn train_student<B: Backend<R> + ?Sized>(
        &mut self,
        learnt: bool,
        backend: &mut B,
        training: &Training,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        let mut freedom = self.freedom(learnt)?;
        self.with_covariance(|block, covariance| {
            block.gp.train_student(covariance, backend, training, &mut freedom, generator)
        })?;
        self.header[place::FREEDOM] = freedom.value.to_f64().to_bits();
        Ok(())
    }

    /// The degrees of freedom of a Student-t process, as they were learnt last.
    fn freedom<S: Real>(&self, learnt: bool) -> Result<Freedom<S>, Error> {
        let value = f64::from_bits(self.header[place::FREEDOM]);
        let degrees = 2.0 + Real::exp(value);
        if !learnt {
            return Freedom::fixed(degrees);
        }
        // Beyond a hundred it is a Gaussian process; below 2.1 a single value decides everything.
        let (lo, hi) = (2.1_f64.min(degrees), 200.0_f64.max(degrees));
        Freedom::fitted(degrees, lo, hi, Prior::LogNormal { mean: Real::ln(8.0), sd: 1.0 })
    }

    /// How the predictions of the exact process are to be read.
    pub(crate) fn tail(&mut self) -> Result<Tail<R>, Error> {
        let Ok(Member::Student { .. }) = self.member() else { return Ok(Tail::NORMAL) };
        let degrees = self.freedom::<R>(false)?.degrees();
        self.gp.tail(degrees)
    }
}
