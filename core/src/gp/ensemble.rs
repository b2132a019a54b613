//! An ensemble of fits of one process to the same data, each at hyperparameters of its own.
//!
//! What an acquisition says is averaged over them, weighted; never their predictions:
//!
//! ```text
//! a(x) = Σₛ wₛ a(x | θₛ)
//! ```

use core::marker::PhantomData;

use super::{Fit, Gp, Size, fit};
use crate::backend::Backend;
use crate::block::Arena;
use crate::block::layout::sections;
use crate::error::Error;
use crate::kernel::Covariance;
use crate::limits::Limit;
use crate::real::Real;

/// Fits of one process at several hyperparameters, with a weight each; a weight of 0 marks an unused one.
///
/// The data, bounds and priors are those of the [`Gp`] that is passed to each call. Zeros are members without
/// weight. The block is not shared: one thread at a time. It lives as long as the words lent to it.
#[derive(Debug)]
pub(crate) struct Ensemble<'a, R> {
    size: Size,
    count: usize,
    words: &'a mut [u64],
    scalar: PhantomData<R>,
}

impl<'a, R: Real> Ensemble<'a, R> {
    /// Words of `count` fits of a process of this size; none for none.
    pub(crate) const fn words(size: &Size, count: usize) -> usize {
        count * Self::stride(size)
    }

    /// The members that lie at the front of the arena, as they were left.
    ///
    /// # Errors
    /// [`Error::Memory`] if fewer than [`Ensemble::words`] are left.
    pub(crate) fn carve(arena: &mut Arena<'a>, size: Size, count: usize) -> Result<Self, Error> {
        let words = arena.words(Self::words(&size, count))?;
        Ok(Self { size, count, words, scalar: PhantomData })
    }

    /// Says the words of each section of so many fits of two sizes, in the order in which they lie.
    pub(crate) fn pair_sections(sizes: [Size; 2], count: usize, say: &mut dyn FnMut(usize, usize)) {
        (0..count).for_each(|_| Member::<R>::pair_sections(sizes, say));
    }

