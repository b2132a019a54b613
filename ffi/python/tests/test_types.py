"""What type checkers see is what is there: keywords, words, functions."""

import ast
import importlib.util
import inspect
import os
import subprocess
import sys
import tempfile
import typing
import unittest

import infill
from infill import _abi, _keywords, calls

PACKAGE = os.path.dirname(os.path.abspath(infill.__file__))
#: The keywords that are no numbers of the structure.
OTHERS = {"Config": {"kernel", "limits", "preset"}, "GpConfig": {"kernel"}, "GpuOptions": {"name"}}
#: Those that have a parameter of their own.
APART = {"RaceRules": {"configs", "runs"}, "FracePlan": {"budget"}}
PROGRAM = """
import infill

optimizer = infill.Optimizer({"x": (0.0, 1.0)}, trials=10, seed=1, model="random_forest", limits={"trees": 8})
%s
"""


def keywords():
    """The generated classes of keywords, by the names of their structures."""
    return {name[: -len("Keywords")]: kind for name, kind in vars(_keywords).items() if name.endswith("Keywords")}


class Types(unittest.TestCase):
    def test_keywords_are_the_settings(self):
        self.assertGreaterEqual(set(keywords()), {"Config", "Limits", "Training", "RaceRules", "FracePlan"})
        for name, kind in keywords().items():
            structure = getattr(_abi, name)
            hints = kind.__annotations__
            settings = {field for field, hint in structure.__annotations__.items() if hint in (int, float)}
            settings = {field for field in settings if field != "size" and not field.endswith("reserved")}
            self.assertEqual(set(hints), settings - APART.get(name, set()) | OTHERS.get(name, set()), name)
            for field, hint in typing.get_type_hints(kind, localns={"Kernel": infill.Kernel}).items():
                words = _abi.WORDS.get(structure, {}).get(field)
                expected = None if words is None else {word.lower() for word in words}
                self.assertEqual(set(typing.get_args(hint)) or None, expected, field)

    def test_every_keyword_is_taken(self):
        space = [(0.0, 1.0)]
        config = _abi.Config()
        _abi.lib.config_default(config, _abi.ctypes.sizeof(config))
        for field in keywords()["Config"].__annotations__:
            words = _abi.WORDS[_abi.Config].get(field)
            if field in OTHERS["Config"]:
                continue
            value = getattr(config, field)
            value = next(word for word, number in words.items() if number == value).lower() if words else value
            self.assertEqual(len(infill.Optimizer(space, 5, **{field: value}).space), 1, field)

    def test_every_call_is_that_of_a_function(self):
        for name, kind in inspect.getmembers(calls, inspect.isclass):
            for method in vars(kind).values() if kind.__module__ == "infill.calls" else ():
                function = method.fget if isinstance(method, property) else method
                if inspect.isfunction(function):
                    self.assertIn("return", function.__annotations__, name)
                    self.assertTrue(function.__doc__, name)

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "py.typed")))
        for name in ("_header.py", "_keywords.py", "_statuses.py", "calls.py"):
            with open(os.path.join(PACKAGE, name), encoding="utf-8") as file:
                text = file.read()
            ast.parse(text, name, feature_version=(3, 9))
            self.assertLessEqual(max(map(len, text.split("\n"))), 130, name)

    def test_mypy_knows_the_keywords(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("mypy is not installed: the types were not checked by it")
        with tempfile.TemporaryDirectory() as folder:
            for line, fine in (("optimizer.relearn()", True), ("assert infill.ERROR_FULL < 0", True), ("infill.Optimizer({}, modle=1)", False)):
                path = os.path.join(folder, "program.py")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(PROGRAM % line)
                environment = dict(os.environ, MYPYPATH=os.path.dirname(PACKAGE))
                command = [sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir", folder, path]
                done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode == 0, fine, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
