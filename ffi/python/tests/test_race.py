"""Races, and comparisons against published numbers."""

import math
import pickle
import random

import infill
from infill import compare

from . import Case


class Races(Case):
    def test_the_best_wins(self):
        for scalar in ("f64", "f32"):
            noise = random.Random(1)
            race = infill.Race(configs=8, runs=300, scalar=scalar, seed=2)
            for config in range(8):
                race.challenge(config)
            for run in race:
                race.tell(run, abs(run.config - 5) + noise.gauss(0, 0.3))
                if len(race) == 100:
                    race = self.kept(race)
                    break
            for run in race:
                race.tell(run, abs(run.config - 5) + noise.gauss(0, 0.3))
            self.assertEqual((race.incumbent, len(race)), (5, 300))
            self.assertEqual(len(race.records()), 300)
            self.assertLess(abs(race.cost(5)), 0.2)
            self.assertIsNone(race.cost(99))
            self.assertGreater(race.runs(5), race.runs(0))

    def kept(self, race):
        copy = pickle.loads(pickle.dumps(race))
        self.assertEqual(copy.save(), race.save())
        return copy

    def test_caps_crashes_and_rounds(self):
        race = infill.Race(configs=3, runs=50, cap=100.0, slack=1.5, again=0, instances=2)
        self.assertIsNone(race.incumbent)
        for config in range(3):
            race.challenge(config)
        race.begin(4)
        for run in race:
            self.assertIn(run.instance, (0, 1))
            if run.config == 1:
                self.assertEqual(run.cap, 6.0)
                race.capped(run)
            else:
                race.tell(run, 4.0 if run.config == 0 else None)
        self.assertTrue(race.over)
        self.assertEqual((race.incumbent, race.cost(1), race.cost(2)), (0, 60.0, 1000.0))
        self.assertEqual([r.config for r in race.records() if r.capped], [1])
        median = infill.Race(configs=2, runs=9, statistic="quantile", quantile=0.25)
        median.challenge(4)
        run = median.ask()
        median.forget(run)
        self.refused(infill.ERROR_STALE_TRIAL, median.tell, run, 1.0)
        median.tell(median.ask(), math.inf)
        self.assertEqual(median.cost(4), math.inf)

    def test_iterated(self):
        space = {"x": (0.0, 1.0), "y": (0.0, 1.0), "method": ["a", "b", "c"]}
        for scalar in ("f64", "f32"):
            noise = random.Random(3)
            race = infill.FRace(space, budget=400, scalar=scalar, instances=2)
            self.assertIsNone(race.best())
            race.forget(race.ask())
            runs = 0
            for run in race:
                loss = abs(run.x["x"] - 0.5) + abs(run.x["y"] - 0.25) + "abc".index(run.x["method"])
                race.tell(run, None if runs == 7 else loss + noise.gauss(0, 0.01))
                runs += 1
                if runs == 90:
                    break
            race = infill.FRace.restore(space, race.save())
            for run in race:
                loss = abs(run.x["x"] - 0.5) + abs(run.x["y"] - 0.25) + "abc".index(run.x["method"])
                race.tell(run.id, loss + noise.gauss(0, 0.01))
            best = race.best()
            self.assertEqual(best["method"], "a")
            self.assertLess(abs(best["x"] - 0.5) + abs(best["y"] - 0.25), 0.4)
        spent = {}
        for elitist in (1, 0):
            for slack in (1.0, math.inf):
                race, spent[elitist, slack] = infill.FRace(space, 400, elitist=elitist, cap=9.0, slack=slack), 0
                for run in race:
                    time = 0.1 + 20 * abs(run.x["x"] - 0.5) + "abc".index(run.x["method"])
                    spent[elitist, slack] += min(time, run.cap)
                    if time > run.cap:
                        race.capped(run)
                    else:
                        race.tell(run, time)
                self.assertLess(abs(race.best()["x"] - 0.5), 0.2)
            self.assertLess(spent[elitist, 1.0], spent[elitist, math.inf])
        plain = infill.FRace(space, elitist=0)
        self.assertGreater(len(infill.FRace(space).save()), len(plain.save()))
        self.assertRaises(infill.Error, plain.capped, plain.ask())
        for bad in ({"elitist": 2}, {"cap": 0}, {"penalty": 0.5}, {"slack": 0.5}, {"budget": 10}):
            self.assertRaises(infill.Error, infill.FRace, space, **bad)
        self.assertRaises(TypeError, infill.FRace, space, nonsense=1)

    def test_bad_input(self):
        self.assertRaises(TypeError, infill.Race, nonsense=1)
        self.assertRaises(infill.Error, infill.Race, configs=0)
        self.assertRaises(infill.Error, infill.Race, penalty=0.5)
        self.assertRaises(infill.Error, infill.Race.restore, b"nonsense" * 40)
        self.refused(infill.ERROR_EXHAUSTED, infill.Race().ask)
        self.assertIn("0 runs", repr(infill.Race()))


