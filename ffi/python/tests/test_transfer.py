"""What runs on other data sets taught: made, listed, used, refused, saved."""

import math
import os
import pickle
import tempfile

import infill
from infill.transfer import META_FEATURES

from . import Case, told

SPACE = {"x": (0.0, 1.0), "rate": (1e-4, 1.0, "log")}
GRID = [{"x": a / 4, "rate": 10.0 ** -b} for a in range(5) for b in range(5)]


def loss(p, moved=0.0):
    return 3 + (p["x"] - 0.4 - moved) ** 2 + (math.log10(p["rate"]) / 4 + 0.5 + moved) ** 2


def source(moved=0.0, features=None, **settings):
    return infill.Source.from_table(SPACE, GRID, [loss(p, moved) for p in GRID], features, **settings)


class Sources(Case):
    def test_a_source_is_bytes_that_are_checked(self):
        one = source()
        self.assertIsInstance(one, bytes)
        self.assertEqual(repr(one), "<infill.Source of %d bytes>" % len(one))
        self.assertEqual(pickle.loads(pickle.dumps(one)), one)
        self.assertIs(type(pickle.loads(pickle.dumps(one))), infill.Source)
        self.assertEqual(infill.Source(bytes(one)), one)
        self.assertLess(len(one), len(source(features=[1, 2, 3])))
        damaged = bytearray(one)
        damaged[len(one) // 2] ^= 1
        self.refused(infill.ERROR_CORRUPT, infill.Source, damaged)
        self.refused(infill.ERROR_MEMORY, infill.Source, one[:-8])
        self.refused(infill.ERROR_MEMORY, infill.Source, one + b"x")
        self.refused(infill.ERROR_FOREIGN, infill.Source, bytes(64))
        for none in (b"", bytes(one) * 2):
            with self.assertRaises(ValueError):
                infill.Source(none)
        with self.assertRaises(ValueError):
            infill.Source.from_table(SPACE, GRID, [1.0])
        self.refused(infill.ERROR_NO_DATA, infill.Source.from_table, SPACE, [], [])
        self.refused(infill.ERROR_NOT_FINITE, source, features=[math.nan])

    def test_a_run_teaches_the_next(self):
        earlier = infill.Optimizer(SPACE, 30, seed=1)
        told(earlier, loss, 14)
        before = earlier.to_bytes()
        means, full = earlier.source(), earlier.source(form="full")
        self.assertLess(len(means), len(full))
        self.assertEqual(earlier.to_bytes(), before)
        with self.assertRaises(ValueError):
            earlier.source(form="half")
        for settings in ({}, {"transfer_how": "stage"}, {"transfer_how": "value", "transfer_start": "learnt"}):
            later = infill.Optimizer(SPACE, 20, seed=2, sources=[means, full], **settings)
            trial = later.ask()
            self.assertEqual(trial.origin, "source")
            self.assertLess(loss(trial.x), 3.05)

    def test_the_whole_loop(self):
        sources = [source(0.01), source(-0.02), source(0.03)]
        with_help = infill.minimize(loss, SPACE, 6, seed=1, sources=sources)
        alone = infill.minimize(loss, SPACE, 6, seed=1)
        self.assertLess(with_help.value, alone.value)
        self.assertEqual(with_help.optimizer.sources, tuple(sources))
        self.assertIsInstance(with_help.optimizer.source(), infill.Source)
        # None are none, to the bit.
        self.assertEqual(infill.minimize(loss, SPACE, 6, seed=1, sources=[]).x, alone.x)

    def test_looks_are_at_the_model_that_asks(self):
        sources = [source(0.01), source(-0.02)]
        for settings in ({}, {"transfer_how": "stage"}):
            optimizer = infill.Optimizer(SPACE, 20, seed=2, sources=sources, **settings)
            plain = infill.Optimizer(SPACE, 20, seed=2, limits={"sources": 2}, **settings)
            for one in (optimizer, plain):
                self.refused(infill.ERROR_NO_DATA, one.predict, GRID[0])
                for x in GRID[::5]:
                    one.observe(x, loss(x))
            at = GRID[1]
            alone, helped = plain.predict(at), optimizer.predict(at)
            self.assertNotEqual(alone.mean, helped.mean)
            self.assertEqual(plain.predict(at, sources=sources), helped)
            self.assertEqual(optimizer.predict(at, sources=()), alone)
            self.assertEqual(optimizer.recommend(sources=()), plain.recommend())
            recommended = optimizer.recommend()
            self.assertEqual(plain.recommend(sources=sources), recommended)
            self.assertEqual(optimizer.predict(recommended.x).mean, recommended.mean)
            self.assertEqual(min(optimizer.predict(x).mean for x in GRID[::5]), recommended.mean)
            for look in (optimizer.recommend, lambda **given: optimizer.predict(at, **given)):
                self.refused(infill.ERROR_LIMITS, look, sources=sources * 2)
                self.refused(infill.ERROR_FOREIGN, look, sources=[source(scalar="f32")])

    def test_choices_that_need_more_room(self):
        more = (
            {"structure": "sum"},
            {"search_method": "smac"},
            {"warp": "beta"},
            {"search_method": "evolution", "transfer_how": "stage"},
            {"transfer_start": "adaptive", "structure": "sum"},
            {"transfer_keep": 0.5, "transfer_how": "stage", "search_method": "smac"},
        )
        for settings in more:
            optimizer = infill.Optimizer(SPACE, 10, sources=[source()], **settings)
            told(optimizer, loss, 6)
            self.assertEqual((optimizer.trials()[0].value < 3.05, optimizer.closed), (True, 6), settings)

    def test_features(self):
        settings = {"seed": 3, "transfer_start": "nearest", "transfer_trials": 1}
        sources = [source(0.0, [1.0, 1.0]), source(0.2, [5.0, 5.0])]
        near, far = (
            infill.Optimizer(SPACE, 10, sources=sources, features=features, **settings).ask().x
            for features in ([1.0, 1.1], [5.0, 4.9])
        )
        self.assertLess(loss(near), loss(near, 0.2))
        self.assertLess(loss(far, 0.2), loss(far))
        self.refused(infill.ERROR_SHAPE, infill.Optimizer(SPACE, 10, sources=sources, **settings).ask)
        optimizer = infill.Optimizer(SPACE, 10, limits={"sources": 2}, **settings)
        self.assertEqual(optimizer.ask(sources=sources, features=[1.0, 1.1]).x, near)
        with self.assertRaises(TypeError):
            optimizer.ask(sources=sources, features=["a"])

    def test_lists_are_replaced_up_to_the_limit(self):
        optimizer = infill.Optimizer(SPACE, 10, sources=[source()], limits={"sources": 2})
        optimizer.sources = [source(), bytes(source(0.1))]
        self.assertEqual([type(one) for one in optimizer.sources], [infill.Source] * 2)
        self.assertEqual(optimizer.ask().origin, "source")
        optimizer.sources = [source()] * 3
        self.refused(infill.ERROR_LIMITS, optimizer.ask)
        self.refused(infill.ERROR_FOREIGN, optimizer.ask, sources=[source(scalar="f32")])
        other = infill.Source.from_table({"x": (0.0, 2.0)}, [{"x": 0.5}, {"x": 1.0}], [1.0, 2.0])
        self.refused(infill.ERROR_FOREIGN, optimizer.ask, sources=[other])
        with self.assertRaises(TypeError):
            optimizer.sources = source()
        self.assertEqual(optimizer.ask(sources=()).origin, "design")

    def test_saved_restored_copied(self):
        sources, features = [source(0.0, [1.0])], [1.0]
        optimizer = infill.Optimizer(SPACE, 12, seed=4, sources=sources, features=features)
        told(optimizer, loss, 3)
        copies = [optimizer.clone(), pickle.loads(pickle.dumps(optimizer))]
        copies.append(infill.Optimizer.from_bytes(optimizer.to_bytes(), SPACE, sources=sources, features=features))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run")
            optimizer.save(path)
            copies.append(infill.Optimizer.load(path, SPACE, sources=sources))
        bare = infill.Optimizer.from_bytes(optimizer.to_bytes(), SPACE)
        self.assertEqual(bare.sources, ())
        expected = optimizer.ask().x
        for copy in copies:
            self.assertEqual(copy.ask().x, expected)
        bare.sources = sources
        self.assertEqual(bare.ask().x, expected)

    def test_meta_features(self):
        columns = [[1.0, 2.0, 3.0, 6.0], [2.0, 4.0, 4.0, 10.0]]
        named, numbered = (infill.meta_features(columns, labels) for labels in (["a", "a", "b", "c"], [7, 7, 0, 3]))
        self.assertEqual(named, numbered)
        self.assertEqual((len(named), named[0], named[1], named[3]), (META_FEATURES, 3, 4, 2))
        with self.assertRaises(ValueError):
            infill.meta_features([[1.0]], ["a", "b"])
        self.refused(infill.ERROR_NO_DATA, infill.meta_features, [], [])
        self.refused(infill.ERROR_NOT_FINITE, infill.meta_features, [[math.inf]], [1])
