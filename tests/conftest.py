"""Shared by all tests."""

import pytest
from hypothesis import HealthCheck, settings

# The conformance suites are shipped in the package; their assertions should explain themselves too.
pytest.register_assert_rewrite("goatherd.testing.suites")

# A busy machine is no failure: no property here is about time.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
