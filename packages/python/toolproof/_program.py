"""Finds the program that the wheel installed."""

from __future__ import annotations

import os
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Iterator

from ._errors import ProcessError

NAME = "toolproof.exe" if os.name == "nt" else "toolproof"


def installed() -> str:
    """Returns the path of the program: that in TOOLPROOF_PROGRAM, or the one that came with this package."""
    chosen = os.environ.get("TOOLPROOF_PROGRAM")
    if chosen:
        return chosen
    tried = list(places())
    for place in tried:
        if place.is_file():
            return str(place)
    raise ProcessError(
        f"the program {NAME} is in none of {', '.join(map(str, tried))}\n"
        "hint: install the wheel again, or name the program in TOOLPROOF_PROGRAM"
    )


def places() -> Iterator[Path]:
    """Yields where an installer puts the scripts of a wheel: what it recorded comes first."""
    here = Path(__file__).resolve().parent.parent
    for distribution in metadata.distributions(path=[str(here)]):
        if (distribution.metadata["Name"] or "").endswith("toolproof"):
            for file in distribution.files or []:
                if file.name == NAME:
                    yield Path(str(distribution.locate_file(file))).resolve()
    yield here / "bin" / NAME  # pip install --target
    yield Path(sysconfig.get_path("scripts")) / NAME
