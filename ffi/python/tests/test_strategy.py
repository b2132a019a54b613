"""A model for each value of a category: every call, what it refuses, saving."""

import pickle

import infill

from . import Case, told

SPACE = {"method": ["a", "b", "none"], "x": (0.0, 1.0), "k": (1, 9)}
WHEN = [infill.Condition("x", "method", equals="a"), infill.Condition("k", "method", equals="b")]


def loss(p):
    return {"a": 0.5 + (p["x"] - 0.3) ** 2, "b": (p["k"] - 7) ** 2 / 10, "none": 3.0}[p["method"]]


def started(strategy="single", asks=16, **settings):
    own = {"strategy": strategy, "strategy_parameter": "method", "strategy_start": 3, "start": 3}
    optimizer = infill.Optimizer(SPACE, 40, seed=5, conditions=WHEN, **dict(own, **settings))
    told(optimizer, loss, asks)
    return optimizer


class Selecting(Case):
    def test_every_strategy(self):
        for strategy, more in (("impute", {}), ("single", {}), ("whole", {}), ("baseline", {"strategy_budget": 40})):
            optimizer = started(strategy, **more)
            self.assertEqual((optimizer.closed, optimizer.remaining), (16, 24))
            self.assertEqual(optimizer.best().value, min(record.value for record in optimizer.trials("done")))
            self.assertEqual([record.sequence for record in optimizer.trials()], list(range(1, 17)))
            if strategy != "impute":
                # A branch without parameters is evaluated once.
                self.assertEqual(sum(record.x["method"] == "none" for record in optimizer.trials()), 1)
            self.assertGreaterEqual(optimizer.recommend().deviation, 0)
            self.assertGreaterEqual(optimizer.predict(optimizer.best().x).variance, 0)
            self.assertIn("16 of 16 trials closed", repr(optimizer))

    def test_the_best_is_found(self):
        optimizer = started(asks=24)
        self.assertEqual((optimizer.best().x["method"], optimizer.best().x["k"]), ("b", 7))

    def test_queue_failures_and_observations(self):
        optimizer = started(asks=0)
        point = {"method": "a", "x": 0.25, "k": 1}
        optimizer.forget(optimizer.enqueue(point))
        queued = optimizer.enqueue(point)
        trial = optimizer.ask()
        self.assertEqual((trial.id, trial.origin, trial.x["x"]), (queued, "queue", 0.25))
        optimizer.tell(trial, float("nan"))
        optimizer.observe(dict(point, x=0.75), 2.0)
        self.assertEqual([record.state for record in optimizer.trials()], ["failed", "done"])
        self.assertEqual(optimizer.closed, 2)

    def test_saved_and_restored(self):
        optimizer = started(asks=9)
        other = infill.Optimizer.from_bytes(optimizer.to_bytes(), SPACE, WHEN)
        third = pickle.loads(pickle.dumps(optimizer))
        for _ in range(4):
            trials = [s.ask() for s in (optimizer, other, third)]
            self.assertTrue(trials[0].x == trials[1].x == trials[2].x)
            for s, trial in zip((optimizer, other, third), trials):
                s.tell(trial, loss(trial.x))
        saved = optimizer.to_bytes()
        self.refused(infill.ERROR_SPACE, infill.Optimizer.from_bytes, saved, {"x": (0.0, 1.0)})
        self.refused(infill.ERROR_SPACE, infill.Optimizer.from_bytes, saved, SPACE, [])

    def test_what_is_refused(self):
        self.refused(infill.ERROR_UNSUPPORTED, started, strategy_parameter="x")
        self.refused(infill.ERROR_CONFIG, started, strategy_start=1)
        self.refused(infill.ERROR_CONFIG, started, strategy="baseline", strategy_budget=2)
        self.refused(infill.ERROR_UNSUPPORTED, started, targets="rank")
        self.assertRaises(ValueError, started, "best")
        self.assertRaises(ValueError, started, strategy_parameter="methods")
        self.refused(infill.ERROR_NO_DATA, started(asks=0).best)
