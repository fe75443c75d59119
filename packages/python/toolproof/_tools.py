"""Turns what programs call tools into JSON values."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, Mapping

from ._errors import ToolproofError

#: Tools in any form that `toolproof check` reads: JSON values as Python has them, a text of JSON, JSON
#: Lines or YAML, a model class of pydantic, which describes the arguments of a tool, an instance of one,
#: such as a Tool of the MCP SDK, or a list of these.
Tools = object


def json_of(value: Any) -> str:
    """Returns a value as JSON on one line. Its strings may have any text, but no number may be infinite."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False, default=plain)
    except (ValueError, TypeError, RecursionError) as error:
        raise ToolproofError(f"writing the request as JSON: {error}", "bad_request") from error


def plain(value: Any) -> Any:
    """Returns a value that the module json cannot write as one that it can. It is for json.dumps(default=plain)."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode()
    if hasattr(value, "args_schema"):
        raise TypeError(f"{type(value).__name__} is a tool of LangChain: docs/python.md says how to pass it")
    if isinstance(value, type) and is_model(value):
        return tool_of(value)
    if is_model(type(value)):
        return values_of(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{value!r} is no tool: pass a dict, a text, a model of pydantic, or a list of these")


def is_model(kind: type) -> bool:
    """Reports whether a class is a model of pydantic 2 or 1, which need not be installed."""
    return hasattr(kind, "model_json_schema") or hasattr(kind, "__fields__") and hasattr(kind, "schema")


def tool_of(model: Any) -> Dict[str, Any]:
    """Returns a tool that has the fields of a model as its parameters."""
    schema = model.model_json_schema() if hasattr(model, "model_json_schema") else model.schema()
    tool = {"name": model.__name__, "inputSchema": schema}
    if schema.get("description"):
        tool["description"] = schema["description"]
    return tool


def values_of(instance: Any) -> Any:
    """Returns what an instance of a model has, under the names that its protocol uses."""
    if hasattr(instance, "model_dump"):
        return instance.model_dump(mode="json", by_alias=True, exclude_none=True)
    return json.loads(instance.json(by_alias=True, exclude_none=True))
