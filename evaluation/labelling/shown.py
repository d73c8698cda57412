"""What the page of an item shows: the question, what is accepted, and the answer of a system."""

from dataclasses import dataclass

from annotation.contexts.inputs import Disambiguation, inputs_of
from evaluation.labelling.models import SampledItem
from evaluation.labelling.spans import show_text
from evaluation.scores.values import Details
from evaluation.systems.models import Output
from validation.decisions import accepted_answers
from validation.verdicts.comparing import AnswerSet


@dataclass(frozen=True)
class ShownItem:
    """An item as people read it.

    sets: what is accepted; known: the answers with which the question was imported; text: the
    system's answer, whose characters spans count; details: its short answers and pairs.
    """

    sets: tuple[AnswerSet, ...] = ()
    known: tuple[str, ...] = ()
    disambiguations: tuple[Disambiguation, ...] = ()
    text: str = ""
    details: Details = Details()  # noqa: RUF009 - frozen


def show_item(item: SampledItem) -> ShownItem:
    """Return what an item shows. Up to five queries."""
    scheme, question = item.sample.scheme, item.question
    output = find_output(item)
    text = show_text(output.text) if output else ""
    if scheme.kind == "long":
        given = inputs_of(question.prompt, question.context or {}, {})
        return ShownItem(disambiguations=given.disambiguations, text=text)
    return ShownItem(
        sets=accepted_answers.sets_by_question([question.pk])[question.pk],
        known=tuple(question.known_answers) if scheme.kind == "mismatch" else (),
        text=text,
        details=Details.from_stored(output.details) if output else Details(),
    )


def find_output(item: SampledItem) -> Output | None:
    """Return the answer of the sample's system, None where it has none or the sample no system."""
    if item.sample.system_id is None:
        return None
    return Output.objects.filter(system=item.sample.system_id, question=item.question_id).first()
