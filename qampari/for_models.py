"""What models need of questions with many answers: lists are asked for, and proofs are evidence."""

from collections.abc import Iterator, Sequence

from annotation.models import Project, Question
from modeling.base import (
    ANSWERS,
    LONG_ANSWER,
    VERDICTS,
    AnsweredDisambiguation,
    ArticlePassage,
    BaselineQuestion,
    ShortAnswer,
)
from modeling.examples import Example
from modeling.for_models import AnswersToCheck, ForModels
from qampari import judged, paraphrases
from qampari.gold_answers import AcceptedList, read_accepted_lists
from qampari.prediction_file import PREDICTIONS
from qampari.records import RecordAnswer
from qampari.scoring import SCORING
from qampari.sheets import page_of


def build_inputs(
    questions: Sequence[Question], *, references: bool = True
) -> list[BaselineQuestion]:
    """Return the questions in their order, each as its accepted paraphrase where it has one.

    references: whether the accepted answers come with them, each with its proofs. At most three
    queries.
    """
    texts = paraphrases.read_accepted_texts(question.pk for question in questions)
    lists = read_accepted_lists(questions) if references else []
    accepted = {row.question.pk: row for row in lists}
    return [
        BaselineQuestion(
            id=question.external_id,
            question=texts.get(question.pk, "") or question.prompt,
            disambiguations=_list_references(accepted.get(question.pk)),
            as_list=True,
        )
        for question in questions
    ]


def _list_references(accepted: AcceptedList | None) -> tuple[AnsweredDisambiguation, ...]:
    if accepted is None:
        return ()
    return tuple(
        AnsweredDisambiguation(accepted.text, tuple(_with_proofs(answer)))
        for answer in accepted.answers
    )


def _with_proofs(answer: RecordAnswer) -> Iterator[ShortAnswer]:
    """Give the answer once with each of its proofs; once without a passage where it has none."""
    aliases = tuple(form for form in answer.forms if form != answer.text)
    # Without their ids: a text that proves several answers is one passage.
    for proof in answer.proofs:
        passage = ArticlePassage("", page_of(proof.url), proof.text)
        yield ShortAnswer(answer.text, aliases, passage)
    if not answer.proofs:
        yield ShortAnswer(answer.text, aliases)


def read_examples(project: Project, split: str) -> Iterator[Example]:
    """Give the questions of a split whose answers are accepted, with all forms of these."""
    rows = Question.objects.filter(project=project, split=split, state=Question.State.ACCEPTED)
    for accepted in read_accepted_lists(list(rows.order_by("pk"))):
        if accepted.answers:
            yield Example(
                page="",
                question=accepted.text,
                long_answer="",
                answers=tuple(answer.text for answer in accepted.answers),
                id=accepted.question.external_id,
                pairs=tuple((accepted.text, answer.forms) for answer in accepted.answers),
            )


# A best passage is kept for the passages that come with it: table 3 is of these.
FOR_MODELS = ForModels(
    build_inputs=build_inputs,
    read_examples=read_examples,
    outputs=frozenset({ANSWERS, LONG_ANSWER}),
    suggestions=frozenset({ANSWERS, VERDICTS}),
    to_check=AnswersToCheck(read=judged.read_candidates, find_unjudged=judged.find_unjudged),
    scoring=SCORING,
    asks_lists=True,
    file=PREDICTIONS,
)
