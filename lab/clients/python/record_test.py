"""verify record, with the providers' own clients for Python.

The clients take their base URLs from the environment, send to the emulator through the proxy,
and get what it answers, whole and as a stream, blocking and not. EMULATOR_URL says where the
emulator is and VERIFY is the program; make clients-python sets both.
"""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import anthropic
import openai

KEY = "sk-planted0123456789planted"
NAME = "get_forecast"
PROMPT = "What will the weather be in Graz?"
MESSAGES = [{"role": "user", "content": PROMPT}]
ACCEPTED = {
    "type": "object",
    "properties": {"city": {"type": "string", "enum": ["Graz", "Wien"]}, "days": {"type": "integer"}},
    "required": ["city", "days"],
    "additionalProperties": False,
}
WITHOUT_ITEMS = {"type": "object", "properties": {"tags": {"type": "array"}}, "required": ["tags"]}
ITEMS_AS_LIST = {"type": "object", "properties": {"tags": {"type": "array", "items": [{"type": "string"}]}}, "required": ["tags"]}


def chat(parameters):
    tools = [{"type": "function", "function": {"name": NAME, "parameters": parameters}}]
    return {"model": "gpt-4o-mini", "messages": MESSAGES, "tools": tools}


def responses(parameters):
    tools = [{"type": "function", "name": NAME, "parameters": parameters, "strict": False}]
    return {"model": "gpt-4o-mini", "input": PROMPT, "tools": tools}


def messages(parameters):
    tools = [{"name": NAME, "input_schema": parameters}]
    return {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": MESSAGES, "tools": tools}


# Each API: its method of a client, the class of the client, of the one that does not block and
# of its refusal, the request, and a schema that the provider refuses.
APIS = {
    "openai/chat": (lambda client: client.chat.completions, openai.OpenAI, openai.AsyncOpenAI, openai.BadRequestError, chat, WITHOUT_ITEMS),
    "openai/responses-nonstrict": (lambda client: client.responses, openai.OpenAI, openai.AsyncOpenAI, openai.BadRequestError, responses, WITHOUT_ITEMS),
    "anthropic/tools": (lambda client: client.messages, anthropic.Anthropic, anthropic.AsyncAnthropic, anthropic.BadRequestError, messages, ITEMS_AS_LIST),
}


def ask_blocking(method, client, request, stream):
    with client(max_retries=0) as sender:
        answer = method(sender).create(**request, stream=stream)
        return len(list(answer)) if stream else answer


def ask_async(method, client, request, stream):
    async def ask():
        async with client(max_retries=0) as sender:
            answer = await method(sender).create(**request, stream=stream)
            return len([event async for event in answer]) if stream else answer

    return asyncio.run(ask())


def ask_all():
    """Sends a schema that each API takes and one that it refuses, in each way of each client."""
    for method, blocking, nonblocking, refusal, request, refused in APIS.values():
        for stream in (False, True):
            for ask, client in ((ask_blocking, blocking), (ask_async, nonblocking)):
                assert ask(method, client, request(ACCEPTED), stream), "the answer is empty"
                try:
                    ask(method, client, request(refused), stream)
                except refusal as error:
                    assert error.status_code == 400, error
                else:
                    raise AssertionError(f"{client.__name__} did not refuse {refused}")


class Record(unittest.TestCase):
    def test_record(self):
        url = os.environ["EMULATOR_URL"]
        environment = {
            **os.environ, "RECORDED": "1", "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url,
        }
        with tempfile.TemporaryDirectory() as folder:
            command = [os.environ["VERIFY"], "record", "--to", folder, "--", sys.executable, __file__]
            run = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(run.returncode, 7, run.stderr)
            self.assertIn("24 requests answered: 12 declarations accepted, 12 requests refused, 6 new", run.stderr)
            self.assertIn("the emulator answered", run.stderr)
            text = "".join(file.read_text() for file in sorted(pathlib.Path(folder).rglob("*")) if file.is_file())
        recordings = [json.loads(line) for line in text.splitlines()]
        answers = sorted((line["dialect"], line["response"]["status"]) for line in recordings)
        self.assertEqual(answers, sorted((api, status) for api in APIS for status in (200, 400)))
        for word in (KEY, PROMPT, NAME, "city", "Graz"):
            self.assertNotIn(word, text)


if __name__ == "__main__":
    if os.environ.get("RECORDED"):
        ask_all()
        sys.exit(7)
    unittest.main()
