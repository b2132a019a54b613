"""What the tests of the package share: ``python3 -m unittest tests.test_race`` runs one file of them."""

import unittest

import infill


class Case(unittest.TestCase):
    """A test that knows what the library refuses."""

    def refused(self, code, call, *arguments, **keywords):
        """Asserts that the library refuses a call with this code; gives the error."""
        with self.assertRaises(infill.Error) as caught:
            call(*arguments, **keywords)
        self.assertEqual(caught.exception.code, code)
        return caught.exception


def told(optimizer, loss, asks):
    """Asks and tells so many times; gives the points."""
    seen = []
    for _ in range(asks):
        trial = optimizer.ask()
        optimizer.tell(trial, loss(trial.x))
        seen.append(trial.x)
    return seen
