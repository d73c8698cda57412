"""The words of Natural Questions' short answers, for comparing annotators by string match."""

from pathlib import Path
from typing import Any

from metrics import nq_annotators
from metrics.inputs import files, nq, nq_lines
from metrics.score import BadInput, Evaluation


def score_files(
    references: Path,
    predictions: None = None,
    *,
    extra: files.Extra = "error",
    nulls: nq_annotators.Nulls = "count",
) -> Evaluation:
    """Return how often two annotators of a file give the same short answer (N26).

    There are no predictions: annotators are compared with each other. Raises ``BadInput``.
    """
    return nq_annotators.score_annotator_agreement(read_short_answers(references), nulls=nulls)


def read_short_answers(path: Path) -> dict[str, list[list[str]]]:
    """Return per example and annotator the strings of their short answers, by the example's id.

    An annotator who said yes or no has that word, one who found nothing an empty list: what
    ``nq_annotators.score_annotator_agreement`` takes. The words are the page's tokens of each span
    with a space between them, without HTML tags: ``document_text`` split at spaces (simplified
    form) or ``document_tokens`` (original form). The page is parsed, so this is slower than reading
    spans.

    Raises ``BadInput`` with the file and the line or the example's id.
    """
    found: dict[str, list[list[str]]] = {}
    for part in nq.list_part_files(path):
        for number, line in nq_lines.read_lines(part):
            record = files.parse_json(line.strip(), str(part), number)
            if not isinstance(record, dict):
                raise BadInput(f"{part}, line {number}: must be one JSON object.")
            name = nq_lines.example_id(record, f"{part}, line {number}")
            if name in found:
                raise BadInput(f"{part}, line {number}: example {name} appears twice. Keep one.")
            try:
                found[name] = _strings(record)
            except BadInput as error:
                raise BadInput(f"{part}, example {name}: {error}") from None
    return found


def _strings(record: dict[str, Any]) -> list[list[str]]:
    words = _words(record)
    found: list[list[str]] = []
    for annotation in nq.parse_annotations(record.get("annotations")):
        if annotation.yes_no != "none":
            found.append([annotation.yes_no])
            continue
        strings = []
        for span in annotation.short:
            if span.start_token < 0 or span.end_token > len(words):
                raise BadInput("a short answer has no tokens on the page.")
            tokens = words[span.start_token : span.end_token]
            strings.append(" ".join(word for word in tokens if word is not None))
        found.append(strings)
    return found


def _words(record: dict[str, Any]) -> list[str | None]:
    """Return the page's tokens; None for a tag."""
    if isinstance(text := record.get("document_text"), str):
        return [None if _is_tag(word) else word for word in text.split(" ")]
    tokens = record.get("document_tokens")
    if not isinstance(tokens, list) or not all(
        isinstance(token, dict) and isinstance(token.get("token"), str) for token in tokens
    ):
        raise BadInput("has neither document_text nor document_tokens.")
    return [None if token.get("html_token") else token["token"] for token in tokens]


def _is_tag(word: str) -> bool:
    return len(word) > 2 and word[0] == "<" and word[-1] == ">"
