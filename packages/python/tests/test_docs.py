"""The examples of docs/python.md do what the page says."""

import contextlib
import io
import re
import unittest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
NOT_RUN = "**Not run.**"


class Page(unittest.TestCase):
    def test_examples(self):
        """Runs the examples of each section, which follow from one another, and compares what they print."""
        ran, only_read = 0, 0
        for section in PAGE.read_text().split("\n## "):
            title, _, text = section.partition("\n")
            names, printed = {"__name__": "example"}, None
            for language, block in BLOCK.findall(text):
                if language == "text" and printed is not None:
                    self.assertEqual(printed, block, title)
                if language != "py":
                    continue
                program = compile(block, f"{PAGE.name}, {title}", "exec")
                if NOT_RUN in text:
                    only_read += 1
                    continue
                if "pydantic" in block:
                    try:
                        import pydantic  # noqa: F401
                    except ImportError:
                        print(f"docs/python.md, {title}: not run without pydantic")
                        continue
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(program, names)
                    for name in [name for name in names if name.startswith("test_")]:
                        names.pop(name)(**({"assert_portable": names["toolproof"].assert_portable} if "assert_portable)" in block else {}))
                printed = out.getvalue()
                ran += 1
        self.assertGreaterEqual(ran, 5)
        self.assertEqual(only_read, 3)


if __name__ == "__main__":
    unittest.main()
