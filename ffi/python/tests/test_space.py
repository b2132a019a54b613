"""Spaces: short forms, points there and back, what is refused."""

import pickle

import infill
from infill.space import parameter

from . import Case, told


class ShortForms(Case):
    def test_kinds(self):
        forms = {
            (0.0, 1): "real(0.0, 1.0)",
            (1, 64): "integer(1, 64)",
            (1, 64, "log"): "integer(1, 64, log=True)",
            (1e-3, 1, "log"): "real(0.001, 1.0, log=True)",
        }
        for spec, text in forms.items():
            self.assertEqual(repr(parameter(spec)), text)
        self.assertEqual(repr(parameter(["a", None])), "choice(['a', None])")
        self.assertEqual(repr(parameter(bool)), "choice([False, True])")
        self.assertEqual(repr(infill.ordinal(range(1, 4))), "ordinal([1, 2, 3])")
        self.assertEqual(repr(infill.ordinal([1, 10], log=True)), "ordinal([1, 10], log=True)")

    def test_what_is_none(self):
        for spec in ((1,), (1, 2, 3), (1, 2, "lin"), "ab", 7, None, (True, False, False), {1: 2}):
            self.assertRaises(ValueError, parameter, spec)
        for spec in (("a", "b"), (None, 1.0), ([], 1.0)):
            self.assertRaises(TypeError, parameter, spec)
        self.assertRaises(ValueError, infill.integer, 0.5, 3)
        self.assertRaises(TypeError, infill.ordinal, ["1", "2"])


class Points(Case):
    def test_there_and_back(self):
        thing = object()
        space = infill.Space({"r": (0.0, 1.0), "i": (1, 9), "o": infill.ordinal([1, 5]), "c": ["a", None, thing]})
        point = {"r": 0.25, "i": 3, "o": 5, "c": thing}
        self.assertEqual(list(space.encode(point)), [0.25, 3.0, 5.0, 2.0])
        back = space.decode(space.encode(point))
        self.assertEqual(back, point)
        self.assertIs(type(back["i"]), int)
        self.assertIs(back["c"], thing)

    def test_values_that_are_equal_but_not_the_same(self):
        space = infill.Space([[0, False, 0.0], bool])
        for index, value in enumerate([0, False, 0.0]):
            self.assertEqual(list(space.encode([value, True])), [index, 1.0])
            self.assertIs(type(space.decode([index, 0.0])[0]), type(value))

    def test_a_level_in_single_precision(self):
        space = infill.Space([infill.ordinal([0.1, 0.2])])
        optimizer = infill.Optimizer(space, scalar="f32", trials=5)
        for x in told(optimizer, lambda x: x[0], 2):
            self.assertIn(x[0], (0.1, 0.2))
        self.assertEqual(optimizer.best().x, [0.1])

    def test_points_that_do_not_fit(self):
        named, listed = infill.Space({"a": (0.0, 1.0), "c": ["x", "y"]}), infill.Space([(0.0, 1.0), ["x", "y"]])
        for point in ({"a": 1.0}, {"a": 1.0, "c": "x", "d": 1}, {"a": 1.0, "c": "z"}):
            self.assertRaises(ValueError, named.encode, point)
        for point in ([1.0], [1.0, "x", 2], [1.0, "z"]):
            self.assertRaises(ValueError, listed.encode, point)
        self.assertRaises(TypeError, named.encode, [1.0, "x"])
        for value in ("1", None, [1.0], 1j):
            self.assertRaises(TypeError, listed.encode, [value, "x"])


class Refused(Case):
    def named(self, code, culprit, space, conditions=()):
        self.assertIn(culprit, str(self.refused(code, infill.Optimizer, space, conditions=conditions)))

    def test_by_the_library_with_the_name_of_the_parameter(self):
        good, nan = (0.0, 1.0), float("nan")
        self.named(infill.ERROR_BOUNDS, "(b)", {"a": good, "b": (1.0, 0.0)})
        self.named(infill.ERROR_BOUNDS, "(b)", {"a": good, "b": (0.0, nan)})
        self.named(infill.ERROR_BOUNDS, "parameter 1", [good, (0.0, 1.0, "log")])
        self.named(infill.ERROR_LEVELS, "(c)", {"c": ["alone"]})
        self.named(infill.ERROR_LEVELS, "(c)", {"a": good, "c": []})
        self.named(infill.ERROR_DIMENSIONS, "", [])
        switch = ["x", "y"]
        self.named(
            infill.ERROR_CONDITION,
            "condition 0",
            {"a": good, "s": switch},
            [infill.Condition("a", "s", equals="x")],
        )
        self.named(
            infill.ERROR_CONDITION,
            "condition 1",
            {"n": (1, 9), "a": good},
            [infill.Condition("a", "n", equals=3), infill.Condition("a", "n", equals=12)],
        )

    def test_conditions_that_make_no_sense(self):
        for settings in ({}, {"equals": 1, "among": [1]}, {"equals": None, "between": (1, 2)}):
            self.assertRaises(ValueError, infill.Condition, "a", "b", **settings)
        for condition in (
            infill.Condition("z", "s", equals="x"),
            infill.Condition("a", "z", equals="x"),
            infill.Condition("a", "s", equals="z"),
            infill.Condition("a", "s", among=["x", "z"]),
        ):
            self.assertRaises(ValueError, infill.Space, {"s": ["x", "y"], "a": (0.0, 1.0)}, [condition])
        self.assertRaises(ValueError, infill.Space, [["x", "y"], (0.0, 1.0)], [infill.Condition(1, -1, equals="x")])


