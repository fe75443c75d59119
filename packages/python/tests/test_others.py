"""What the library does with packages that need not be installed: pytest, pydantic and mypy."""

import importlib.util
import subprocess
import sys
import tempfile
import typing
import unittest
from pathlib import Path

import toolproof


def needs(name):
    return unittest.skipUnless(importlib.util.find_spec(name), f"{name} is not installed: TOOLPROOF_PYTHON names a Python that has it")


@needs("pytest")
class Pytest(unittest.TestCase):
    def run_pytest(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "test_tools.py").write_text(text)
            words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header"]
            return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)

    def test_fixture(self):
        run = self.run_pytest(
            "def test_good(assert_portable):\n"
            "    assert_portable({'name': 'f', 'inputSchema': {'type': 'object', 'properties': {}}})\n"
            "def test_bad(assert_portable):\n"
            "    assert_portable({'name': 'f', 'inputSchema': {'properties': {'unit': {'const': 'km'}}}}, targets='gemini')\n"
        )
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("1 failed, 1 passed", run.stdout)
        self.assertIn("f, gemini: rejected (predicted)", run.stdout)
        self.assertIn("/inputSchema/properties/unit/const: ", run.stdout)
        self.assertIn("> ", run.stdout)
        self.assertNotIn("_portable.py", run.stdout)  # the trace ends in the test

    def test_listed(self):
        run = subprocess.run([sys.executable, "-m", "pytest", "--fixtures", "-q"], cwd=tempfile.gettempdir(), capture_output=True, text=True)
        self.assertIn("assert_portable", run.stdout)


@needs("pydantic")
class Pydantic(unittest.TestCase):
    def test_class(self):
        import pydantic

        class Forecast(pydantic.BaseModel):
            """Forecasts the weather."""

            city: str
            days: int = pydantic.Field(3, description="How many days.")

        made = toolproof.normalize([Forecast], "openai-strict")
        self.assertEqual(made.tools[0]["given"], "Forecast")
        self.assertEqual(made.tools[0]["tool"]["description"], "Forecasts the weather.")
        call = made.restore("Forecast", {"city": "Graz", "days": None})
        self.assertEqual(Forecast(**call["arguments"]), Forecast(city="Graz"))

    def test_instance(self):
        """A Tool of the MCP SDK is an instance of a model with these fields."""
        import pydantic

        class Tool(pydantic.BaseModel):
            name: str
            title: typing.Optional[str] = None
            input: dict = pydantic.Field(alias="inputSchema")

        schema = {"type": "object", "properties": {"a": {"type": ["string", "null"], "default": None}}}
        tools = [Tool(name="f", inputSchema=schema)]
        self.assertEqual(toolproof.check(tools, "all"), toolproof.check([{"name": "f", "inputSchema": schema}], "all"))


class Models(unittest.TestCase):
    """Stand-ins, since no package of Debian has pydantic 2."""

    def test_pydantic_2(self):
        class Tool:
            @classmethod
            def model_json_schema(cls):
                return {"type": "object", "description": "Does it."}

            def model_dump(self, *, mode, by_alias, exclude_none):
                assert mode == "json" and by_alias and exclude_none
                return {"name": "g", "inputSchema": {"type": "object"}}

        given = [tool["given"] for tool in toolproof.normalize([Tool, Tool()], "gemini").tools]
        self.assertEqual(given, ["Tool", "g"])

    def test_tool_of_langchain(self):
        class Tool:
            args_schema = None

        with self.assertRaisesRegex(toolproof.ToolproofError, "Tool is a tool of LangChain"):
            toolproof.check([Tool()])


@needs("mypy")
class Mypy(unittest.TestCase):
    def test_types(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.py"
            program.write_text(
                "import toolproof\n"
                "with toolproof.Toolproof() as engine:\n"
                "    made = engine.normalize([{'name': 'f'}], 'gemini')\n"
                "    reveal_type(made.restore('f', {})['valid'])\n"
                "    made.restore('f', {})['value']\n"
            )
            words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder, "--python-version", "3.9"]
            run = subprocess.run([*words, program], capture_output=True, text=True, cwd=folder)
            self.assertIn('Revealed type is "builtins.bool"', run.stdout)
            self.assertIn('TypedDict "RestoreResult" has no key "value"', run.stdout)
            self.assertIn("Found 1 error in 1 file", run.stdout)
            source = Path(toolproof.__file__).parent
            run = subprocess.run([*words, source], capture_output=True, text=True, cwd=folder)
            self.assertEqual(run.returncode, 0, run.stdout)


if __name__ == "__main__":
    unittest.main()
