"""The whole loop: results, failures, exceptions, progress, noise."""

import contextlib
import io
import math
import random

import infill
from infill import _abi

from . import Case, told


def bowl(p):
    return (p["x"] - 2) ** 2 + (p["c"] == "a")


SPACE = {"x": (-5.0, 10.0), "c": ["a", "b"]}


class Stop(Exception):
    pass


class Minimize(Case):
    def test_finds_the_minimum(self):
        result = infill.minimize(bowl, SPACE, 25, seed=1)
        self.assertEqual(result.x["c"], "b")
        self.assertLess(result.value, 1e-3)
        self.assertEqual(result.value, bowl(result.x))
        self.assertEqual(result.value, min(record.value for record in result.history))
        self.assertEqual([bowl(record.x) for record in result.history], [record.value for record in result.history])
        self.assertEqual((len(result.history), result.stopped, result.optimizer.remaining), (25, "budget", 0))
        self.assertIn("25 evaluations", repr(result))

    def test_a_list_gives_lists(self):
        result = infill.minimize(lambda x: (x[0] - 1) ** 2 + x[1], [(-3.0, 3.0), (0, 5)], 20)
        self.assertEqual([type(value) for value in result.x], [float, int])
        self.assertEqual(result.x[1], 0)

    def test_same_seed_same_bits_as_by_hand(self):
        result = infill.minimize(bowl, SPACE, 15, seed=7)
        seen = told(infill.Optimizer(SPACE, 15, seed=7), bowl, 15)
        self.assertEqual([record.x for record in result.history], seen)
        self.assertNotEqual([record.x for record in infill.minimize(bowl, SPACE, 15, seed=8).history], seen)

    def test_the_loop_is_that_of_the_library(self):
        optimizer, heard = infill.Optimizer(SPACE, 15, seed=7), []

        def objective(user, x, dims, value):
            value[0] = bowl(optimizer.space.decode(x[:dims]))
            return 0

        def progress(user, step):
            heard.append((step[0].evaluation, step[0].evaluations, step[0].value))
            return step[0].evaluation == 12

        calls = _abi.Objective(objective), _abi.Progress(progress)
        self.refused(infill.ABORTED, _abi.lib.minimize_with, optimizer._handle, None, *calls, None, 15)
        by_hand = infill.minimize(bowl, SPACE, 15, seed=7, progress=lambda step: step.evaluation == 12)
        self.assertEqual(optimizer.trials(), by_hand.history)
        values = [record.value for record in by_hand.history]
        self.assertEqual(heard, [(i, 15, value) for i, value in enumerate(values, 1)])

    def test_failed_evaluations(self):
        def partly(p):
            return [None, math.nan, math.inf, bowl(p)][int(p["x"]) % 4]

        result = infill.minimize(partly, SPACE, 20)
        self.assertEqual({record.state for record in result.history}, {"done", "failed"})
        self.assertTrue(math.isfinite(result.value))
        result = infill.minimize(lambda p: None, SPACE, 6)
        self.assertIsNone(result.x)
        self.assertTrue(math.isnan(result.value))
        self.assertEqual([record.state for record in result.history], ["failed"] * 6)
        self.assertIn("nan", repr(result))

    def test_a_value_beyond_single_precision_is_a_failure(self):
        result = infill.minimize(lambda p: 1e300 if p["c"] == "a" else bowl(p), SPACE, 12, scalar="f32")
        self.assertEqual({record.x["c"]: record.state for record in result.history}, {"a": "failed", "b": "done"})

    def test_an_exception_comes_out_and_what_was_told_is_kept(self):
        for kind in (Stop, KeyboardInterrupt, SystemExit):
            calls = []

            def broken(p):
                calls.append(p)
                if len(calls) == 5:
                    raise kind("enough")
                return bowl(p)

            optimizer = infill.Optimizer(SPACE, 20)
            self.assertRaises(kind, infill.run, optimizer, broken, 20)
            self.assertEqual([record.state for record in optimizer.trials()], ["done"] * 4)
            self.assertEqual(infill.run(optimizer, bowl, 16), "budget")
            calls.clear()
            self.assertRaises(kind, infill.minimize, broken, SPACE, 20)
            self.assertEqual(len(calls), 5)

    def test_what_f_must_not_return(self):
        for value in ("1", [1.0], 1j, {}):
            self.assertRaises(TypeError, infill.minimize, lambda p: value, SPACE, 5)

    def test_progress(self):
        steps = []
        result = infill.minimize(bowl, SPACE, 8, progress=steps.append)
        self.assertEqual([step.evaluation for step in steps], list(range(1, 9)))
        self.assertEqual([step.x for step in steps], [record.x for record in result.history])
        lowest = [min(step.value for step in steps[: i + 1]) for i in range(8)]
        self.assertEqual([step.best for step in steps], lowest)
        result = infill.minimize(bowl, SPACE, 8, progress=lambda step: step.evaluation == 3)
        self.assertEqual((len(result.history), result.stopped), (3, "progress"))
        with contextlib.redirect_stderr(io.StringIO()) as lines:
            infill.minimize(lambda p: None, SPACE, 2, progress=True)
        self.assertEqual(lines.getvalue(), "1/2  nan  best nan\n2/2  nan  best nan\n")

        def broken(step):
            raise Stop

        self.assertRaises(Stop, infill.minimize, bowl, SPACE, 8, progress=broken)

    def test_a_finite_space_is_tried_out(self):
        result = infill.minimize(lambda p: p["a"] + p["b"], {"a": (0, 2), "b": bool}, 50)
        self.assertEqual((len(result.history), result.stopped), (6, "exhausted"))
        self.assertEqual(result.x, {"a": 0, "b": False})

    def test_noise(self):
        for noise in (True, 0.25):
            noisy = random.Random(4)
            result = infill.minimize(lambda p: bowl(p) + noisy.gauss(0, 0.5), SPACE, 40, seed=2, noise=noise)
            self.assertEqual(result.value, result.optimizer.recommend().mean)
            self.assertLess(bowl(result.x), 0.5)
            self.assertEqual(result.history[0].variance, 0.0 if noise is True else noise)
        # The defaults are what is recommended: nothing but the answer differs.
        plain, noisy = (infill.minimize(bowl, SPACE, 12, seed=2, noise=noise) for noise in (None, True))
        self.assertEqual([record.x for record in plain.history], [record.x for record in noisy.history])
        for wrong in (-1.0, math.nan, math.inf):
            self.assertRaises(ValueError, infill.minimize, bowl, SPACE, 5, noise=wrong)

    def test_budgets(self):
        self.assertEqual(infill.minimize(bowl, SPACE, 0).history, [])
        self.assertEqual(infill.minimize(bowl, SPACE, 3, trials=10).optimizer.remaining, 7)
        for wrong, kind in ((-1, ValueError), (2**32, ValueError), (1.5, TypeError), (None, TypeError)):
            self.assertRaises(kind, infill.minimize, bowl, SPACE, wrong)

    def test_numpy_is_welcome(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        space = [(numpy.float64(-5), numpy.float64(10)), (numpy.int64(1), numpy.int64(9))]
        self.assertEqual(repr(infill.Space(space)), "Space([real(-5.0, 10.0), integer(1, 9)])")
        plain = infill.minimize(lambda x: (x[0] - 2) ** 2 + x[1], space, 12)
        arrays = infill.minimize(lambda x: numpy.square(numpy.array(x[0]) - 2) + numpy.float64(x[1]), space, 12)
        self.assertEqual([record.x for record in plain.history], [record.x for record in arrays.history])
        optimizer = infill.Optimizer(space)
        optimizer.observe(numpy.array([1.0, 3.0]), numpy.float32(2.5))
        self.assertEqual(optimizer.best(), ([1.0, 3], 2.5))
