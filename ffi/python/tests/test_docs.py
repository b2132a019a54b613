"""The examples in comments, in README.md and in ffi/examples run; the sources are those of Python 3.9."""

import ast
import contextlib
import doctest
import glob
import importlib
import io
import os
import re
import runpy
import tempfile
import unittest

import infill

PACKAGE = os.path.dirname(os.path.abspath(infill.__file__))
ROOT = os.path.dirname(PACKAGE)
MODULES = [os.path.basename(path)[:-3] for path in sorted(glob.glob(os.path.join(PACKAGE, "*.py")))]


def load_tests(loader, tests, pattern):
    for name in MODULES:
        module = infill if name == "__init__" else importlib.import_module("infill." + name)
        tests.addTests(doctest.DocTestSuite(module))
    return tests


class Examples(unittest.TestCase):
    def test_readme(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
        self.assertEqual(len(blocks), 5)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            os.chdir(folder)
            try:
                exec("\n".join(blocks), {})
            finally:
                os.chdir(before)
        self.assertIn("'method': 'sgd'", out.getvalue())

    def test_examples(self):
        for name, says in (("minimize", "of 60 evaluations"), ("transfer", "3 sources in ")):
            path = os.path.join(ROOT, "..", "examples", name + ".py")
            with contextlib.redirect_stdout(io.StringIO()) as out:
                runpy.run_path(path, run_name="__main__")
            self.assertIn(says, out.getvalue())

    def test_sources_are_those_of_python_3_9(self):
        for path in glob.glob(os.path.join(PACKAGE, "*.py")):
            with open(path, encoding="utf-8") as file:
                ast.parse(file.read(), path, feature_version=(3, 9))
