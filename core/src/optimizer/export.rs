//! Export: what a run taught, as a source for runs on other data sets.

use super::Optimizer;
use super::save;
use crate::config::TRANSFER;
use crate::error::Error;
use crate::kernel::{Tape, ThetaRead};
use crate::plain::Plain;
use crate::real::Real;
use crate::transfer::{Form, Observed, Size, Source};
use crate::trial::State;

impl<R: Real, M: AsRef<[u64]>> Optimizer<R, M> {
    /// How large the source is that [`Optimizer::export`] writes of the trials that are told now.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a [`Strategy`](crate::Strategy) that branches and without feature `transfer`, [`Error::Corrupt`] for a block that was damaged
    /// since it was attached.
    pub fn source_size(&self, form: Form, features: usize) -> Result<Size, Error> {
        Error::Unsupported.when(!TRANSFER || self.shape.is_branched())?;
        let (places, ..) = self.used().places::<R>();
        let words = self.mem.as_ref();
        let (nodes, lists) = (&words[places.nodes], &words[places.lists]);
        let tape = Tape::attach(nodes, lists, self.shape.dims)?;
        let rows = self.read().in_state(Some(State::Done)).count();
        let kernel = [2 * tape.len(), lists.len()];
        Ok(Size { form, rows, dims: self.shape.dims, kernel, thetas: tape.thetas(), features })
    }

    /// Writes what the told trials taught to the front of `out`, as a [`Source`] for runs over the same space, with the
    /// meta-features of the data set if there are any; returns its words.
    ///
    /// A process with the kernel of this run is trained on values that are scaled to lie between 0 and 1; this run itself does
    /// not change. A table of known values becomes a source by [`Optimizer::observe`]. [`Optimizer::source_size`] says how many
    /// words `work` and `out` have to have.
    ///
    /// Cost: that of a training.
    ///
    /// # Errors
    /// As [`Optimizer::source_size`]; [`Error::NoData`] without values, [`Error::Memory`] with the words needed,
    /// [`Error::NotFinite`] for a meta-feature; [`Error::Unsupported`] for more than 4,095 values, or the full form of a kernel that
    /// keeps branches apart; what training reports. `out` is unchanged then.
    ///
    /// ```
    /// use infill::transfer::{Form, Sources};
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// for x in [0.1, 0.4, 0.8] {
    ///     optimizer.observe(&[x], (x - 0.4) * (x - 0.4))?;
    /// }
    /// let size = optimizer.source_size(Form::Means, 0)?;
    /// let (mut work, mut source) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    /// optimizer.export(Form::Means, &[], &mut work, &mut source)?;
    /// assert_eq!(Sources::<f64>::attach(&source)?.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn export(
        &self,
        form: Form,
        features: &[R],
        work: &mut [u64],
        out: &mut [u64],
    ) -> Result<usize, Error> {
        // Said here as well, so that a build without sources has no code of it.
        Error::Unsupported.when(!TRANSFER)?;
        let size = self.source_size(form, features.len())?;
        let words = self.mem.as_ref();
        let config = save::config(words)?;
        let (places, process, _) = self.used().places::<R>();
        let kernel = [&words[places.nodes][..size.kernel[0]], &words[places.lists]];
        let trials = self.read();
        let observed = Observed {
            fingerprint: save::fingerprints(words)[0],
            kernel,
            features,
            training: &config.surrogate.training,
            seed: config.seed,
        };
        Source::write(
            &size,
            &observed,
            &mut Plain,
            &mut |gp| {
                for slot in trials.in_state(Some(State::Done)) {
                    gp.push(trials.unit(slot), trials.value(slot), trials.variance(slot))?;
                }
                let table = ThetaRead::of(&words[process.theta.clone()], self.shape.thetas + 1);
                // Behind those of the kernel are those of a warp, then the noise.
                for i in 0..size.thetas {
                    gp.theta_table().take(i, &table, i);
                }
                gp.theta_table().take(size.thetas, &table, self.shape.thetas);
                Ok(())
            },
            work,
            out,
        )?;
        Ok(size.words::<R>())
    }
}
