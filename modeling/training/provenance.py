"""Where weights come from: under which licence, and from which state of this program."""

import subprocess
from pathlib import Path
from typing import Final

from django.conf import settings

from modeling.base import BadOption, MissingModel
from modeling.weights import find_folder

_SECONDS: Final = 10


def find_licence(role: str, name: str) -> str:
    """Return the licence that the card of a model names, "" where there is none that does."""
    try:
        card = find_folder(role, name) / "README.md"
    except (BadOption, MissingModel):
        return ""
    if not card.is_file():
        return ""
    from huggingface_hub import ModelCard  # only what is published needs it

    try:
        header = ModelCard.load(card, ignore_metadata_errors=True).data
    except (ValueError, OSError):  # a header of another shape
        return ""
    licence = header.get("license")
    if licence == "other":
        licence = header.get("license_name") or licence
    return licence if isinstance(licence, str) else ""


def find_commit() -> str:
    """Return the commit that this program is of, "" where it is not a checkout of git.

    One that is not as it was committed ends with "-dirty", as git says it.
    """
    if not (Path(settings.BASE_DIR) / ".git").exists():
        return ""
    command = ["git", "--no-optional-locks", "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        said = subprocess.run(  # noqa: S603 - nothing of it is anybody's input
            [*command, "--exclude=*"],
            cwd=settings.BASE_DIR,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()
