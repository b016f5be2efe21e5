"""For the whole suite."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.log_secrets import LogSecrets

settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")  # a busy machine is no failure


def pytest_configure(config: pytest.Config) -> None:
    """Every process of the suite watches its own logs."""
    config.pluginmanager.register(LogSecrets(), "log-secrets")
