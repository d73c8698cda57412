"""Questions with many answers, as training takes them: proofs are where answers are read."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from annotation.models import Project, Question
from modeling.base import ArticlePassage, BaselineQuestion
from modeling.training.values import Labelled, LabelledPair
from qampari import rows
from qampari.for_models import build_inputs
from qampari.gold_answers import AcceptedList, read_accepted_lists
from qampari.records import RecordAnswer
from qampari.sheets import page_of
from qampari.verdicts import JudgedCandidate, accepted_of, read_judged_answers

_AT_ONCE = 250
_LEFT_OUT: Mapping[str, str] = {
    Question.State.EXCLUDED: "excluded",
    Question.State.SKIPPED: "skipped",
    Question.State.ACCEPTED: "",
}


def read_labelled(project: Project, split: str) -> Iterator[Labelled]:
    """Give the questions of a split with the answers that count, and the proofs of both kinds.

    Only within `snapshot`. Seven queries at most for every 250.
    """
    questions = Question.objects.filter(project=project, split=split).order_by("pk")
    found = questions.iterator(chunk_size=_AT_ONCE)
    while chunk := list(islice(found, _AT_ONCE)):
        yield from _read_chunk(chunk)


def _read_chunk(chunk: Sequence[Question]) -> Iterator[Labelled]:
    accepted = [row for row in chunk if row.state == Question.State.ACCEPTED]
    lists = {row.question.pk: row for row in read_accepted_lists(accepted)}
    asked = dict(zip((row.pk for row in accepted), build_inputs(accepted), strict=True))
    judged = read_judged_answers(asked)
    for row in chunk:
        left_out = _LEFT_OUT.get(row.state, "unfinished")
        if left_out:
            unasked = BaselineQuestion(row.external_id, row.prompt, as_list=True)
            yield Labelled(row.pk, row.prompt, unasked, left_out)
        else:
            refused = _list_refused(row, judged.get(row.pk, ()))
            yield _label(lists[row.pk], asked[row.pk], refused)


def _label(
    accepted: AcceptedList, asked: BaselineQuestion, refused: Sequence[ArticlePassage]
) -> Labelled:
    pairs = tuple(LabelledPair((), answer.forms) for answer in accepted.answers)
    return Labelled(
        accepted.question.pk,
        accepted.question.prompt,
        asked,
        "" if pairs else "no_answer",
        annotations=(pairs,) if pairs else (),
        evidence=tuple(dict.fromkeys(_list_proofs(accepted.answers))),
        refused=tuple(dict.fromkeys(refused)),
        source="import",
    )


def _list_refused(
    question: Question, judged: Sequence[JudgedCandidate]
) -> Sequence[ArticlePassage]:
    """Return the proofs of the answers that people, or staff after them, did not accept."""
    kept = set(accepted_of(judged))
    refused = {row.position for row in judged} - kept
    answers = rows.record_of(question).answers if refused else ()
    return list(_list_proofs([answer for place, answer in enumerate(answers) if place in refused]))


def _list_proofs(answers: Sequence[RecordAnswer]) -> Iterator[ArticlePassage]:
    for answer in answers:
        for proof in answer.proofs:
            yield ArticlePassage("", page_of(proof.url), proof.text)
