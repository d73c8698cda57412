"""Questions of which one answer is known (A94): of a project's train split, or NQ-open's file.

Those of a project are not finished or were skipped; nobody's work is in their known answers. None
is held out for scores, in any project of this installation, and none has all of its answers.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from annotation.models import Question
from metrics.text import answer_key
from modeling.base import BadOption, BaselineQuestion
from modeling.outputs import clean_short_answer
from modeling.training.answer_forms import hold_marks
from modeling.training.labelled import Barriers
from modeling.training.reasons import HELD_OUT, NO_ANSWER, SEPARATOR_INSIDE, UNFINISHED
from modeling.training.values import Labelled

_OPEN: Final = (UNFINISHED, "skipped")
HAS_ALL, TWICE = "has_all_answers", "twice"


@dataclass(frozen=True, slots=True)
class PartialQuestion:
    """A question with the forms of its known answer, the first of which models continue."""

    labelled: Labelled
    known: tuple[str, ...]


def choose_partial_questions(
    found: Iterable[PartialQuestion], full: Iterable[Labelled], held: frozenset[str]
) -> tuple[list[PartialQuestion], Counter[str]]:
    """Return the questions that models may be asked about, and how many others, by reason.

    full: the questions with all of their answers; held: keys of those held out for scores.
    """
    all_known = {answer_key(text) for each in full for text in (each.prompt, each.asked.question)}
    seen: set[str] = set()
    kept, left_out = [], Counter[str]()
    for partial in found:
        keys = {answer_key(partial.labelled.prompt), answer_key(partial.labelled.asked.question)}
        if not held.isdisjoint(keys):
            left_out[HELD_OUT] += 1
        elif not all_known.isdisjoint(keys):
            left_out[HAS_ALL] += 1
        elif not seen.isdisjoint(keys):
            left_out[TWICE] += 1
        elif not partial.known:
            left_out[NO_ANSWER] += 1
        elif hold_marks([partial.known]):
            left_out[SEPARATOR_INSIDE] += 1
        else:
            seen |= keys
            kept.append(partial)
    return kept, left_out


def read_project_partial(barriers: Barriers) -> list[PartialQuestion]:
    """Return the questions of the split that have known answers and none that is accepted.

    Only within `snapshot`, and then one query beside those of `Barriers.read_labelled`.
    """
    rows = Question.objects.filter(project=barriers.project, split=barriers.split)
    known = dict(rows.exclude(known_answers=[]).values_list("pk", "known_answers"))
    return [
        PartialQuestion(row, _clean(known[row.pk]))
        for row in barriers.read_labelled()
        if row.left_out in _OPEN and row.pk in known
    ]


def read_partial_file(path: Path) -> Iterator[PartialQuestion]:
    """Give the questions of a file as NQ-open's: lines of {"question": text, "answer": [text]}.

    Raises BadOption, with the number of the line, for what is no such file.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _read_line(path, number, line)
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"{path} cannot be read: {error}.") from None


def _read_line(path: Path, number: int, line: str) -> PartialQuestion:
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    question = said.get("question") if isinstance(said, dict) else None
    answers = said.get("answer") if isinstance(said, dict) else None
    if (
        not isinstance(question, str)
        or not clean_short_answer(question)
        or not isinstance(answers, list)
        or not all(isinstance(answer, str) for answer in answers)
    ):
        raise BadOption(
            f"{path}, line {number}: write an object with a text “question” and a list of texts "
            "“answer”, as NQ-open has them."
        )
    asked = BaselineQuestion(f"nq-open:{number}", clean_short_answer(question))
    return PartialQuestion(Labelled(0, question, asked, source="import"), _clean(answers))


def _clean(answers: Iterable[object]) -> tuple[str, ...]:
    """Return the answers as they are; a mark of a model's own stays, so that it is seen."""
    texts = (" ".join(str(answer).split()) for answer in answers)
    return tuple(dict.fromkeys(filter(None, texts)))
