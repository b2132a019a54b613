"""Methods without a model: each by its word, behind the same ask and tell."""

import math

import infill

from . import Case, told

SPACE = {"x": (-5.0, 10.0), "n": (1, 64, "log"), "kind": ["a", "b", "c"]}
METHODS = ("random", "grid", "sobol", "anneal", "parzen", "cma_es", "mi_es")


def loss(p):
    return (p["x"] - 2) ** 2 + (p["n"] - 7) ** 2 / 50 + "abc".index(p["kind"])


class Free(Case):
    def test_each(self):
        for method in METHODS:
            for scalar in ("f64", "f32"):
                with self.subTest(method=method, scalar=scalar):
                    optimizer = infill.Optimizer(SPACE, 60, seed=3, scalar=scalar, model=method)
                    opened = [optimizer.ask() for _ in range(3)]
                    for number in range(45):
                        trial = opened.pop(number % 3)
                        self.assertEqual(math.isnan(trial.acquisition), trial.origin != "model")
                        self.assertTrue(trial.origin != "method" or method in ("anneal", "cma_es", "mi_es"))
                        if number % 9 == 4:
                            optimizer.fail(trial)
                        else:
                            optimizer.tell(trial, loss(trial.x))
                        opened.append(optimizer.ask())
                    again = infill.Optimizer.from_bytes(optimizer.to_bytes(), SPACE)
                    self.assertEqual(again.ask().x, optimizer.ask().x)
                    best = optimizer.best()
                    self.assertEqual(optimizer.recommend().x, best.x)
                    self.refused(infill.ERROR_UNSUPPORTED, optimizer.predict, best.x)
                    self.assertLess(best.value, 30)

    def test_minimize(self):
        chance = infill.minimize(loss, SPACE, 80, seed=1, model="random").value
        for method in ("parzen", "anneal"):
            self.assertLess(infill.minimize(loss, SPACE, 80, seed=1, model=method).value, chance, method)

    def test_a_mesh_ends(self):
        optimizer = infill.Optimizer({"x": (0.0, 1.0), "kind": ["a", "b"]}, 20, model="grid", grid_levels=4)
        points = told(optimizer, lambda p: 0.0, 8)
        self.assertEqual(len({(p["x"], p["kind"]) for p in points}), 8)
        self.refused(infill.ERROR_EXHAUSTED, optimizer.ask)

    def test_refused(self):
        for code, wrong in (
            (infill.ERROR_CONFIG, {"model": "parzen", "parzen_share": 2.0}),
            (infill.ERROR_CONFIG, {"model": "mi_es", "evolve_parents": 30}),
            (infill.ERROR_CONFIG, {"model": "anneal", "anneal_cooling": 2.0}),
            (infill.ERROR_UNSUPPORTED, {"model": "parzen", "policy": "thompson"}),
            (infill.ERROR_UNSUPPORTED, {"model": "sobol", "pending": "fantasies"}),
        ):
            with self.subTest(**wrong):
                self.refused(code, infill.Optimizer, SPACE, **wrong)
