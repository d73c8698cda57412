"""Systems that differ only in how many passages they read, as one family (S49)."""

from collections.abc import Mapping
from typing import Any

_SHORT = 60  # characters of a name from options, which come from files, too
# Options of a run that do not make another family of it.
_SHARED = frozenset({"baseline", "family", "passages", "top", "corpus", "corpus_version"})


def name_family(name: str, options: Mapping[str, Any]) -> str:
    """Return the family of a system by its name and the options of its run.

    `family` among the options names it. Runs of a baseline with other options, such as other
    weights, are another family, which these options name.
    """
    family = str(options.get("family") or name)[:_SHORT]
    if "baseline" not in options:
        return family
    own = ", ".join(f"{key} {options[key]}" for key in sorted(options) if key not in _SHARED)
    return f"{family} ({own[:_SHORT]})" if own else family
