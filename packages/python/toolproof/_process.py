"""The child process that answers: requests and answers are lines of JSON."""

from __future__ import annotations

import collections
import json
import queue
import re
import subprocess
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import IO, Any, Deque, Dict, Optional

from ._errors import ProcessError, ToolproofError
from ._tools import json_of

PROTOCOL = 1
MOST_BYTES = 1 << 28  # of an answer
START = 30.0  # seconds that a process may take to start
GRACE = 5.0  # seconds that it may take to give up a request, or to end
LAST_WORDS = 20  # lines of standard error that an exception repeats


class Process:
    """One run of `toolproof rpc`. Its methods may be called from several threads.

    A thread writes requests, so that a process that no longer reads blocks no caller; another reads
    answers; a third keeps what the process says on standard error. A process that has failed stays
    failed, and each request to it raises the same ProcessError.
    """

    def __init__(self, program: str, limit: float) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._greeting: Future[Any] = Future()
        self._pending: Dict[int, Future[Any]] = {0: self._greeting}
        self._next = 0
        self._heard = time.monotonic()
        self._failure = ""
        self._requests: queue.SimpleQueue[Optional[bytes]] = queue.SimpleQueue()
        self._said: Deque[str] = collections.deque(maxlen=LAST_WORDS)
        try:
            self._child = subprocess.Popen(
                [program, "rpc", "--limit", f"{limit:.3f}s"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # an interrupt of the terminal is for the caller to handle
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise ProcessError(f"starting {program}: {error}") from error
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._stdin: IO[bytes] = self._child.stdin
        self._stdout: IO[bytes] = self._child.stdout
        self._stderr: IO[bytes] = self._child.stderr
        self._listening = threading.Thread(target=self._listen, name="toolproof-stderr", daemon=True)
        self._listening.start()
        for work in self._write, self._read:
            threading.Thread(target=work, name="toolproof" + work.__name__, daemon=True).start()
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    @property
    def failed(self) -> bool:
        """Whether the process answers no more."""
        return bool(self._failure)

    def ask(self, method: str, params: Dict[str, Any]) -> Any:
        """Returns the result of a request, or raises why there is none."""
        answer: Future[Any] = Future()
        with self._lock:
            if self._failure:
                raise ProcessError(self._failure)
            self._next += 1
            number = self._next
            self._pending[number] = answer
        try:
            self._requests.put(json_of({"id": number, "method": method, "params": params}).encode() + b"\n")
            return self._wait(answer, self._limit + GRACE)
        finally:
            with self._lock:
                self._pending.pop(number, None)

    def close(self) -> None:
        """Ends the process. Requests that are not answered yet raise ProcessError."""
        self._fail("it was closed")
        self._child.wait()

    def forget(self) -> None:
        """Leaves the process to the parent. It is for the child of a fork, which has none of the threads."""
        self._failure = "toolproof rpc belongs to the process that forked"
        for stream in self._stdin, self._stdout, self._stderr:
            getattr(stream, "raw", stream).close()  # the buffers may be locked by a thread of the parent
        self._child.returncode = 0  # so that nobody waits for it

    def _greet(self) -> None:
        said = self._wait(self._greeting, START)
        if not isinstance(said, dict) or said.get("protocol") != PROTOCOL:
            raise ProcessError(f"this library speaks version {PROTOCOL} of the protocol, and toolproof rpc answers {said!r}")

    def _wait(self, answer: Future[Any], seconds: float) -> Any:
        """Waits for an answer as long as the process answers anything: it gives up each request after the limit itself."""
        asked = time.monotonic()
        while True:
            left = max(asked, self._heard) + seconds - time.monotonic()
            if left <= 0:
                self._fail(f"it has said nothing for {seconds:.0f} s")
            try:
                return answer.result(max(left, 0.001))
            except FutureTimeout:
                continue

    def _write(self) -> None:
        try:
            while True:
                line = self._requests.get()
                if line is None:
                    break
                self._stdin.write(line)
                self._stdin.flush()
        except (OSError, ValueError):
            pass  # the process has ended, which the reader notices
        try:
            self._stdin.close()
        except OSError:
            pass

    def _read(self) -> None:
        try:
            while True:
                line = self._stdout.readline(MOST_BYTES + 1)
                if not line:
                    self._ended()
                    break
                if len(line) > MOST_BYTES:
                    self._fail(f"its answer is longer than {MOST_BYTES} bytes")
                    break
                self._heard = time.monotonic()
                if not self._take(line):
                    self._fail(f"it printed what is no answer: {line[:200]!r}")
                    break
        except (OSError, ValueError) as error:
            self._fail(f"reading its answers: {error}")
        self._stdout.close()
        self._child.wait()

    def _take(self, line: bytes) -> bool:
        """Hands an answer to who waits for it, and reports whether it is one."""
        try:
            said = json.loads(line)
        except RecursionError:
            return self._settle(numbered(line), ProcessError("the answer is nested too deeply for Python's module json"))
        except ValueError:
            return False
        if not self._greeting.done():
            return self._settle(0, said)
        if not isinstance(said, dict) or "result" not in said and not isinstance(said.get("error"), dict):
            return False
        if "result" in said:
            return self._settle(said.get("id"), said["result"])
        error = said["error"]
        return self._settle(said.get("id"), ToolproofError(str(error.get("message")), str(error.get("code"))))

    def _settle(self, number: Any, outcome: Any) -> bool:
        """Ends the wait for an answer with its result or error, and reports whether there was such a request."""
        with self._lock:
            if not isinstance(number, int) or not 0 <= number <= self._next:
                return False
            answer = self._pending.pop(number, None)
        if isinstance(outcome, Exception) and answer:
            answer.set_exception(outcome)
        elif answer:
            answer.set_result(outcome)
        return True  # also if who asked did not wait

    def _listen(self) -> None:
        for line in iter(lambda: self._stderr.readline(1000), b""):
            self._said.append(line.decode(errors="replace").rstrip())
        self._stderr.close()

    def _ended(self) -> None:
        try:
            code = str(self._child.wait(GRACE))
        except subprocess.TimeoutExpired:
            code = "unknown"
        self._listening.join(1)
        words = "".join("\n" + line for line in self._said)
        self._fail(f"it ended with exit code {code}{words}")

    def _fail(self, why: str) -> None:
        """Makes each request fail, and ends the process. Only the first reason counts."""
        with self._lock:
            if self._failure:
                return
            self._failure = "toolproof rpc does not answer: " + why
            waiting = list(self._pending.values())
            self._pending.clear()
        for answer in waiting:
            answer.set_exception(ProcessError(self._failure))
        self._requests.put(None)  # ends the writer
        self._child.kill()  # it has nothing to save


def numbered(line: bytes) -> Optional[int]:
    """Returns the id of an answer that cannot be read."""
    found = re.match(rb'\{"id":(\d{1,18}),', line)
    return int(found[1]) if found else None