class Conditions(Case):
    def test_every_sort_is_accepted_and_a_space_is_pickled_with_them(self):
        parameters = {"s": ["x", "y", None], "n": (1, 9), "a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)}
        conditions = [
            infill.Condition("a", "s", equals=None),
            infill.Condition("b", "s", among=["x", "y"]),
            infill.Condition("c", "n", between=(2, 5)),
        ]
        space = infill.Space(parameters, conditions)
        again = pickle.loads(pickle.dumps(space))
        loss = lambda x: x["n"] + (x["a"] if x["s"] is None else 2)
        first, second = (told(infill.Optimizer(one, trials=20, seed=3), loss, 12) for one in (space, again))
        self.assertEqual(first, second)

    def test_the_model_does_not_look_at_what_does_not_matter(self):
        space = infill.Space({"s": ["on", "off"], "a": (0.0, 1.0)}, [infill.Condition("a", "s", equals="on")])
        optimizer = infill.Optimizer(space, trials=20)
        for i in range(6):
            optimizer.observe({"s": "on", "a": i / 5}, i)
            optimizer.observe({"s": "off", "a": i / 5}, 3 + i % 2)
        off = [optimizer.predict({"s": "off", "a": a}) for a in (0.1, 0.9)]
        on = [optimizer.predict({"s": "on", "a": a}) for a in (0.1, 0.9)]
        self.assertEqual(off[0], off[1])
        self.assertNotEqual(on[0], on[1])

    def test_alternatives_and_what_is_forbidden(self):
        parameters = {
            "method": ["a", "b", None],
            "depth": infill.integer(1, 9, usual=4),
            "rate": infill.real(0.001, 1.0, log=True, usual=0.1),
        }
        conditions = [
            infill.Condition("depth", "method", among=["b", None]),
            infill.Condition("rate", "method", equals="a"),
            infill.Condition("rate", "depth", between=(5, 9), either=True),
        ]
        forbidden = [
            [infill.Term("method", equals="b"), infill.Term("depth", between=(3, 9))],
            [infill.Term("depth", among=[1, 7])],
        ]
        self.assertEqual(repr(parameters["depth"]), "integer(1, 9, usual=4)")
        for impute in ("centre", "usual", "outside", "scatter"):
            space = infill.Space(parameters, conditions, forbidden, impute=impute)
            again = pickle.loads(pickle.dumps(space))
            optimizer, other = (infill.Optimizer(one, trials=20, seed=3) for one in (space, again))
            seen = told(optimizer, lambda x: x["rate"], 10)
            self.assertEqual(seen, told(other, lambda x: x["rate"], 10))
            for x in seen:
                deep = x["method"] != "a"
                self.assertFalse(x["method"] == "b" and x["depth"] >= 3)
                self.assertFalse(deep and x["depth"] in (1, 7))
                if not deep and impute in ("usual", "outside"):
                    self.assertEqual(x["depth"], 4)
            for one in (optimizer, other):
                self.refused(infill.ERROR_FORBIDDEN, one.observe, {"method": "b", "depth": 5, "rate": 0.5}, 1.0)

    def test_spaces_that_are_refused(self):
        given = {"s": ["x", "y"], "a": (0.0, 1.0)}
        cases = [
            (infill.ERROR_CLAUSE, "forbidden clause 1", [[infill.Term("s", equals="x")], [infill.Term("a", between=(2, 3))]]),
            (infill.ERROR_INFEASIBLE, "", [[infill.Term("s", among=["x", "y"])]]),
        ]
        for code, culprit, forbidden in cases:
            error = self.refused(code, lambda: infill.Optimizer(infill.Space(given, forbidden=forbidden)))
            self.assertIn(culprit, str(error))
        self.refused(infill.ERROR_OUT_OF_RANGE, infill.Space, [infill.integer(0, 5, usual=7)])
        contradictory = [infill.Condition("a", "s", equals="x"), infill.Condition("a", "s", equals="y")]
        self.refused(infill.ERROR_CONDITION, infill.Space, given, contradictory)
        for wrong in ({"impute": "none"}, {"forbidden": [[]]}, {"forbidden": [[infill.Term("z", equals=1)]]}):
            self.assertRaises(ValueError, infill.Space, given, **wrong)
        self.assertRaises(ValueError, infill.choice, ["x", "y"], usual="z")
