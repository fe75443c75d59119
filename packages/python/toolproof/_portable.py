"""What tests assert."""

from __future__ import annotations

from typing import Iterator, List

from ._client import Targets
from ._shared import check
from ._tools import Tools, json_of
from ._types import CheckResult, Finding, Line

MOST_FINDINGS = 5  # of a tool for a target, in a message


def assert_portable(tools: Tools, targets: Targets = "portable", *, normalized: bool = False) -> None:
    """Raises AssertionError with the findings unless every target accepts the tools.

    targets are those of check. The default, portable, takes what each of the main providers takes. With
    normalized, what the normalizer of each target makes of the tools has to be accepted. A tool without
    a verdict is not accepted.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    judged = check(tools, targets, normalized=normalized)
    if not judged["conforms"]:
        raise AssertionError("\n".join(["the tools are not portable", *findings(judged)]))


def findings(judged: CheckResult) -> List[str]:
    """Returns the failures among the lines of check as lines of text."""
    return [escaped(text) for line in judged["lines"] for text in failure(line)]


def failure(line: Line) -> Iterator[str]:
    """Yields why a line is not the judgement of a tool that passes."""
    if "summary" in line:
        if not line["summary"]["judged"]:
            yield "no tool was judged"
        return
    if line["status"] not in ("fail", "error", "inconclusive"):
        return
    subject = line["tool"] or "the request"
    answer = line["normalized"] if line.get("judged") == "normalized" and "normalized" in line else line.get("raw")
    if line["status"] != "fail" or not answer:
        yield f"{subject}, {line['target']}: {line['status']}: {line['error']}"
        return
    yield f"{subject}, {line['target']}: {answer['verdict']} ({answer['evidence']})"
    for finding in answer["findings"][:MOST_FINDINGS]:
        yield from told(finding)
    if len(answer["findings"]) > MOST_FINDINGS:
        yield f"  and {len(answer['findings']) - MOST_FINDINGS} more"


def told(finding: Finding) -> Iterator[str]:
    """Yields a finding, and what to write instead."""
    yield f"  {finding['at'] or 'the tool'}: {finding['message']}"
    if "instead" in finding:
        yield f"    {finding['instead']}"
    for change in finding.get("answers", []):
        loss = "means the same" if change["loss"] == "exact" else change.get("loses", change["loss"])
        if "before" in change and "after" in change:
            yield f"    write {short(change['after'])} for {short(change['before'])} ({loss})"
        elif "after" in change:
            yield f"    add {short(change['after'])} ({loss})"


def short(value: object) -> str:
    """Returns a value as JSON, cut where it is long."""
    text = json_of(value)
    return text if len(text) <= 200 else text[:200] + "..."


def escaped(text: str) -> str:
    """Returns a text on one line, without what moves the cursor of a terminal."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape", "backslashreplace").decode() for letter in text)
