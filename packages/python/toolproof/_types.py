"""The results, as docs/schema/rpc.schema.json and docs/schema/result.schema.json describe them.

Of each type, the members of the base class are always there, and the others may be left out.
"""

from __future__ import annotations

from typing import Any, Dict, List, TypedDict


class Target(TypedDict):
    name: str
    dialect: str
    doc: str
    normalizes: bool
    answers: bool


class HelloResult(TypedDict):
    protocol: int
    version: str
    targets: List[Target]


# One of its members is called from, which is a keyword of Python.
_Change = TypedDict("_Change", {"rule": str, "from": str, "at": str, "loss": str, "restored": bool})


class Change(_Change, total=False):
    remains: str
    before: Any
    after: Any
    loses: str
    generator: str
    then: bool


class _Finding(TypedDict):
    rule: str
    severity: str
    message: str
    at: str
    line: int
    col: int


class Finding(_Finding, total=False):
    also: List[str]
    grave: bool
    surface: str
    behind: bool
    lost: int
    until: str
    about: str
    instead: str
    answers: List[Change]
    sent_as: str
    rewritten_for: str
    not_strict: str
    level: str
    waived: Dict[str, str]


class _Answer(TypedDict):
    verdict: str
    evidence: str
    findings: List[Finding]


class Answer(_Answer, total=False):
    ignored: List[Finding]
    seen: Dict[str, Any]
    request: Dict[str, Any]


class _NormalizedAnswer(Answer):
    tool: Dict[str, Any]
    strict: bool
    fallback: str
    loss: str
    changes: List[Change]


class NormalizedAnswer(_NormalizedAnswer, total=False):
    cut: bool
    more: int


class _Counts(TypedDict):
    raw_accepted: int
    raw_rejected: int
    accepted: int
    rejected: int
    fallbacks: int
    exact: int
    widens: int
    narrows: int
    both: int
    passed: int
    known: int
    failed: int
    inconclusive: int
    errors: int


class Counts(_Counts, total=False):
    closes: int
    widens_closes: int
    excused: int
    as_given: int
    raw_ignored: int
    ignored: int


class _Summary(TypedDict):
    tools: int
    read: int
    judged: int
    targets: Dict[str, Counts]
    evidence: Dict[str, int]
    conforms: bool


class Summary(_Summary, total=False):
    shard: str
    shown: Dict[str, Dict[str, List[str]]]
    conversations: int
    calls: int
    servers: Dict[str, Any]
    seen: Dict[str, Any]
    requests_refused: int
    not_judged: Dict[str, Any]
    requirements: str
    waived: int
    warnings: int
    advice: Dict[str, Any]
    ignores: List[Dict[str, Any]]
    recordings: int
    disagreements: int


class _Line(TypedDict):
    version: int


class Line(_Line, total=False):
    """The judgement of a tool for a target, the advice on a tool or, as the last line, the summary."""

    summary: Summary
    id: str
    tool: str
    source: str
    line: int
    target: str
    dialect: str
    fixture: str
    side: str
    normalizer: str
    subject: str
    arguments: str
    how: str
    took_ms: int
    api: str
    turns: int
    differs: str
    unknown: List[str]
    judged: str
    raw: Answer
    normalized: NormalizedAnswer
    as_given: str
    status: str
    together: int
    advice: List[Finding]
    tokens: int
    understood: Dict[str, Any]
    error: str


class CheckResult(TypedDict):
    lines: List[Line]
    conforms: bool


class _NormalizedTool(TypedDict):
    given: str
    strict: bool
    loss: str
    changes: List[Change]


class NormalizedTool(_NormalizedTool, total=False):
    name: str
    error: str
    wire: Dict[str, Any]
    response: bool
    tool: Dict[str, Any]
    fallback: str
    as_given: str
    restores: List[str]


class Problem(TypedDict):
    at: str
    message: str


class _RestoreResult(TypedDict):
    name: str
    arguments: Any
    valid: bool


class RestoreResult(_RestoreResult, total=False):
    problems: List[Problem]
    message: str
    unchecked: str


class _ExplainedRule(TypedDict):
    rule: str
    about: str


class ExplainedRule(_ExplainedRule, total=False):
    alike: bool


class ExplainErrorResult(TypedDict, total=False):
    dialect: str
    rules: List[ExplainedRule]
    lines: List[Line]
    missing: List[str]
