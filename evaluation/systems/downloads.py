"""The answers of a system as a file, which `import_outputs` reads again."""

from collections.abc import Iterator

import orjson
from django.utils.text import slugify

from annotation.models import Question
from evaluation.systems.models import System
from evaluation.systems.output_files import find_file

TEXTS = "texts"
OFFICIAL = "official"


def list_forms(system: System) -> list[str]:
    """Return the forms in which the answers of a system can be written: texts by id, and the file
    that the scorer of the data set takes, where the project has one.
    """
    own = find_file(system.project)
    return [TEXTS, *([OFFICIAL] if own and own.encode else [])]


def name_file(system: System, form: str, split: str = "") -> str:
    """Return what the file is called."""
    parts = [system.project.slug, slugify(str(system)), split, form]
    return f"{'-'.join(filter(None, parts))}.json"


def stream_answers(system: System, form: str, split: str = "") -> Iterator[bytes]:
    """Give the answers to the questions that are not excluded, in the order of import. One query.

    split: "" for all.
    """
    rows = system.outputs.exclude(question__state=Question.State.EXCLUDED).order_by("pk")
    if split:
        rows = rows.filter(question__split=split)
    own = find_file(system.project)
    if form == OFFICIAL and own is not None and own.encode is not None:
        # Not all that is stored: a baseline can have found hundreds of passages.
        stored = rows.values_list("question__external_id", "text", f"details__{own.holds}")
        return own.encode(
            (name, text, {} if value is None else {own.holds: value})
            for name, text, value in stored.iterator(500)
        )
    return _encode_texts(rows.values_list("question__external_id", "text").iterator(500))


def _encode_texts(rows: Iterator[tuple[str, str]]) -> Iterator[bytes]:
    between = b"{\n"
    for name, text in rows:
        yield between + orjson.dumps(name) + b": " + orjson.dumps(text)
        between = b",\n"
    yield b"\n}\n" if between == b",\n" else b"{}\n"
