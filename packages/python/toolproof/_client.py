"""What programs call."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import Any, Dict, List, Optional, Sequence, Union

from ._errors import ToolproofError
from ._process import Process
from ._program import installed
from ._tools import Tools, json_of
from ._types import CheckResult, ExplainErrorResult, HelloResult, NormalizedTool, RestoreResult


#: A name of a target or dialect, or a pattern of names, or several.
Targets = Union[str, Sequence[str]]


class Toolproof:
    """The engine: a process that starts with the first request and answers many.

    Its methods may be called from several threads, whose requests are answered at the same time. They
    raise ToolproofError. If the process fails, the requests that wait raise ProcessError, which is one,
    and the next request starts another process. So does the child of a fork.
    """

    def __init__(self, *, program: Optional[str] = None, timeout: float = 60.0) -> None:
        """program is the path of toolproof, by default the one of this package; timeout is the most
        seconds that the work on one request may take.
        """
        self._process: Optional[Process] = None
        self._starting = threading.Lock()
        self._program = program
        self._timeout = timeout
        if timeout <= 0:
            raise ValueError(f"the timeout has to be positive, and is {timeout}")
        every.add(self)

    def __enter__(self) -> Toolproof:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process. A later request starts another."""
        with self._starting:
            process, self._process = self._process, None
        if process:
            process.close()

    def hello(self) -> HelloResult:
        """Says which version answers, and for which targets."""
        said: HelloResult = self._ask("hello")
        return said

    def check(
        self, tools: Tools, targets: Optional[Targets] = None, *, normalized: bool = False, model: Optional[str] = None
    ) -> CheckResult:
        """Judges tools as `toolproof check --json` does.

        targets are names of targets and dialects, patterns of names, or "all"; without them the surfaces are asked
        to which clients pass tools on unchanged. With normalized, what the normalizer of each target makes
        of the tools is judged. model is the provider's model.
        """
        judged: CheckResult = self._ask("check", tools=tools, targets=listed(targets), normalized=normalized, model=model)
        return judged

    def advise(self, tools: Tools, targets: Optional[Targets] = None, *, language: Optional[str] = None) -> CheckResult:
        """Finds what models get wrong in tools that every provider accepts.

        With targets it also names what they do not pass on. language is the one that is read where a tool
        has texts in several, such as "de-AT".
        """
        advised: CheckResult = self._ask("advise", tools=tools, targets=listed(targets), language=language)
        return advised

    def explain_error(self, message: str, tools: Optional[Tools] = None) -> ExplainErrorResult:
        """Says what the error of a provider means: the places in the tools that were sent or, without them, the rules.

        message is the provider's message, or the whole body of its answer. The code of the ToolproofError
        is no_answer if the message is not understood.
        """
        said: ExplainErrorResult = self._ask("explain_error", message=message, tools=tools)
        return said

    def normalize(
        self,
        tools: Tools,
        target: str,
        *,
        language: Optional[str] = None,
        keep_titles: bool = False,
        property_ordering: bool = False,
        say_constraints: bool = False,
        never_strict: bool = False,
    ) -> Normalized:
        """Rewrites the tools of one request for a target, such as "openai-strict", "gemini" or "portable".

        language is the one to keep of a text in several. keep_titles keeps title in strict tools,
        property_ordering gives objects propertyOrdering where the surface has it, say_constraints repeats
        in descriptions the constraints that stay in the schema, and never_strict makes a strict target
        fall back to the one that is not strict.
        """
        options = {
            "language": language,
            "keep_titles": keep_titles,
            "property_ordering": property_ordering,
            "say_constraints": say_constraints,
            "never_strict": never_strict,
        }
        chosen = {name: value for name, value in options.items() if value}
        return Normalized(self, {"tools": tools if isinstance(tools, str) else json_of(tools), "target": target, "options": chosen})

    def _ask(self, method: str, **params: Any) -> Any:
        given = {name: value for name, value in params.items() if value is not None}
        return self._running().ask(method, given)

    def _running(self) -> Process:
        with self._starting:
            if self._process and self._process.failed:
                self._process.close()
                self._process = None
            if not self._process:
                self._process = Process(self._program or installed(), self._timeout)
            return self._process

    def _after_fork(self) -> None:
        self._starting = threading.Lock()
        if self._process:
            self._process.forget()
            self._process = None


class Normalized:
    """Tools as a target takes them. Toolproof.normalize makes it."""

    #: The surface of the target, such as openai/chat-strict.
    dialect: str
    #: An element for each tool, in the order of the input, with each change and its loss.
    tools: List[NormalizedTool]

    def __init__(self, engine: Toolproof, request: Dict[str, Any]) -> None:
        self._engine = engine
        self._request = request
        made = engine._ask("normalize", **request)
        self._set: str = made["set"]
        self.dialect = made["dialect"]
        self.tools = made["tools"]

    def wire(self) -> List[Dict[str, Any]]:
        """Returns the list of tools of a request. A tool that has no form for the target is a ToolproofError."""
        for tool in self.tools:
            if "error" in tool:
                raise ToolproofError(f"{tool['given']}: {tool['error']}", "bad_tools")
        return [tool["wire"] for tool in self.tools]

    def restore(self, name: str, arguments: Any, *, mend: bool = False) -> RestoreResult:
        """Returns the call of a tool as given for a call of the model.

        arguments are a value or its JSON text. If the tool does not accept them, the result says why, and
        has a message for the model. With mend, JSON text is also taken in place of a value, and null in
        place of an absent property, where the tool refuses what came and accepts what it becomes.
        """
        try:
            return self._restored(name, arguments, mend)
        except ToolproofError as error:
            if error.code != "unknown_set":
                raise
        # The process keeps the last sets alone, and a new process has none.
        self._set = self._engine._ask("normalize", **self._request)["set"]
        return self._restored(name, arguments, mend)

    def _restored(self, name: str, arguments: Any, mend: bool) -> RestoreResult:
        text = arguments if isinstance(arguments, str) else json_of(arguments)
        made: RestoreResult = self._engine._ask("restore", set=self._set, name=name, arguments=text, mend=mend)
        return made


def listed(targets: Optional[Targets]) -> Optional[List[str]]:
    """Returns names as a list."""
    if targets is None:
        return None
    return [targets] if isinstance(targets, str) else list(targets)


every: weakref.WeakSet[Toolproof] = weakref.WeakSet()


@atexit.register
def close_every() -> None:
    """Ends all processes."""
    for engine in list(every):
        engine.close()


def forget_every() -> None:
    """Leaves all processes to the process that forked."""
    for engine in list(every):
        engine._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_every)
