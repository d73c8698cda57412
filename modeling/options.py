"""Options of baselines: text by name, turned into values with a sentence for what is wrong."""

import re
from collections.abc import Mapping, Sequence

from modeling.base import BadOption, Corpus, MissingModel


def check_names(options: Mapping[str, str], *known: str) -> None:
    """Raise BadOption for an option that the baseline does not have."""
    for name in options:
        if name not in known:
            have = f"Its options are {', '.join(known)}." if known else "It has none."
            raise BadOption(f"This baseline has no option “{name[:40]}”. {have}")


def parse_whole_number(options: Mapping[str, str], name: str, default: int, *, most: int) -> int:
    """Return an option that is a whole number from 1 to `most`."""
    text = options.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= most):
        raise BadOption(
            f"The option “{name}” is “{text[:40]}”. Set it to a number from 1 to {most:,}."
        )
    return int(text)


def one_of(options: Mapping[str, str], name: str, values: Sequence[str]) -> str:
    """Return an option that is one of these values, the first where it is not given."""
    text = options.get(name, "").strip()
    if text and text not in values:
        raise BadOption(f"The option “{name}” is “{text[:40]}”. Set it to {' or '.join(values)}.")
    return text or values[0]


def parse_share(options: Mapping[str, str], name: str, default: float) -> float:
    """Return an option that is a decimal number from 0 to 1."""
    text = options.get(name, "").strip()
    if not text:
        return default
    if not re.fullmatch(r"0?\.[0-9]{1,9}|[01]", text):
        raise BadOption(f"The option “{name}” is “{text[:40]}”. Set it to a number from 0 to 1.")
    return float(text)


def require_corpus(corpus: Corpus | None, label: str) -> Corpus:
    """Return the corpus of a baseline that searches one."""
    if corpus is None:
        raise MissingModel(
            f"{label} searches passages, and none are chosen. Choose a snapshot or a corpus "
            "with a passage index."
        )
    return corpus
