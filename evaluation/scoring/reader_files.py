"""Store what a reader answered elsewhere, from a file, for Disambig-F1."""

import datetime as dt
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from django.db import transaction

from accounts.models import User
from annotation.core import audit
from annotation.core.refusals import Conflict
from evaluation.scores.reading import LONGEST_NAME, digest_of
from evaluation.scores.references import pairs_of
from evaluation.scoring.services import clean_answer, store_reader_answers
from evaluation.systems.models import Output, ReaderAnswers, System
from evaluation.systems.policies import check_can_import_outputs
from metrics.inputs import asqa
from metrics.score import BadInput

_NAME = "The file"


def answers_in(file: BinaryIO) -> dict[str, str]:
    """Return the answers of a file of `score asqa --reader-answers`; of several, the first.

    Raises Conflict with a sentence for what cannot be read.
    """
    file.seek(0)
    with TemporaryDirectory() as folder:
        path = Path(folder) / _NAME
        with path.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        try:
            read = asqa.read_reader_answers(path)
        except BadInput as problem:
            raise Conflict(str(problem).replace(str(path), _NAME)) from None
    return {key: answers[0] for key, answers in read.items()}


@transaction.atomic
def store_answers(
    *, system: System, answers: Mapping[str, str], reader: str, by: User | None, now: dt.datetime
) -> tuple[int, int]:
    """Store a reader's answers by `<id of the question>_<place of the disambiguation>`, from 0.

    An output whose disambiguations all have an answer takes them. Returns for how many outputs that
    is so and for how many it is not. Staff only (`by=None`: a command). Raises Conflict where no
    answer is about an output of the system, and changes nothing.
    """
    if by is not None:
        check_can_import_outputs(by, system.project)
    name = one_line(reader)
    made, lacking = [], 0
    rows = Output.objects.filter(system=system).select_related("question").defer("details")
    for row in rows.order_by("pk"):
        pairs = pairs_of(row.question)
        keys = [f"{row.question.external_id}_{place}" for place in pairs]
        if not keys or not all(key in answers for key in keys):
            lacking += bool(keys)
            continue
        asked = [pair.question for pair in pairs.values()]
        given = [clean_answer(answers[key]) for key in keys]
        made.append(
            ReaderAnswers(
                output=row,
                reader=name,
                answers=given,
                digest=digest_of(row.text, asked),
                read_at=now,
            )
        )
    if not made:
        raise Conflict(
            f"The file answers none of the disambiguations that {system} was asked about. Its keys "
            "are the id of a question, an underscore and the place of the disambiguation from 0."
        )
    store_reader_answers(made)
    audit.record_action(
        "reader_answers_stored", system, by=by, now=now, project=system.project,
        system=str(system), reader=name, texts=len(made),
    )  # fmt: skip
    return len(made), lacking


def one_line(reader: str) -> str:
    """Return the name of a reader as signatures can hold it. Raises Conflict where it cannot be."""
    name = " ".join(reader.replace("|", " ").split())
    if not name or len(name) > LONGEST_NAME:
        raise Conflict(f"Name the reader in 1 to {LONGEST_NAME} characters.")
    return name
