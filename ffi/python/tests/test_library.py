"""Where the library is looked for, and what is said if it is not there."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import infill
from infill import _library

PACKAGE = os.path.dirname(os.path.abspath(infill.__file__))
LIBRARY = os.environ.get("INFILL_LIBRARY")


@unittest.skipUnless(LIBRARY, "INFILL_LIBRARY is not set")
class Lookup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copytree(PACKAGE, os.path.join(self.folder, "infill"), ignore=shutil.ignore_patterns("__pycache__", "lib*"))

    def imported(self, **environment):
        """What a fresh interpreter says when it imports the copy."""
        inherited = {name: value for name, value in os.environ.items() if name not in ("INFILL_LIBRARY", "LD_LIBRARY_PATH")}
        environment = dict(inherited, PYTHONPATH=self.folder, PYTHONDONTWRITEBYTECODE="1", **environment)
        command = [sys.executable, "-c", "import infill; print(infill.__file__, infill.__version__)"]
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True)
        return done.returncode == 0, done.stdout + done.stderr

    def put(self, *place):
        shutil.copy(LIBRARY, os.path.join(self.folder, *place))

    def test_named(self):
        found, text = self.imported(INFILL_LIBRARY=LIBRARY)
        self.assertTrue(found, text)
        self.assertIn(infill.__version__, text)
        self.assertIn(self.folder, text)

    def test_beside_the_package(self):
        self.put("infill", _library.NAMES[-1])
        self.assertTrue(*self.imported())

    def test_beside_its_folder(self):
        self.put(_library.NAMES[0])
        self.assertTrue(*self.imported())

    @unittest.skipUnless(sys.platform == "linux", "LD_LIBRARY_PATH is Linux's")
    def test_of_the_system(self):
        os.mkdir(os.path.join(self.folder, "lib"))
        self.put("lib", _library.NAMES[0])
        self.assertTrue(*self.imported(LD_LIBRARY_PATH=os.path.join(self.folder, "lib")))

    def test_one_that_was_named_is_the_only_one(self):
        self.put("infill", _library.NAMES[0])
        found, text = self.imported(INFILL_LIBRARY=os.path.join(self.folder, "missing.so"))
        self.assertFalse(found)
        self.assertIn("ImportError: no libinfill", text)
        self.assertIn("missing.so", text)

    def test_a_file_that_is_no_library(self):
        wrong = os.path.join(self.folder, "text.so")
        with open(wrong, "w") as file:
            file.write("text")
        found, text = self.imported(INFILL_LIBRARY=wrong)
        self.assertFalse(found)
        self.assertIn("ImportError: no libinfill", text)

    def test_another_library(self):
        other = "libm.so.6" if sys.platform == "linux" else "libm"
        found, text = self.imported(INFILL_LIBRARY=other)
        self.assertFalse(found)
        self.assertIn("ImportError: no libinfill", text)

    def test_another_version(self):
        source = os.path.join(self.folder, "infill", "_library.py")
        with open(source) as file:
            text = file.read()
        with open(source, "w") as file:
            file.write(text.replace("VERSION = (0, 1)", "VERSION = (0, 255)"))
        found, text = self.imported(INFILL_LIBRARY=LIBRARY)
        self.assertFalse(found)
        self.assertIn("is of version 0.1, not 0.255", text)
