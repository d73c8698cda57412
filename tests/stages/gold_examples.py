"""How each stage with gold items gets one, and what finds and misses it.

A new stage that offers gold items adds one `GoldExample` to GOLDS; one that does not says why in
its `no_golds`.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotation.models import Project
from natural_questions import pages
from natural_questions.annotation import PageAnnotation, PageSpan, to_json
from tests import factories
from tests.natural_questions import page as nq
from tests.qampari import factories as lists
from tests.qampari import paraphrasing
from tests.stages import examples, recipe
from tests.stages.examples import Fields
from tests.stages.window import Window

Fill = Callable[[Fields], Fields]


@dataclass(frozen=True)
class GoldExample:
    """A gold item of one stage.

    ready: adds ordinary work, and whatever else an item can be drawn from; source: of the plan;
    right, wrong: fill the form so that the item is found, or missed: one for each step.
    """

    ready: Callable[[Project, dt.datetime], object]
    right: Sequence[Fill]
    wrong: Sequence[Fill]
    source: str = "finished"


def _with(**fields: str) -> Fill:
    return lambda form: form | {name: [value] for name, value in fields.items()}


# --- one after the other --------------------------------------------------------------------------


def _answered(project: Project, now: dt.datetime) -> None:
    """A finished question that came with its answer."""
    factories.make_question(
        project, split="train", state="accepted", known_answers=["25 March 1843"]
    )
    examples.train_question(project, now)


def _single(answer: str) -> Fill:
    return _with(**{"kind": "single", "single-answer": answer, "single-quote": ""})


def _agreed(project: Project, now: dt.datetime) -> None:
    """A finished question to which two people found the same words in the same box."""
    first, end = map(int, nq.PARAGRAPH.split("-"))
    words = PageSpan(*map(int, nq.KEEPER.split("-")))
    said = to_json(
        PageAnnotation(good=True, long=PageSpan(first, end), candidate=0, short=(words,))
    )
    finished = nq.make_question(project, state="accepted")
    pages.keep_annotations({finished.pk: [said, said]})
    examples.nq_question(project, now)


def _towns(project: Project, now: dt.datetime) -> None:
    """Two questions with an answer each: one can be the wrong answer to the other."""
    for answer in ("Kelso", "Leeds"):
        lists.make_question(project, now, answers=(answer,))


def _paraphrased(project: Project, now: dt.datetime) -> None:
    """Two paraphrases to verify, and two that are not: one for the question of the other."""
    for name in ("Zebulon Quixote", "Wilhelmina Fjord"):
        author = factories.make_member(project, "annotator", name=name)
        paraphrasing.draw_first(project, author)
        for text in ("Which bridges are by Rennie?", "Which canals are by Rennie?"):
            paraphrasing.accepted(project, now)
            paraphrasing.paraphrase(project, author, text)


def _ambiguous(project: Project, now: dt.datetime) -> None:
    """A finished question that two people called ambiguous."""
    finished = recipe.example().ready(project, now)
    for _ in range(2):
        person = factories.make_member(project, "annotator")
        window = Window(person, project, recipe.STAGE).take()
        fields = recipe.example().write(window.fields, "trains")
        assert window.post("submit", fields).status_code == 302
    finished.refresh_from_db()
    assert finished.state == "accepted"
    recipe.example().ready(project, now)


GOLDS: Mapping[str, GoldExample] = {
    "generation": GoldExample(
        ready=_answered, right=[_single("25 March 1843")], wrong=[_single("7 December 1869")]
    ),
    "nq": GoldExample(
        ready=_agreed,
        right=[examples.good_question, examples.first_paragraph, examples.keeper],
        wrong=[_with(good="no", reason="opinion")],
    ),
    "qampari-check": GoldExample(
        ready=_towns,
        right=[_with(verdict="doubtful")],
        wrong=[_with(verdict="correct")],
        source="copies",
    ),
    "qampari-verify": GoldExample(
        ready=_paraphrased,
        right=[_with(verdict="changed", why="It asks for canals.")],
        wrong=[_with(verdict="same")],
        source="copies",
    ),
    recipe.STAGE: GoldExample(
        ready=_ambiguous,
        right=[_with(verdict="yes", why="It could mean a bridge or a ferry.")],
        wrong=[_with(verdict="no", why="There is one bridge.")],
    ),
}
