"""Documents in the form of ConfigSpace."""

import json
import math
import unittest

import infill

from . import Case

TEXT = json.dumps(
    {
        "name": "tree",
        "hyperparameters": [
            {"name": "kind", "type": "categorical", "choices": ["forest", "boosted", None], "default_value": "boosted"},
            {"name": "seed", "type": "constant", "value": 42},
            {"name": "trees", "type": "uniform_int", "lower": 1, "upper": 100, "log": True, "default_value": 10},
            {"name": "depth", "type": "ordinal", "sequence": ["low", "high"], "default_value": "low"},
            {"name": "rate", "type": "uniform_float", "lower": 0.5, "upper": 1.5, "log": False, "default_value": 1.0},
        ],
        "conditions": [
            {"child": "rate", "parent": "kind", "type": "EQ", "value": "boosted"},
            {
                "child": "trees",
                "type": "OR",
                "conditions": [
                    {"child": "trees", "parent": "kind", "type": "IN", "values": ["forest", "boosted"]},
                    {"child": "trees", "parent": "depth", "type": "GT", "value": "low"},
                ],
            },
        ],
        "forbiddens": [
            {
                "type": "AND",
                "clauses": [
                    {"type": "EQUALS", "name": "kind", "value": "forest"},
                    {"type": "EQUALS", "name": "depth", "value": "high"},
                ],
            }
        ],
    }
)


@unittest.skipUnless("std" in infill.capabilities(), "skipped: a library without text")
class Documents(Case):
    def test_a_document_becomes_a_space(self):
        space = infill.from_configspace(TEXT)
        self.assertEqual(space.names, ["kind", "depth", "trees", "rate"])
        optimizer = infill.Optimizer(space, trials=20, seed=1)
        for _ in range(20):
            trial = optimizer.ask()
            point = trial.x
            self.assertFalse(point["kind"] == "forest" and point["depth"] == "high")
            self.assertIn(point["depth"], ("low", "high"))
            optimizer.tell(trial, abs(point["rate"] - 0.7) if point["kind"] == "boosted" else 1.0)
        self.assertLess(optimizer.best().value, 0.2)

    def test_points_and_values(self):
        document = infill.Document(TEXT)
        point = document.point({"kind": None, "depth": "low"})
        self.assertEqual(point, [2.0, 0.0, 10.0, 1.0])
        self.assertEqual(document.values(point), {"kind": None, "seed": 42, "depth": "low"})
        vector = document.vector(point)
        self.assertEqual(vector[:2] + vector[3:4], [2.0, 1.0, 0.0])
        self.assertTrue(math.isnan(vector[2]) and math.isnan(vector[4]))
        again = infill.Document(document.text())
        self.assertEqual(again.text(), document.text())

    def test_a_space_becomes_a_document(self):
        space = infill.Space(
            {"kind": ["a", "b"], "x": (0.0, 1.0)},
            [infill.Condition("x", "kind", equals="b")],
        )
        text = infill.to_configspace(space)
        root = json.loads(text)
        self.assertEqual(root["hyperparameters"][0]["choices"], ["a", "b"])
        self.assertEqual(root["conditions"][0]["value"], "b")
        self.assertEqual(repr(infill.from_configspace(text).parameters[0].values), "('a', 'b')")

    def test_what_is_refused(self):
        for text, code in (
            ("[", infill.ERROR_FORMAT),
            ("{}", infill.ERROR_FORMAT),
            (TEXT.replace('"boosted", null', '"boosted", "boosted"'), infill.ERROR_BOUNDS),
            (TEXT.replace('"parent": "depth"', '"parent": "nobody"'), infill.ERROR_CONDITION),
            (TEXT.replace('"name": "depth", "value": "high"', '"name": "nobody", "value": 1'), infill.ERROR_CLAUSE),
        ):
            self.refused(code, infill.Document, text)
        self.assertRaises(TypeError, infill.Document, 3)