    /// How many members there is room for.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The members that have a weight.
    pub(crate) fn used(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count).filter(|&member| self.weight(member) > R::ZERO)
    }

    /// The weight of a member; 0 if it is unused or there is none.
    pub(crate) fn weight(&self, member: usize) -> R {
        R::of(self.words_of(member).map_or(0.0, |words| f64::from_bits(words[0])))
    }

    /// Gives a member hyperparameters and a weight; its fit is forgotten.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such member or θ has another length, [`Error::NotFinite`].
    pub(crate) fn set(&mut self, member: usize, theta: &[R], weight: R) -> Result<(), Error> {
        Error::Shape { needed: self.size.thetas + 1 }.when(theta.len() != self.size.thetas + 1)?;
        if !(weight >= R::ZERO && weight.is_finite() && theta.iter().all(|v| v.is_finite())) {
            return Err(Error::NotFinite);
        }
        let member = self.member(member)?;
        member.theta.copy_from_slice(theta);
        member.weight[0] = weight.to_f64().to_bits();
        let mut fit = member.fit;
        fit.forget();
        Ok(())
    }

    /// Gives a member another weight; its hyperparameters and fit stay.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such member, [`Error::NotFinite`].
    pub(crate) fn set_weight(&mut self, member: usize, weight: R) -> Result<(), Error> {
        Error::NotFinite.when(!(weight >= R::ZERO && weight.is_finite()))?;
        self.member(member)?.weight[0] = weight.to_f64().to_bits();
        Ok(())
    }

    /// Takes the weights and fits of all members away.
    pub(crate) fn reset(&mut self) {
        self.each(|member| {
            member.weight[0] = 0;
            let mut fit = member.fit;
            fit.forget();
        });
    }

    /// The process at the hyperparameters of a member: all that a [`Gp`] can do, it can do with that fit.
    ///
    /// Training moves the hyperparameters of the member, telling moves the data of all.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such member, [`Error::Limits`] if the process has another size.
    pub(crate) fn view<'b>(&'b mut self, gp: &'b mut Gp<'_, R>, member: usize) -> Result<Gp<'b, R>, Error> {
        if gp.size != self.size {
            return Err(Limit::Exact.refuse(self.size.exact));
        }
        let member = self.member(member)?;
        Ok(gp.at_fit(member.theta, member.fit))
    }

    /// Fits every used member that does not cover all observations, and refreshes the others.
    ///
    /// Cost: n³/3 flops for each that is fitted.
    ///
    /// # Errors
    /// As [`Gp::fit`]; the members after the one that failed are left as they were.
    pub(crate) fn fit<B: Backend<R> + ?Sized>(
        &mut self,
        gp: &mut Gp<'_, R>,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
    ) -> Result<(), Error> {
        self.each_view(gp, |gp| if gp.is_fitted() { gp.refresh() } else { gp.fit(covariance, backend) })
    }

    /// Gives every used member that has a factor the rows of the observations that it does not cover.
    ///
    /// A member for which a row adds nothing but rounding loses its factor until the next [`Ensemble::fit`].
    /// Cost: n² flops for each row and member; α waits for [`Ensemble::fit`].
    ///
    /// # Errors
    /// [`Error::Kernel`] for another number of hyperparameters, or what the covariance reports.
    pub(crate) fn extend(&mut self, gp: &mut Gp<'_, R>, covariance: &dyn Covariance<R>) -> Result<(), Error> {
        Error::Kernel.when(covariance.thetas() != self.size.thetas)?;
        self.each_view(gp, |gp| {
            if gp.factored() == 0 {
                return Ok(());
            }
            for _ in gp.factored()..gp.rows() {
                match gp.append(covariance) {
                    Ok(()) => {}
                    Err(Error::NotPositiveDefinite { .. }) => {
                        gp.unfit();
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
    }

    /// Forgets the rows of the factors after the first `rows`.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.each(|mut member| member.fit.truncate(rows as u64));
    }

    /// Removes a row from the factors; the process removes it from the data. Cost: O((n − row)²) for each.
    ///
    /// # Errors
    /// As [`drop_row`](crate::linalg::drop_row).
    pub(crate) fn remove(&mut self, row: usize) -> Result<(), Error> {
        let mut outcome = Ok(());
        self.each(|mut member| {
            let rows = member.fit.factored();
            if row < rows && outcome.is_ok() {
                outcome = member.fit.drop_row(row);
            }
        });
        outcome
    }

    /// Forgets all factors.
    pub(crate) fn unfit(&mut self) {
        self.truncate(0);
    }

    /// Whether all members are such as this library leaves them, for a process of so many rows.
    pub(crate) fn is_sound(&mut self, gp: &Gp<'_, R>) -> bool {
        let rows = gp.rows();
        let mut sound = gp.size == self.size;
        self.each(|member| {
            let weight = f64::from_bits(member.weight[0]);
            let used = weight > 0.0;
            sound &= weight >= 0.0 && weight.is_finite();
            let inside = |(i, v): (usize, &R)| *v >= gp.theta.lo[i] && *v <= gp.theta.hi[i];
            // Rows are removed from unused ones too.
            sound = sound
                && member.fit.state[fit::FACTORED] <= rows as u64
                && (!used || member.theta.iter().enumerate().all(inside) && member.fit.is_sound(rows));
        });
        sound
    }

    const fn stride(size: &Size) -> usize {
        Member::<R>::section_words(*size)
    }

    fn words_of(&self, member: usize) -> Option<&[u64]> {
        self.words.chunks_exact(Self::stride(&self.size)).take(self.count).nth(member)
    }

    fn member(&mut self, index: usize) -> Result<Member<'_, R>, Error> {
        let (stride, count, size) = (Self::stride(&self.size), self.count, self.size);
        let words = self.words.chunks_exact_mut(stride).take(count).nth(index);
        let words = words.ok_or(Error::Shape { needed: index.saturating_add(1) })?;
        Member::cut(&mut Arena::new(words), size)
    }

    fn each(&mut self, mut run: impl FnMut(Member<'_, R>)) {
        for index in 0..self.count {
            if let Ok(member) = self.member(index) {
                run(member);
            }
        }
    }

    /// Runs something on the process at each used member in turn, until it fails.
    fn each_view(
        &mut self,
        gp: &mut Gp<'_, R>,
        mut run: impl FnMut(&mut Gp<'_, R>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for member in 0..self.count {
            if self.weight(member) > R::ZERO {
                run(&mut self.view(gp, member)?)?;
            }
        }
        Ok(())
    }
}

sections! {
    (size: Size) {
        weight: words[1],
        theta: scalars[size.thetas + 1],
        fit: Fit[size],
    }
    => object {
        /// One member: its weight, hyperparameters and fit.
        struct Member {}
    }
}

#[cfg(test)]
mod tests {
    use super::Ensemble;
    use crate::block::Arena;
    use crate::error::Error;
    use crate::gp::{Gp, Size};
    use crate::kernel::{Dims, Kernel, Tape};
    use crate::plain::Plain;
    use crate::real::Real;
    use crate::trend::Trend;

    const DIMS: usize = 2;

    fn size(kernel: &Kernel) -> Size {
        Size { rows: 12, exact: 12, dims: DIMS, thetas: kernel.thetas(DIMS).unwrap(), columns: 3, batch: 8 }
    }

    fn point<R: Real>(i: usize) -> [R; 2] {
        [R::of((i * 5 % 13) as f64 / 13.0), R::of((i * 7 % 11) as f64 / 11.0)]
    }

    fn value<R: Real>(x: &[R]) -> R {
        (R::of(5.0) * x[0]).sin() + x[1] * x[1]
    }

    /// Each member says what a process of its own at the same hyperparameters says.
    fn agrees<R: Real>(tolerance: f64) {
        let kernel = Kernel::matern52(Dims::All).ard().scaled();
        let (mut nodes, mut lists) = ([0; 64], [0; 64]);
        kernel.write(DIMS, &mut nodes, &mut lists).unwrap();
        let tape = Tape::attach(&nodes, &lists, DIMS).unwrap();
        let size = size(&kernel);
        let mut block = std::vec![0; size.words::<R>()];
        let mut gp = Gp::<R>::new(&kernel, Trend::Linear, size, &mut block).unwrap();
        for i in 0..8 {
            let x = point::<R>(i);
            gp.push(&x, value(&x), R::of(0.001 * i as f64)).unwrap();
        }
        gp.fit(&tape, &mut Plain).unwrap();
        let before = gp.predict(&tape, &point(11)).unwrap();
        let needed = Ensemble::<R>::words(&size, 3);
        let mut sections = 0;
        Ensemble::<R>::pair_sections([size; 2], 3, &mut |words, _| sections += words);
        assert_eq!(sections, needed);
        assert_eq!(Ensemble::<R>::words(&size, 0), 0);
        let mut short = std::vec![0; needed - 1];
        assert!(Ensemble::<R>::carve(&mut Arena::new(&mut short), size, 3).is_err());
        let mut words = std::vec![0; needed];
        let mut arena = Arena::new(&mut words);
        let mut posteriors = Ensemble::<R>::carve(&mut arena, size, 3).unwrap();
        assert_eq!(arena.used, needed);
        assert_eq!(posteriors.used().count(), 0);
        let thetas: [[R; 4]; 2] = [[-0.5, 0.2, 0.3, -6.0].map(R::of), [0.4, -1.0, -0.2, -3.0].map(R::of)];
        posteriors.set(0, &thetas[0], R::of(0.25)).unwrap();
        posteriors.set(2, &thetas[1], R::of(0.75)).unwrap();
        posteriors.fit(&mut gp, &tape, &mut Plain).unwrap();
        assert!(posteriors.used().eq([0, 2]));
        // One told, one believed, one taken back, one removed.
        for i in 8..11 {
            let x = point::<R>(i);
            gp.extend(&tape, &x, value(&x), R::ZERO).unwrap();
            posteriors.extend(&mut gp, &tape).unwrap();
        }
        gp.truncate(10);
        posteriors.truncate(10);
        gp.remove(4).unwrap();
        posteriors.remove(4).unwrap();
        gp.refresh().unwrap();
        posteriors.fit(&mut gp, &tape, &mut Plain).unwrap();
        assert!(posteriors.is_sound(&gp));
        for (member, theta) in [(0, thetas[0]), (2, thetas[1])] {
            let mut block = std::vec![0; size.words::<R>()];
            let mut own = Gp::<R>::new(&kernel, Trend::Linear, size, &mut block).unwrap();
            for (i, x) in gp.inputs().chunks_exact(DIMS).enumerate() {
                let known = [0, 1, 2, 3, 5, 6, 7, 0, 0][i];
                own.push(x, gp.targets()[i], R::of(0.001 * f64::from(known))).unwrap();
            }
            own.theta_table().value.copy_from_slice(&theta);
            own.fit(&tape, &mut Plain).unwrap();
            let expected = own.predict(&tape, &point(11)).unwrap();
            let found = posteriors.view(&mut gp, member).unwrap().predict(&tape, &point(11)).unwrap();
            assert!((found.mean - expected.mean).abs() < R::of(tolerance));
            assert!((found.variance - expected.variance).abs() < R::of(tolerance));
        }
        // The process itself was not touched.
        let mut again = std::vec![0; size.words::<R>()];
        let mut plain = Gp::<R>::new(&kernel, Trend::Linear, size, &mut again).unwrap();
        for i in 0..8 {
            let x = point::<R>(i);
            plain.push(&x, value(&x), R::of(0.001 * i as f64)).unwrap();
        }
        plain.fit(&tape, &mut Plain).unwrap();
        assert_eq!(plain.predict(&tape, &point(11)).unwrap(), before);
        posteriors.unfit();
        posteriors.fit(&mut gp, &tape, &mut Plain).unwrap();
        posteriors.reset();
        assert_eq!(posteriors.used().count(), 0);
        // What cannot be is refused.
        assert_eq!(posteriors.set(3, &thetas[0], R::ONE), Err(Error::Shape { needed: 4 }));
        assert_eq!(posteriors.set(0, &thetas[0], R::NAN), Err(Error::NotFinite));
        assert_eq!(posteriors.set(0, &thetas[0][..2], R::ONE), Err(Error::Shape { needed: 4 }));
        assert!(posteriors.view(&mut gp, 7).is_err());
        assert_eq!(posteriors.weight(usize::MAX), R::ZERO);
    }

    #[test]
    fn members_agree_with_processes_of_their_own() {
        agrees::<f64>(1e-11);
        agrees::<f32>(2e-3);
    }

    #[test]
    fn a_row_that_adds_nothing_unfits_its_member_alone() {
        let kernel = Kernel::squared_exponential(Dims::All);
        let (mut nodes, mut lists) = ([0; 64], [0; 64]);
        kernel.write(DIMS, &mut nodes, &mut lists).unwrap();
        let tape = Tape::attach(&nodes, &lists, DIMS).unwrap();
        let size = size(&kernel);
        let mut block = std::vec![0; size.words::<f64>()];
        let mut gp = Gp::<f64>::new(&kernel, Trend::Zero, size, &mut block).unwrap();
        let mut words = std::vec![0; Ensemble::<f64>::words(&size, 2)];
        let mut posteriors = Ensemble::<f64>::carve(&mut Arena::new(&mut words), size, 2).unwrap();
        for i in 0..3 {
            gp.push(&point(i), 0.1 * i as f64, 0.0).unwrap();
        }
        posteriors.set(0, &[-1.0, -3.0], 0.5).unwrap();
        posteriors.set(1, &[-1.0, -80.0], 0.5).unwrap();
        posteriors.fit(&mut gp, &tape, &mut Plain).unwrap();
        gp.push(&point(0), 0.0, 0.0).unwrap();
        posteriors.extend(&mut gp, &tape).unwrap();
        let fitted = |posteriors: &mut Ensemble<'_, f64>, gp: &mut Gp<'_, f64>| {
            [0, 1].map(|member| posteriors.view(gp, member).unwrap().is_fitted())
        };
        assert_eq!(fitted(&mut posteriors, &mut gp), [true, false]);
        // The jitter of a whole fit helps.
        posteriors.fit(&mut gp, &tape, &mut Plain).unwrap();
        assert_eq!(fitted(&mut posteriors, &mut gp), [true, true]);
    }
}
