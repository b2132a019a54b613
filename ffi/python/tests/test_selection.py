"""Selection among algorithms: every call, what it refuses, saving."""

import pickle
import unittest

import infill

SPACE = {"method": ["a", "b", "none"], "x": (0.0, 1.0), "k": (1, 9)}
WHEN = [infill.Condition("x", "method", equals="a"), infill.Condition("k", "method", equals="b")]


def loss(p):
    return {"a": 0.5 + (p["x"] - 0.3) ** 2, "b": (p["k"] - 7) ** 2 / 10, "none": 3.0}[p["method"]]


def started(strategy="single", asks=16, **settings):
    selection = infill.Selection(SPACE, "method", strategy, 40, start=3, seed=5, conditions=WHEN, **settings)
    for _ in range(asks):
        trial = selection.ask()
        selection.tell(trial, loss(trial.x))
    return selection


class Selecting(unittest.TestCase):
    def test_every_strategy(self):
        for strategy, more in (("impute", {}), ("single", {}), ("whole", {}), ("baseline", {"budget": 40})):
            selection = started(strategy, **more)
            self.assertEqual((selection.closed, selection.remaining, selection.branches), (16, 24, 3))
            self.assertEqual(selection.best().value, min(record.value for record in selection.trials("done")))
            self.assertEqual([record.sequence for record in selection.trials()], list(range(1, 17)))
            if strategy != "impute":
                # A branch without parameters is evaluated once.
                self.assertEqual(sum(record.x["method"] == "none" for record in selection.trials()), 1)
            self.assertGreaterEqual(selection.recommend().deviation, 0)
            self.assertGreaterEqual(selection.predict(selection.best().x).variance, 0)
            self.assertIn("16 trials closed", repr(selection))

    def test_the_best_is_found(self):
        selection = started(asks=24)
        self.assertEqual((selection.best().x["method"], selection.best().x["k"]), ("b", 7))

    def test_queue_failures_and_observations(self):
        selection = started(asks=0)
        point = {"method": "a", "x": 0.25, "k": 1}
        selection.forget(selection.enqueue(point))
        queued = selection.enqueue(point)
        trial = selection.ask()
        self.assertEqual((trial.id, trial.origin, trial.x["x"]), (queued, "queue", 0.25))
        selection.tell(trial, float("nan"))
        selection.observe(dict(point, x=0.75), 2.0)
        self.assertEqual([record.state for record in selection.trials()], ["failed", "done"])
        self.assertEqual(selection.closed, 2)

    def test_saved_and_restored(self):
        selection = started(asks=9)
        other = infill.Selection.from_bytes(selection.to_bytes(), SPACE, WHEN)
        third = pickle.loads(pickle.dumps(selection))
        for _ in range(4):
            trials = [s.ask() for s in (selection, other, third)]
            self.assertTrue(trials[0].x == trials[1].x == trials[2].x)
            for s, trial in zip((selection, other, third), trials):
                s.tell(trial, loss(trial.x))
        with self.assertRaises(infill.Error) as caught:
            infill.Selection.from_bytes(selection.to_bytes(), {"x": (0.0, 1.0)})
        self.assertEqual(caught.exception.name, "ERROR_DIMENSIONS")
        with self.assertRaises(infill.Error) as caught:
            infill.Selection.from_bytes(selection.to_bytes(), SPACE, [])
        self.assertEqual(caught.exception.name, "ERROR_FOREIGN")

    def test_what_is_refused(self):
        def code(**keywords):
            with self.assertRaises(infill.Error) as caught:
                infill.Selection(**dict({"space": SPACE, "parameter": "method", "conditions": WHEN}, **keywords))
            return caught.exception.name

        self.assertEqual(code(parameter="x"), "ERROR_UNSUPPORTED")
        self.assertEqual(code(start=1), "ERROR_CONFIG")
        self.assertEqual(code(strategy="baseline", budget=2), "ERROR_CONFIG")
        self.assertEqual(code(transform="rank"), "ERROR_UNSUPPORTED")
        with self.assertRaises(ValueError):
            infill.Selection(SPACE, "method", "best", conditions=WHEN)
        with self.assertRaises(ValueError):
            infill.Selection(SPACE, "methods", conditions=WHEN)
        with self.assertRaises(infill.Error):
            started(asks=0).best()


if __name__ == "__main__":
    unittest.main()
