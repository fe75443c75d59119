"""The types are those that the published schemas describe."""

import json
import unittest
from pathlib import Path

import toolproof
from toolproof import _types

SCHEMAS = Path(__file__).parents[3] / "docs" / "schema"


def defined(file):
    return json.loads((SCHEMAS / file).read_text())["$defs"]


class Types(unittest.TestCase):
    def same(self, kind, schema):
        required, optional = set(), set()
        for base in (kind, *kind.__orig_bases__) if hasattr(kind, "__orig_bases__") else (kind,):
            required |= getattr(base, "__required_keys__", set())
            optional |= getattr(base, "__optional_keys__", set())
        self.assertEqual(required, set(schema.get("required", [])), kind)
        self.assertEqual(required | optional, set(schema["properties"]), kind)

    def test_results(self):
        of = defined("rpc.schema.json")
        tool = of["normalizeResult"]["properties"]["tools"]["items"]
        for kind, schema in (
            (toolproof.HelloResult, of["helloResult"]),
            (toolproof.Target, of["helloResult"]["properties"]["targets"]["items"]),
            (toolproof.CheckResult, of["checkResult"]),
            (toolproof.NormalizedTool, tool),
            (toolproof.RestoreResult, of["restoreResult"]),
            (toolproof.Problem, of["restoreResult"]["properties"]["problems"]["items"]),
            (toolproof.ExplainErrorResult, of["explain_errorResult"]),
            (toolproof.ExplainedRule, of["explain_errorResult"]["properties"]["rules"]["items"]),
        ):
            self.same(kind, schema)

    def test_lines(self):
        of = defined("result.schema.json")
        for kind, schema in (
            (toolproof.Change, of["change"]),
            (toolproof.Finding, of["finding"]),
            (toolproof.Answer, of["answer"]),
            (toolproof.NormalizedAnswer, of["normalized"]),
            (toolproof.Counts, of["counts"]),
            (toolproof.Summary, of["summary"]),
        ):
            self.same(kind, schema)
        line = set(of["result"]["properties"]) | set(of["last"]["properties"])
        self.assertEqual(set(_types.Line.__annotations__), line)

    def test_codes(self):
        for code in defined("rpc.schema.json")["error"]["properties"]["code"]["enum"]:
            self.assertIn(code, (Path(toolproof.__file__).parent / "_errors.py").read_text())


if __name__ == "__main__":
    unittest.main()
