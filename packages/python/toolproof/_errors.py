"""What the functions of this package raise."""


class ToolproofError(Exception):
    """Why a request has no result. Programs can decide on its code."""

    #: bad_request, bad_tools, unknown_set, no_answer, canceled or fault, as docs/schema/rpc.schema.json
    #: describes them; process for a ProcessError.
    code: str

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class ProcessError(ToolproofError):
    """The program could not be started, or it answers no more. The next request starts it again."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "process")
