"""Ask and tell: every call, what it refuses, saving, threads."""

import copy
import math
import os
import pickle
import stat
import tempfile
import threading
import unittest
import unittest.mock

import infill

from . import Case, told

SPACE = {"x": (-5.0, 10.0), "n": (1, 64, "log"), "c": ["a", "b"]}


def loss(p):
    return (p["x"] - 2) ** 2 + (p["n"] - 7) ** 2 / 50 + (p["c"] == "a")


def started(trials=40, asks=10, **settings):
    optimizer = infill.Optimizer(SPACE, trials, seed=5, **settings)
    told(optimizer, loss, asks)
    return optimizer


def onwards(optimizer, asks=5):
    """What an optimizer proposes next."""
    return told(optimizer, loss, asks)


class AskAndTell(Case):
    def test_states(self):
        optimizer = infill.Optimizer(SPACE, 20)
        queued = optimizer.enqueue({"x": 1.0, "n": 3, "c": "b"})
        self.assertEqual([record.state for record in optimizer.trials()], ["queued"])
        first = optimizer.ask()
        self.assertEqual((first.id, first.x, first.origin), (queued, {"x": 1.0, "n": 3, "c": "b"}, "queue"))
        self.assertTrue(math.isnan(first.acquisition))
        second, third, fourth = (optimizer.ask() for _ in range(3))
        self.assertEqual(second.origin, "design")
        optimizer.tell(first, 1.5, variance=0.25)
        optimizer.fail(second)
        optimizer.forget(third.id)
        observed = optimizer.observe({"x": 2.0, "n": 7, "c": "b"}, 0.5)
        states = {record.id: record.state for record in optimizer.trials()}
        wanted = {first.id: "done", second.id: "failed", fourth.id: "open", observed: "done"}
        self.assertEqual(states, wanted)
        self.assertEqual([record.id for record in optimizer.trials("open")], [fourth.id])
        record = optimizer.trial(first)
        self.assertEqual((record.value, record.variance, record.x), (1.5, 0.25, first.x))
        self.assertEqual((optimizer.closed, optimizer.remaining), (3, 16))
        self.assertEqual(optimizer.best(), ({"x": 2.0, "n": 7, "c": "b"}, 0.5))
        self.assertIn("3 of 4 trials closed", repr(optimizer))

    def test_values_that_say_failed(self):
        for value in (None, math.nan, math.inf, -math.inf):
            optimizer = infill.Optimizer(SPACE, 5)
            trial = optimizer.ask()
            optimizer.tell(trial, value)
            self.assertEqual(optimizer.trial(trial).state, "failed")
            self.assertTrue(math.isnan(optimizer.trial(trial).value))

    def test_what_is_refused_changes_nothing(self):
        optimizer = started(12, 10, limits={"open": 2})
        trial = optimizer.ask()
        before = optimizer.to_bytes()
        self.refused(infill.ERROR_STALE_TRIAL, optimizer.tell, 2**64 - 1, 1.0)
        self.refused(infill.ERROR_STALE_TRIAL, optimizer.forget, optimizer.trials("done")[0])
        self.refused(infill.ERROR_NOT_FINITE, optimizer.tell, trial, 1.0, variance=-1.0)
        self.refused(infill.ERROR_NOT_FINITE, optimizer.observe, trial.x, math.nan)
        self.refused(infill.ERROR_OUT_OF_RANGE, optimizer.enqueue, {"x": 11.0, "n": 3, "c": "b"})
        self.refused(infill.ERROR_OUT_OF_RANGE, optimizer.predict, {"x": 1.0, "n": 3.5, "c": "b"})
        for value in ("1.0", [1.0], 1j, object()):
            self.assertRaises(TypeError, optimizer.tell, trial, value)
        for name in (-1, 2**64):
            self.assertRaises(ValueError, optimizer.tell, name, 1.0)
        for name in ("trial", 1.0, None):
            self.assertRaises(TypeError, optimizer.tell, name, 1.0)
        self.assertRaises(ValueError, optimizer.trials, "lost")
        self.assertRaises(TypeError, optimizer.ask, "faer")
        self.assertEqual(optimizer.to_bytes(), before)
        optimizer.ask()
        self.refused(infill.ERROR_TOO_MANY_OPEN, optimizer.ask)
        optimizer.tell(trial, 1.0)
        self.refused(infill.ERROR_FULL, optimizer.ask)

    def test_what_was_open_is_handed_out_again(self):
        optimizer = infill.Optimizer({"x": (0.0, 1.0)}, trials=6, seed=1)
        first, second = optimizer.next(), optimizer.next()
        self.assertNotEqual(first.id, second.id)
        again = infill.Optimizer.from_bytes(optimizer.to_bytes(), {"x": (0.0, 1.0)})
        seen = []
        for trial in again:
            seen.append((trial.id, trial.x, trial.origin == "resumed"))
            again.tell(trial, trial.x["x"])
        self.assertEqual(seen[:2], [(second.id, second.x, True), (first.id, first.x, True)])
        self.assertEqual([resumed for _, _, resumed in seen[2:]], [False] * 4)
        self.assertIsNone(again.next())
        self.assertEqual(infill.run(again, lambda p: 0.0, 5), "budget")

    def test_no_data(self):
        optimizer = infill.Optimizer(SPACE)
        self.refused(infill.ERROR_NO_DATA, optimizer.best)
        self.refused(infill.ERROR_NO_DATA, optimizer.recommend)
        self.refused(infill.ERROR_NO_DATA, optimizer.predict, {"x": 1.0, "n": 3, "c": "b"})

    def test_predictions(self):
        optimizer = started()
        best, recommended = optimizer.best(), optimizer.recommend()
        prediction = optimizer.predict(best.x)
        self.assertAlmostEqual(prediction.mean, best.value, delta=3 * prediction.deviation + 1e-3)
        self.assertEqual(optimizer.predict(recommended.x).mean, recommended.mean)
        self.assertEqual(recommended.deviation, math.sqrt(recommended.variance))

    def test_settings(self):
        kernel = infill.kernels.scale(infill.kernels.matern32(on=[0, 1], ard=True) * infill.kernels.hamming(on=[2]))
        changed = dict(
            acquisition="bound",
            acquisition_parameter=1.5,
            design="halton",
            targets="rank",
            trend="linear",
            when_full="drop_worst",
            repeats=True,
            start=4,
            kernel=kernel,
            limits={"open": 3},
        )
        optimizer = started(6, 12, **changed)
        self.assertEqual(optimizer.closed, 6)
        self.assertNotEqual(onwards(optimizer, 2), onwards(started(6, 12, when_full="drop_worst"), 2))
        for wrong in ({"acquisition": "luck"}, {"design": 2}, {"seed": -1}, {"seed": 2**64}, {"start": 2**32}, {"scalar": "f16"}):
            self.assertRaises(ValueError, infill.Optimizer, SPACE, **wrong)
        for wrong in ({"colour": 1}, {"size": 8}, {"kernel": "rbf"}, {"delta": "x"}, {"start": 1.5}, {"limits": {"x": 1}}):
            self.assertRaises(TypeError, infill.Optimizer, SPACE, **wrong)
        self.refused(infill.ERROR_CONFIG, infill.Optimizer, SPACE, delta=-1.0)
        self.refused(infill.ERROR_LIMITS, infill.Optimizer, SPACE, 2**31)
        wide = infill.kernels.matern52(on=[7])
        self.refused(infill.ERROR_KERNEL, infill.Optimizer, SPACE, kernel=wide)

    def test_errors_travel(self):
        try:
            infill.Optimizer(SPACE).best()
        except infill.Error as error:
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((again.code, again.name, str(again)), (error.code, "ERROR_NO_DATA", str(error)))

    def test_backend(self):
        if "faer" in infill.capabilities():
            trial = started(20, 10).ask(infill.Faer(1))
            self.assertEqual(set(trial.x), set(SPACE))
        else:
            self.refused(infill.ERROR_UNSUPPORTED, infill.Faer)
        if "gpu" not in infill.capabilities():
            self.assertEqual(infill.adapters(), [])
            self.refused(infill.ERROR_UNSUPPORTED, infill.Gpu, infill.Optimizer(SPACE))
        elif infill.adapters():
            optimizer = started(20, 10)
            gpu = infill.Gpu(optimizer, software=True)
            self.assertEqual(set(optimizer.ask(gpu).x), set(SPACE))
            self.assertIsNone(gpu.reason)
        self.assertRaises(ValueError, infill.Gpu, infill.Optimizer(SPACE), power="much")


