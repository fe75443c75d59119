"""A process that fails is an exception, and no hang."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import toolproof
from toolproof import _process

GREETING = 'print(\'{"protocol":1,"version":"fake"}\', flush=True)\n'
TOOL = {"name": "f", "inputSchema": {"type": "object"}}


@unittest.skipIf(os.name == "nt", "the programs that fail are scripts")
class Failing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        patched = mock.patch.multiple(_process, START=10.0, GRACE=0.3)
        patched.start()
        self.addCleanup(patched.stop)

    def engine(self, program, timeout=0.2):
        """Returns an engine around a Python program."""
        path = self.folder / "program"
        path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n" + textwrap.dedent(program))
        path.chmod(0o755)
        engine = toolproof.Toolproof(program=str(path), timeout=timeout)
        self.addCleanup(engine.close)
        return engine

    def fails(self, program, words, **options):
        engine = self.engine(program, **options)
        with self.assertRaisesRegex(toolproof.ProcessError, words) as raised:
            engine.check([TOOL])
        self.assertEqual(raised.exception.code, "process")

    def test_missing(self):
        with self.assertRaisesRegex(toolproof.ProcessError, "starting /no/such"):
            toolproof.Toolproof(program="/no/such").check([TOOL])

    def test_other_protocol(self):
        self.fails('print(\'{"protocol":2}\', flush=True); time.sleep(60)', "version 1 of the protocol.*'protocol': 2")

    def test_rubbish_first(self):
        self.fails("print('Usage: program', flush=True); time.sleep(60)", "no answer: b'Usage: program")

    def test_dies_at_once(self):
        self.fails("sys.exit('no license')", "exit code 1\nno license")

    def test_dies_later(self):
        self.fails(GREETING + "sys.stdin.readline(); os.write(2, b'out of memory'); os._exit(7)", "exit code 7\nout of memory")

    def test_prints_rubbish(self):
        for answer in "rubbish", "[]", '{"id":99,"result":{}}', '{"id":1}', '{"id":1,"error":"no"}', '{"id":"1","result":{}}':
            with self.subTest(answer):
                self.fails(GREETING + f"sys.stdin.readline(); print({answer!r}, flush=True); time.sleep(60)", "no answer: ")

    def test_prints_without_end(self):
        with mock.patch.object(_process, "MOST_BYTES", 1 << 16):
            self.fails(GREETING + "sys.stdin.readline()\nwhile True: sys.stdout.write('x' * 4096)", "longer than 65536 bytes")

    def test_answers_too_deeply(self):
        engine = self.engine(
            GREETING
            + "sys.stdin.readline(); print('{\"id\":1,\"result\":' + '[' * 100000 + ']' * 100000 + '}', flush=True)\n"
            + 'sys.stdin.readline(); print(\'{"id":2,"result":{"conforms":true}}\', flush=True); time.sleep(60)'
        )
        with self.assertRaisesRegex(toolproof.ProcessError, "nested too deeply"):
            engine.check([TOOL])
        self.assertEqual(engine.check([TOOL]), {"conforms": True})

    def test_hangs(self):
        begun = time.monotonic()
        self.fails(GREETING + "time.sleep(60)", "said nothing for")
        self.assertLess(time.monotonic() - begun, 30)

    def test_hangs_while_it_is_written_to(self):
        engine = self.engine(GREETING + "time.sleep(60)")
        with self.assertRaisesRegex(toolproof.ProcessError, "said nothing for"):
            engine.check([{**TOOL, "description": "x" * (1 << 20)}])

    def test_closed_while_it_works(self):
        engine = self.engine(GREETING + "open(sys.argv[0] + '.read', 'w').write(sys.stdin.readline()); time.sleep(60)", timeout=60)
        raised = []

        def ask():
            try:
                engine.check([TOOL])
            except toolproof.ProcessError as error:
                raised.append(str(error))

        thread = threading.Thread(target=ask)
        thread.start()
        while not (self.folder / "program.read").exists():
            time.sleep(0.01)
        engine.close()
        thread.join(30)
        self.assertEqual(raised, ["toolproof rpc does not answer: it was closed"])


class Living(unittest.TestCase):
    def test_another_process_starts_after_a_failure(self):
        with toolproof.Toolproof() as engine:
            engine.hello()
            engine._process._child.kill()
            with self.assertRaises(toolproof.ProcessError):
                while True:  # until the death is noticed
                    engine.hello()
            self.assertTrue(engine.check([TOOL], "gemini")["conforms"])

    def test_close_ends_the_process(self):
        engine = toolproof.Toolproof()
        engine.hello()
        process = engine._process._child
        engine.close()
        self.assertIsNotNone(process.returncode)
        engine.close()

    def test_collected(self):
        engine = toolproof.Toolproof()
        engine.hello()
        process = engine._process._child
        del engine
        self.assertIsNotNone(process.returncode)

    def test_a_request_that_is_too_large(self):
        with self.assertRaisesRegex(toolproof.ToolproofError, "bytes, and may have"):
            toolproof.check([{**TOOL, "description": "x" * (33 << 20)}])
        self.assertTrue(toolproof.check([TOOL], "gemini")["conforms"])

    def test_the_limit_of_a_request(self):
        with toolproof.Toolproof(timeout=0.001) as engine:
            with self.assertRaises(toolproof.ToolproofError) as raised:
                engine.check([{**TOOL, "name": f"f{i}"} for i in range(2000)], "all")
            self.assertEqual(raised.exception.code, "canceled")
        with self.assertRaises(ValueError):
            toolproof.Toolproof(timeout=0)

    @unittest.skipUnless(hasattr(os, "fork"), "the system cannot fork")
    def test_fork(self):
        with toolproof.Toolproof() as engine:
            engine.hello()
            before = engine._process._child.pid
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    signal.alarm(60)
                    fresh = engine.check([TOOL], "gemini")["conforms"] and engine._process._child.pid != before
                    engine.close()
                    code = 0 if fresh else 2
                finally:
                    os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertTrue(engine.check([TOOL], "gemini")["conforms"])
            self.assertEqual(engine._process._child.pid, before)

    def test_exit(self):
        """A program that closes nothing ends, and its process with it."""
        program = "import toolproof; engine = toolproof.Toolproof(); toolproof.hello(); engine.hello(); print(engine._process._child.pid)"
        run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=120)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        if os.name != "nt":
            with self.assertRaises(ProcessLookupError):
                os.kill(int(run.stdout), 0)


if __name__ == "__main__":
    unittest.main()
