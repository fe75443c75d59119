"""The plugin of pytest, which its entry point pytest11 names."""

from __future__ import annotations

from typing import Callable

import pytest


@pytest.fixture(scope="session")
def assert_portable() -> Callable[..., None]:
    """Fails the test with the findings unless every target accepts the tools: assert_portable(tools, targets=...)."""
    from . import assert_portable  # only tests that use it load the library

    return assert_portable
