"""The engine that the functions of the module share."""

from __future__ import annotations

from ._client import Toolproof

shared = Toolproof()  # whose process starts with the first request

hello = shared.hello
check = shared.check
advise = shared.advise
explain_error = shared.explain_error
normalize = shared.normalize
