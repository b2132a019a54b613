//! One search over all branches together.

use super::ask::Pick;
use super::block::Front;
use crate::backend::Backend;
use crate::error::Error;
use crate::real::Real;

impl<R: Real> Front<'_, R> {
    pub(super) fn pick_whole<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
    ) -> Result<Option<Pick>, Error> {
        self.pick_single(backend)
    }
}
