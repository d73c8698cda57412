"""Rows of the log as sentences.

The words in brackets become a link to the object of the row. Names in braces: `who` did it, `what`
it is about, `whose` assignment it was, `user` is the person concerned, `describe_changes` lists the
differences between before and after; any other name is a value of the row.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from annotation.core.models.questions import display_form
from annotation.extensions.parts import LogEntries, LogTarget
from annotation.extensions.registry import all_extensions


class LogVocabulary(NamedTuple):
    """What all features write into the log, by action or by kind of target."""

    sentences: Mapping[str, str]
    targets: Mapping[str, LogTarget]
    pages: Mapping[str, str]
    numbered: Mapping[str, str]


def log_entries() -> LogVocabulary:
    """Return the sentences, targets and pages of all features."""
    return _together(all_extensions().log)


@lru_cache(maxsize=2)
def _together(parts: tuple[LogEntries, ...]) -> LogVocabulary:
    maps: tuple[dict[str, Any], ...] = ({}, {}, {}, {})
    for part in parts:
        for all_of_them, own in zip(
            maps, (part.sentences, part.targets, part.pages, part.numbered), strict=True
        ):
            all_of_them.update(own or {})
    return LogVocabulary(*maps)


# Columns with the words their form uses for them.
_FIELDS = {
    "lease_minutes": "lease (minutes)",
    "park_hours": "parked questions are kept for (hours)",
    "minimum_seconds": "minimum time (seconds)",
    "pay_accepted": "bonus if accepted",
    "pay_pair": "bonus for each accepted pair",
    "pay_pairs_max": "maximum of paid pairs",
    "pay_match": "bonus when an audit matches",
    "pay_floor": "minimum hourly pay",
    "pay_floor_currency": "currency of the minimum",
    "weekly_minimum": "minimum of tasks per person and week",
    "claim_days": "days to dispute a result",
    "skips_before_pause": "skips in a row before a pause",
    "parked_limit": "maximum parked questions",
    "reference_date": "questions as of",
    "title": "name",
    "inputs": "writers are given",
    "rule_settings": "rules",
}
_COUNTED = {
    "created": "new",
    "updated": "updated",
    "unchanged": "unchanged",
    "rejected": "not imported",
    "found": "found",
}
_LONGEST = 80


def prompt_name(row: Mapping[str, Any]) -> str:
    """Return the name of a target that is called by its question, its one field but for numbers."""
    text = next(value for key, value in row.items() if key.endswith("text"))
    return shorten_value(display_form(text))


def build_sentence_parts(action: str, values: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the sentence cut at its brackets: before, link, after. Unknown actions are named."""
    unknown = f"{{who}}: {action.replace('_', ' ')} [{{what}}]."
    before, _, rest = log_entries().sentences.get(action, unknown).partition("[")
    link, _, after = rest.partition("]")
    filled = _SentenceValues(values)
    link, after = link.format_map(filled), after.format_map(filled)
    ended = after == "." and link.endswith("?")
    return before.format_map(filled), link, "" if ended else after


class _SentenceValues(dict[str, Any]):
    """Values for a sentence; one that an old row lacks is left open instead of failing."""

    def __missing__(self, key: str) -> str:
        return "…"


def describe_changes(before: Any, after: Any) -> str:
    """Return the differences between two states of a row: `people 2 → 3, pay 0 → 0.75`."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return f"{shorten_value(before)} → {shorten_value(after)}"
    words = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            words.append(describe_changes(old, new))
        else:
            words.append(
                f"{_FIELDS.get(key, key.replace('_', ' '))} {shorten_value(old)} → "
                f"{shorten_value(new)}"
            )
    return ", ".join(words) or "no difference"


def describe_counts(data: Mapping[str, Any]) -> str:
    """Return the counts of a job, as `: 12 new, 1 updated`."""
    words = [f"{data[key]:,} {word}" for key, word in _COUNTED.items() if data.get(key)]
    return f": {', '.join(words)}" if words else ""


def shorten_value(value: Any) -> str:
    """Return a value for use in a sentence, cut to a few words."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return f"{len(value)} entries"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