class Saving(Case):
    def test_a_copy_of_any_sort_goes_on_to_the_same_bits(self):
        for scalar in ("f64", "f32"):
            optimizer = started(30, 12, scalar=scalar)
            copies = [
                infill.Optimizer.from_bytes(optimizer.to_bytes(), SPACE),
                pickle.loads(pickle.dumps(optimizer)),
                copy.deepcopy(optimizer),
                copy.copy(optimizer),
                optimizer.clone(),
                optimizer.clone(60),
            ]
            expected = onwards(optimizer)
            for one in copies:
                self.assertEqual(one.scalar, scalar)
                self.assertEqual(onwards(one), expected)
            self.assertEqual(copies[-1].remaining, 60 - 17)

    def test_files(self):
        optimizer = started()
        open_trial = optimizer.ask()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.infill")
            for _ in range(2):
                optimizer.save(path)
            self.assertEqual(os.listdir(folder), ["run.infill"])
            again = infill.Optimizer.load(path, SPACE)
            self.assertEqual(again.trials("open")[0].x, open_trial.x)
            for one in (optimizer, again):
                one.tell(open_trial.id, 3.0)
            self.assertEqual(onwards(optimizer), onwards(again))
            self.assertRaises(OSError, optimizer.save, os.path.join(folder, "missing", "run"))
            self.assertRaises(OSError, infill.Optimizer.load, path + "x", SPACE)

    @unittest.skipUnless(os.name == "posix", "modes and links are those of POSIX")
    def test_files_keep_their_mode_and_their_links(self):
        optimizer = started()
        before = os.umask(0o027)
        try:
            with tempfile.TemporaryDirectory() as folder:
                path, link = os.path.join(folder, "run.infill"), os.path.join(folder, "link")
                optimizer.save(path)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
                os.chmod(path, 0o604)
                os.symlink("run.infill", link)
                old, synced, fsync = os.stat(path).st_ino, [], os.fsync

                def record(file):
                    synced.append(os.fstat(file))
                    fsync(file)

                with unittest.mock.patch("os.fsync", record):
                    optimizer.save(link)
                self.assertTrue(os.path.islink(link))
                self.assertNotEqual(os.stat(path).st_ino, old)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o604)
                self.assertEqual(sorted(os.listdir(folder)), ["link", "run.infill"])
                # The file, then its name.
                self.assertEqual([stat.S_ISDIR(file.st_mode) for file in synced], [False, True])
                self.assertEqual(synced[1].st_ino, os.stat(folder).st_ino)
                self.assertEqual(infill.Optimizer.load(link, SPACE).trials(), optimizer.trials())
        finally:
            os.umask(before)

    def test_another_space_is_refused(self):
        made = {"x": (0.0, 1.0), "n": (1, 9), "c": ["a", "b", "c"], "o": infill.ordinal([1, 2, 5])}
        when = infill.Condition("o", "c", equals="b")
        optimizer = infill.Optimizer(made, 10, conditions=[when])
        told(optimizer, lambda p: 1.0, 6)
        data = optimizer.to_bytes()
        same = infill.Optimizer.from_bytes(data, made, [when])
        self.assertEqual(same.trials(), optimizer.trials())
        others = [
            (dict(made, x=(0.0, 2.0)), [when]),
            (dict(made, x=infill.real(0.5, 1.0, log=True)), [when]),
            (dict(made, n=(1, 8)), [when]),
            (dict(made, n=infill.integer(1, 9, log=True)), [when]),
            (dict(made, c=["a", "b"]), [when]),
            (dict(made, o=infill.ordinal([1, 2, 4])), [when]),
            (made, []),
            (made, [infill.Condition("o", "c", equals="a")]),
            (made, [when, infill.Condition("o", "n", between=(1, 3))]),
            (infill.Space(made, [when], forbidden=[[infill.Term("c", equals="a")]]), ()),
            (infill.Space(made, [when], impute="outside"), ()),
        ]
        for space, conditions in others:
            with self.subTest(space=space, conditions=conditions):
                self.refused(infill.ERROR_SPACE, infill.Optimizer.from_bytes, data, space, conditions)

    def test_other_names_are_refused(self):
        data = infill.Optimizer({"x": (0.0, 1.0), "m": ["adam", "sgd"]}, 10).to_bytes()
        for other, differs in [
            ({"x": (0.0, 1.0), "m": ["sgd", "adam"]}, "category 0 is called sgd, in the block adam"),
            ({"y": (0.0, 1.0), "m": ["adam", "sgd"]}, "parameter 0 (y) is called x in the block"),
        ]:
            self.assertIn(differs, str(self.refused(infill.ERROR_SPACE, infill.Optimizer.from_bytes, data, other)))

    def test_what_does_not_matter_is_left_out(self):
        given, when = {"m": ["adam", "sgd"], "momentum": (0.0, 1.0)}, infill.Condition("momentum", "m", equals="sgd")
        for inactive, plain in [("omit", {"m": "adam"}), ("none", {"m": "adam", "momentum": None})]:
            optimizer = infill.Optimizer(infill.Space(given, [when], inactive=inactive), 20)
            optimizer.observe({"m": "adam"}, 1.0)
            optimizer.enqueue({"m": "adam", "momentum": None})
            self.assertEqual(optimizer.ask().x, plain)
            self.assertEqual(optimizer.trials("done")[0].x, plain)
            optimizer.observe({"m": "sgd", "momentum": 0.5}, 2.0)
            self.assertEqual(optimizer.trials("done")[1].x, {"m": "sgd", "momentum": 0.5})
            self.refused(infill.ERROR_OUT_OF_RANGE, optimizer.observe, {"m": "sgd"}, 2.0)
            self.assertRaises(ValueError, optimizer.observe, {"momentum": 0.5}, 2.0)
            with self.assertRaises(infill.Error) as caught:
                infill.Optimizer({"x": (1.0, 0.0)})
            self.assertEqual((caught.exception.index, caught.exception.code), (0, infill.ERROR_BOUNDS))

    def test_bytes_that_are_no_optimizer(self):
        data = started().to_bytes()
        damaged = bytearray(data)
        damaged[1000] ^= 1
        cases = [
            (b"", infill.ERROR_MEMORY),
            (data[:-8], infill.ERROR_MEMORY),
            (bytes(len(data)), infill.ERROR_FOREIGN),
            (bytes(damaged), infill.ERROR_CORRUPT),
        ]
        for wrong, code in cases:
            self.refused(code, infill.Optimizer.from_bytes, wrong, SPACE)
        self.refused(infill.ERROR_SPACE, infill.Optimizer.from_bytes, data, [(0.0, 1.0)])

    def test_a_copy_has_no_less_room(self):
        self.refused(infill.ERROR_LIMITS, started(30).clone, 20)
        self.assertRaises(TypeError, started().clone, colour=1)


class Threads(Case):
    def test_workers_share_one(self):
        optimizer, raised = infill.Optimizer(SPACE, 48, seed=2), []

        def work():
            try:
                told(optimizer, loss, 12)
            except BaseException as error:
                raised.append(error)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(raised, [])
        self.assertEqual([record.state for record in optimizer.trials()], ["done"] * 48)
        self.assertEqual(infill.Optimizer.from_bytes(optimizer.to_bytes(), SPACE).closed, 48)
