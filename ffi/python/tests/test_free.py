"""Methods without a model: each by its word, behind the same ask and tell."""

import math
import unittest

import infill

SPACE = {"x": (-5.0, 10.0), "n": (1, 64, "log"), "kind": ["a", "b", "c"]}
METHODS = ("random", "grid", "sobol", "anneal", "parzen", "cma_es", "mi_es")


def loss(p):
    return (p["x"] - 2) ** 2 + (p["n"] - 7) ** 2 / 50 + "abc".index(p["kind"])


class Free(unittest.TestCase):
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
                    with self.assertRaises(infill.Error) as caught:
                        optimizer.predict(best.x)
                    self.assertEqual(caught.exception.code, infill.ERROR_UNSUPPORTED)
                    self.assertLess(best.value, 30)

    def test_minimize(self):
        chance = infill.minimize(loss, SPACE, 80, seed=1, model="random").value
        for method in ("parzen", "anneal"):
            self.assertLess(infill.minimize(loss, SPACE, 80, seed=1, model=method).value, chance, method)

    def test_a_mesh_ends(self):
        optimizer = infill.Optimizer({"x": (0.0, 1.0), "kind": ["a", "b"]}, 20, model="grid", grid_levels=4)
        points = set()
        for _ in range(8):
            trial = optimizer.ask()
            points.add((trial.x["x"], trial.x["kind"]))
            optimizer.tell(trial, 0.0)
        self.assertEqual(len(points), 8)
        with self.assertRaises(infill.Error) as caught:
            optimizer.ask()
        self.assertEqual(caught.exception.code, infill.ERROR_EXHAUSTED)

    def test_refused(self):
        for code, wrong in (
            (infill.ERROR_CONFIG, {"model": "parzen", "parzen_share": 2.0}),
            (infill.ERROR_CONFIG, {"model": "mi_es", "evolve_parents": 30}),
            (infill.ERROR_CONFIG, {"model": "anneal", "anneal_cooling": 2.0}),
            (infill.ERROR_UNSUPPORTED, {"model": "parzen", "policy": "thompson"}),
            (infill.ERROR_UNSUPPORTED, {"model": "sobol", "pending": "fantasies"}),
        ):
            with self.subTest(**wrong), self.assertRaises(infill.Error) as caught:
                infill.Optimizer(SPACE, **wrong)
            self.assertEqual(caught.exception.code, code)


if __name__ == "__main__":
    unittest.main()
