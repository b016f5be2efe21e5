"""For the whole suite."""

from __future__ import annotations

import pytest

from tests.log_secrets import LogSecrets


def pytest_configure(config: pytest.Config) -> None:
    """Every process of the suite watches its own logs."""
    config.pluginmanager.register(LogSecrets(), "log-secrets")
