"""Shared by all tests."""

import pytest

# The conformance suites are shipped in the package; their assertions should explain themselves too.
pytest.register_assert_rewrite("goatherd.testing.suites")
