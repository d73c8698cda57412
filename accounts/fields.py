"""Form fields for names and titles."""

import re
from typing import Any

from django import forms

# Control characters, and the two separators that break lines in some places only.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def one_line(text: str) -> str:
    """Return the text on one line: control characters and runs of space become single spaces."""
    return " ".join(_CONTROL.sub(" ", text).split())


class OneLineField(forms.CharField):
    """A name or title on one line, as it may be used in the header of an e-mail."""

    def to_python(self, value: Any) -> str:
        return one_line(super().to_python(value) or "")
