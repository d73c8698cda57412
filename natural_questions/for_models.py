"""What models need of Natural Questions: pages, annotations, suggestions, scores, and its file."""

from collections.abc import Iterator, Sequence
from functools import partial

from annotation.models import Project, Question
from annotation.suggestions.values import SuggestedContent
from metrics.nq import NqSpan
from modeling.base import ANSWERS, LONG_ANSWER, PAIRS, SPANS, BaselineQuestion, Prediction
from modeling.examples import Example
from modeling.for_models import ForModels
from natural_questions import scores
from natural_questions.boxes import Box
from natural_questions.own_pages import OwnPage, title_of
from natural_questions.parsed_pages import parsed_of
from natural_questions.prediction_file import PREDICTIONS
from natural_questions.tokens import words_of


def build_inputs(
    questions: Sequence[Question], *, references: bool = True
) -> list[BaselineQuestion]:
    """Return the questions in their order, each with its page. No query: pages are read as needed.

    references: nothing of what people answered comes with a question, so it changes nothing.
    """
    return [
        BaselineQuestion(
            question.external_id,
            question.prompt,
            pages=tuple(filter(None, [title_of(question.context)])),
            page=OwnPage(question.pk) if question.context.get("page") else None,
        )
        for question in questions
    ]


def read_examples(project: Project, split: str) -> Iterator[Example]:
    """Give each accepted annotation of the questions of a split, those without an answer too."""
    rows = Question.objects.filter(project=project, split=split)
    titles = {
        pk: title_of({"title": title, "url": url})
        for pk, title, url in rows.values_list("pk", "context__title", "context__url")
    }
    for question, annotations in scores.read_gold_annotations(project, split):
        for spans in annotations:
            yield Example(
                *(titles[question.pk], question.text, "", (), question.external_id),
                spans=spans,
                open_page=partial(OwnPage, question.pk),
            )


def list_box_suggestions(question: Question, prediction: Prediction) -> Iterator[SuggestedContent]:
    """Give the box that a system answers with: the smallest one that holds its long answer.

    None where it answers that there is none, or where no box holds the whole of it. A query, unless
    the page was used lately.
    """
    long = prediction.spans.long if prediction.spans else None
    page = parsed_of(question.pk) if long else None
    box = find_smallest_box(page.boxes, long) if page and long else None
    if page and box:
        tokens = page.tokens[box.span.start_token : box.span.end_token]
        yield SuggestedContent("long_answer", text=words_of(tokens), title=page.title, box=box.key)


def find_smallest_box(boxes: Sequence[Box], span: NqSpan) -> Box | None:
    """Return the smallest box that holds a stretch, known by tokens or else by bytes."""
    start, end = span.start_token, span.end_token
    if start >= 0:
        around = [
            box for box in boxes if box.span.start_token <= start and end <= box.span.end_token
        ]
    else:
        around = [
            box
            for box in boxes
            if 0 <= box.span.start_byte <= span.start_byte and span.end_byte <= box.span.end_byte
        ]
    return min(around, key=lambda box: box.span.end_token - box.span.start_token, default=None)


FOR_MODELS = ForModels(
    build_inputs=build_inputs,
    read_examples=read_examples,
    outputs=frozenset({ANSWERS, LONG_ANSWER, PAIRS, SPANS}),
    suggestions=frozenset({SPANS}),
    list_suggestions=list_box_suggestions,
    scoring=scores.SCORING,
    own_pages=True,
    file=PREDICTIONS,
)
