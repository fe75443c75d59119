"""The results of the library are those of the command."""

import gzip
import json
import os
import statistics
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import toolproof
from toolproof._program import installed
from toolproof._tools import json_of

TRIP = {
    "name": "plan/trip",
    "description": "Plans a trip.",
    "inputSchema": {"type": "object", "properties": {"days": {"type": "integer"}, "unit": {"const": "km"}}},
}
CORPUS = Path(os.environ.get("TOOLPROOF_CORPUS") or Path(__file__).parents[4] / "shared" / "corpus") / "tools.jsonl.gz"
EVERY = int(os.environ.get("EVERY", "40"))


def command(*words, tools):
    """Returns what the command prints about tools on its standard input."""
    run = subprocess.run([installed(), *words, "-"], input=json_of(tools).encode(), capture_output=True)
    if run.returncode not in (0, 1):
        raise AssertionError(run.stderr.decode())
    return run.stdout


class API(unittest.TestCase):
    def test_check_is_the_command(self):
        for targets, words in (
            (None, []),
            ("all", ["--target", "all"]),
            (["gemini", "openai-strict"], ["--target", "gemini", "--target", "openai-strict"]),
        ):
            lines = [json.loads(line) for line in command("check", "--json", *words, tools=[TRIP]).splitlines()]
            judged = toolproof.check([TRIP], targets)
            self.assertEqual(judged["lines"], lines)
            self.assertEqual(judged["conforms"], lines[-1]["summary"]["conforms"])
            self.assertGreater(len(lines), 1)

    def test_advise_is_the_command(self):
        lines = [json.loads(line) for line in command("advise", "--json", tools=[TRIP]).splitlines()]
        self.assertEqual(toolproof.advise([TRIP])["lines"], lines)

    def test_normalize_is_the_command(self):
        for target in "gemini", "openai-strict", "anthropic", "portable":
            printed = json.loads(command("normalize", "--target", target, tools=[TRIP]))
            self.assertEqual(toolproof.normalize([TRIP], target).wire(), printed)

    def test_restore(self):
        made = toolproof.normalize([TRIP], "openai-strict")
        self.assertEqual(made.dialect, "openai/chat-strict")
        for arguments in ({"days": None, "unit": "km"}, '{"days":null,"unit":"km"}'):
            call = made.restore("plan_trip", arguments)
            self.assertEqual(call, {"name": "plan/trip", "arguments": {"unit": "km"}, "valid": True})
        refused = made.restore("plan_trip", {"days": "two", "unit": "km"})
        self.assertFalse(refused["valid"])
        self.assertEqual([problem["at"] for problem in refused["problems"]], ["/days"])
        self.assertIn("days", refused["message"])
        self.assertTrue(made.restore("plan_trip", {"days": "2", "unit": "km"}, mend=True)["valid"])
        self.assertFalse(made.restore("plan_trip", None)["valid"])
        with self.assertRaisesRegex(toolproof.ToolproofError, "fly"):
            made.restore("fly", {})

    def test_restore_outlives_the_memory_of_the_process(self):
        with toolproof.Toolproof() as engine:
            tools = [dict(TRIP)]
            made = engine.normalize(tools, "openai-strict")
            tools[0]["name"] = "other"
            for i in range(70):  # the process keeps 64 sets
                engine.normalize([{**TRIP, "name": f"trip{i}"}], "openai-strict")
            self.assertEqual(made.restore("plan_trip", {"days": None, "unit": "km"})["name"], "plan/trip")
            engine.close()
            self.assertEqual(made.restore("plan_trip", {"days": None, "unit": "km"})["name"], "plan/trip")

    def test_no_form_for_the_target(self):
        failed = {"given": "f", "error": "too large", "strict": False, "loss": "exact", "changes": []}
        engine = toolproof.Toolproof()
        with mock.patch.object(engine, "_ask", return_value={"set": "s", "dialect": "gemini/parameters", "tools": [failed]}):
            made = engine.normalize([TRIP], "gemini")
        self.assertEqual(made.tools, [failed])
        with self.assertRaisesRegex(toolproof.ToolproofError, "^f: too large"):
            made.wire()

    def test_explain_error(self):
        tools = [{"name": "plan", "inputSchema": {"type": "object", "properties": {"a": {"type": "array"}}}}]
        message = "Invalid schema for function 'plan': In context=('properties', 'a'), array schema missing items."
        said = toolproof.explain_error(message, tools)
        self.assertEqual(said["lines"][0]["raw"]["findings"][0]["at"], "/inputSchema/properties/a")
        self.assertIn("openai/chat/array_items", [rule["rule"] for rule in toolproof.explain_error(message)["rules"]])
        with self.assertRaises(toolproof.ToolproofError) as raised:
            toolproof.explain_error("the moon is full")
        self.assertEqual(raised.exception.code, "no_answer")

    def test_hello(self):
        names = [target["name"] for target in toolproof.hello()["targets"]]
        self.assertIn("openai-strict", names)

    def test_errors(self):
        endless = []
        endless.append(endless)
        for code, call in (
            ("bad_request", lambda: toolproof.check([TRIP], "nowhere")),
            ("bad_request", lambda: toolproof.check([{"name": "f", "inputSchema": {"maximum": float("nan")}}])),
            ("bad_request", lambda: toolproof.check(object())),
            ("bad_request", lambda: toolproof.check(endless)),
            ("bad_tools", lambda: toolproof.check([])),
        ):
            with self.assertRaises(toolproof.ToolproofError) as raised:
                call()
            self.assertEqual(raised.exception.code, code)
            self.assertIsNone(toolproof.hello().get("error"))  # the process goes on

    def test_tools_in_other_types(self):
        wanted = toolproof.check([TRIP], "all")["lines"]
        for tools in json_of([TRIP]), json_of([TRIP]).encode(), (TRIP,), iter([TRIP]):
            self.assertEqual(toolproof.check(tools, "all")["lines"], wanted)

    def test_threads(self):
        """Answers find those who asked, although they come in any order."""
        failures = []

        def work(i):
            try:
                name = f"trip_{i}"
                for _ in range(10):
                    lines = toolproof.check([{**TRIP, "name": name}], "all" if i % 4 == 0 else "gemini")["lines"]
                    if {line["tool"] for line in lines[:-1]} != {name}:
                        failures.append(lines)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_assert_portable(self):
        toolproof.assert_portable({"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}})
        toolproof.assert_portable(TRIP, normalized=True)
        with self.assertRaises(AssertionError) as raised:
            toolproof.assert_portable(TRIP, ["gemini", "openai-strict"])
        said = str(raised.exception)
        self.assertIn("plan/trip, gemini: rejected (predicted)\n  /inputSchema/properties/unit/const: ", said)
        self.assertIn('\n    write {"type":"string","enum":["km"]} for {"const":"km"} (means the same)', said)
        self.assertIn("\nplan/trip, openai-strict: rejected", said)

    def test_what_failures_print_is_safe(self):
        with self.assertRaises(AssertionError) as raised:
            toolproof.assert_portable({"name": "f\x1b[2J", "inputSchema": {"type": "object"}}, "gemini")
        self.assertIn("f\\x1b[2J", str(raised.exception))
        self.assertNotIn("\x1b", str(raised.exception))


@unittest.skipUnless(CORPUS.is_file(), f"{CORPUS} is missing: name the folder of the corpus in TOOLPROOF_CORPUS")
class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with gzip.open(CORPUS) as lines:
            cls.tools = [json.loads(line) for i, line in enumerate(lines) if i % EVERY == 0]

    def test_check_is_the_command(self):
        """One in EVERY tools of the corpus, 50 in a request."""
        compared = 0
        for i in range(0, len(self.tools), 50):
            some = self.tools[i : i + 50]
            lines = [json.loads(line) for line in command("check", "--json", "--target", "all", tools=some).splitlines()]
            judged = toolproof.check(some, "all")["lines"]
            self.assertEqual(judged, lines, f"tools from {i}")
            compared += len(lines) - 1
        self.assertGreaterEqual(compared, len(self.tools))
        print(f"\n{len(self.tools)} tools of the corpus: {compared} equal results", file=sys.stderr)

    def test_bench(self):
        """Prints how long a request of one tool takes, with the process around it."""
        normalizing, restoring = [], []
        for tool in self.tools:
            begun = time.perf_counter()
            made = toolproof.normalize([tool], "openai-strict")
            normalizing.append(time.perf_counter() - begun)
            if "name" in made.tools[0]:
                made.restore(made.tools[0]["name"], {})  # compiles the schema
                begun = time.perf_counter()
                made.restore(made.tools[0]["name"], {})
                restoring.append(time.perf_counter() - begun)
        self.assertGreater(len(restoring), len(self.tools) / 2)
        for what, took in ("normalize", normalizing), ("restore", restoring):
            print(f"\n{what}: median {statistics.median(took) * 1e6:.0f} us of {len(took)} tools", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
