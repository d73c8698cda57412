"""Text as the database can store it."""

import json
import re
from typing import Any

from annotation.core.refusals import TooMuch

MOST_BYTES = 400_000
# An escaped NUL in JSON text, but not the six characters \u0000 that a person typed, whose
# backslash is itself escaped.
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def dump_draft_json(draft: dict[str, Any]) -> str:
    """Return the draft as JSON without NUL and lone surrogates, which PostgreSQL cannot store.

    Raises TooMuch above 400,000 bytes.
    """
    text = json.dumps(draft, ensure_ascii=False).encode("utf-8", "ignore").decode()
    stored = _NUL.sub(r"\1", text)
    if len(stored.encode()) > MOST_BYTES:
        raise TooMuch("This draft is too long to save. Shorten it.")
    return stored
