"""What was recognised of a file, in words, and what people wrote of its columns."""

from collections.abc import Sequence
from typing import Any

from annotation.imports.columns import USES, show_value
from annotation.imports.formats import QuestionRecord
from annotation.imports.recognition import RecognisedFile
from annotation.imports.records import BadLine


def describe_file(found: RecognisedFile, split: str) -> list[str]:
    """Return what a file is, what becomes of its fields and its first questions, as lines."""
    reading = found.reading
    lines = [f"Recognised as {reading.label}{', columns as last time' * found.remembered}."]
    for name, use in found.list_fields():
        lines.append(f"  {show_value(name)} → {USES[use].lower()}")
    if found.has_made_ids():
        lines.append("  ids are made from the questions")
    if not found.names_split():
        lines.append(f"  questions that name no split go into {split}")
    lines.append(f"The first {len(found.records):,}:")
    for _, line, record in found.records:
        if isinstance(record, QuestionRecord):
            answers = f" ({show_value(', '.join(record.known_answers))})"
            shown = f"{show_value(record.text)}{answers if record.known_answers else ''}"
            lines.append(f"  {record.external_id}  {shown}")
        elif isinstance(record, BadLine):
            lines.append(f"  line {line}: {record.reason}")
    return lines


def mapping_changes(uses: Sequence[str], splits: Sequence[str]) -> dict[str, Any]:
    """Return the changes that arguments such as question=Frage and eval=dev ask for.

    Raises ValueError with the sentence to show.
    """
    changes: dict[str, Any] = {}
    for argument in uses:
        use, separator, column = argument.partition("=")
        if not separator or use not in USES:
            raise ValueError(f"“{argument}” should be USE=COLUMN, with one of {', '.join(USES)}.")
        changes.setdefault("uses", {})[column] = use
    for argument in splits:
        value, separator, split = argument.rpartition("=")
        if not separator:
            raise ValueError(f"“{argument}” should be VALUE=SPLIT, such as eval=dev.")
        changes.setdefault("splits", {})[value] = split
    return changes
