"""Proves that LLM providers accept your tools, and rewrites those that they refuse.

The functions of this module share one process of the program toolproof, which starts with the first
call. A Toolproof is a process of its own.
"""

from __future__ import annotations

from ._client import Normalized, Targets, Toolproof
from ._errors import ProcessError, ToolproofError
from ._portable import assert_portable, findings
from ._shared import advise, check, explain_error, hello, normalize
from ._tools import Tools
from ._types import (
    Answer,
    Change,
    CheckResult,
    Counts,
    ExplainedRule,
    ExplainErrorResult,
    Finding,
    HelloResult,
    Line,
    NormalizedAnswer,
    NormalizedTool,
    Problem,
    RestoreResult,
    Summary,
    Target,
)

__all__ = [
    "Answer",
    "Change",
    "CheckResult",
    "Counts",
    "ExplainErrorResult",
    "ExplainedRule",
    "Finding",
    "HelloResult",
    "Line",
    "Normalized",
    "NormalizedAnswer",
    "NormalizedTool",
    "Problem",
    "ProcessError",
    "RestoreResult",
    "Summary",
    "Target",
    "Targets",
    "Toolproof",
    "ToolproofError",
    "Tools",
    "advise",
    "assert_portable",
    "check",
    "explain_error",
    "findings",
    "hello",
    "normalize",
]