class Comparisons(Case):
    # Four methods on 18 data sets (Lévesque, thesis, 2018, table 4.4), in hundredths.
    METHODS = {
        "BO-best": [1552, 1067, 127, 1686, 245, 1249, 29, 306, 2552, 443, 647, 2320, 357, 10, 2391, 309, 2059, 3528],
        "BO-post": [1538, 1071, 156, 1672, 250, 1221, 28, 301, 2565, 437, 647, 2345, 294, 8, 2258, 317, 2059, 3509],
        "EO-post": [1527, 1060, 95, 1508, 236, 1221, 28, 297, 2403, 440, 636, 2340, 255, 9, 2263, 269, 2057, 3370],
        "EO": [1539, 1044, 81, 1506, 234, 1218, 30, 314, 2370, 458, 645, 2305, 273, 9, 2261, 251, 2027, 3329],
    }

    def test_published_numbers(self):
        rows = list(zip(*self.METHODS.values()))
        ranks = compare.ranks(rows)
        for rank, expected in zip(ranks, (3.389, 2.833, 1.917, 1.861)):
            self.assertAlmostEqual(rank, expected, delta=6e-4)
        for rank, rate, net in zip(ranks, compare.win_rates(rows), compare.net_wins(rows)):
            self.assertAlmostEqual(rank, 0.5 + 4 * (1 - rate), delta=1e-12)
            self.assertAlmostEqual(rank, 2.5 - sum(net) / 36, delta=1e-12)
        test = compare.friedman(rows)
        self.assertAlmostEqual(test.chi_squared, 17.817, delta=6e-4)
        self.assertAlmostEqual(test.p, 4.80e-4, delta=6e-7)
        self.assertAlmostEqual(test.corrected_p, 3.77e-4, delta=6e-7)
        self.assertEqual((test.freedom, test.below), (3, 51))
        pair = compare.wilcoxon(self.METHODS["BO-best"], self.METHODS["BO-post"])
        self.assertAlmostEqual(pair.approximate, 0.3131, delta=6e-5)
        self.assertFalse(pair.exact)
        # All of five positive: 2/2⁵.
        self.assertEqual(compare.wilcoxon([1, 2, 3, 4, 5], [0] * 5).p, 2 / 32)
        for k, n, expected in ((4, 18, 1.106), (8, 18, 2.475), (11, 24, 3.082), (16, 14, 6.165)):
            self.assertAlmostEqual(compare.critical_difference(k, n), expected, delta=6e-4)
        text = compare.diagram(self.METHODS, ranks, compare.critical_difference(4, 18), width=40)
        self.assertIn("3.389 BO-best", text)
        self.assertEqual(len(text.splitlines()), 9)

    def test_bad_input(self):
        self.assertRaises(ValueError, compare.ranks, [[1.0, 2.0], [1.0]])
        self.assertRaises(ValueError, compare.wilcoxon, [1.0], [1.0, 2.0])
        self.assertRaises(ValueError, compare.diagram, ["a"], [1.0, 2.0], 1.0)
        for rows, code in (([], infill.ERROR_NO_DATA), ([[1.0]], infill.ERROR_NO_DATA)):
            self.refused(code, compare.ranks, rows)
        self.assertRaises(infill.Error, compare.ranks, [[1.0, math.nan]])
        self.assertRaises(infill.Error, compare.diagram, ["a", "b"], [1.0, 2.0], 1.0, width=3)
