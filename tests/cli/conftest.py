"""Commands that run inside the test's process search once for the same answer."""

from tests.kept_answers import answers_are_kept  # noqa: F401  # a fixture for all tests here
