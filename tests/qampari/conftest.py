"""Fixtures of baselines, for lists that models write."""

from tests.modeling.conftest import models  # noqa: F401
