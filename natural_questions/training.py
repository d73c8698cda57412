"""Natural Questions as training takes them: short answers, their boxes, and the whole page."""

from collections.abc import Iterator
from functools import partial

from annotation.core.models.questions import display_form
from annotation.models import Project
from modeling.base import ArticlePassage, BaselineQuestion
from modeling.training.values import Labelled, LabelledPair
from natural_questions.annotation import PageAnnotation
from natural_questions.answers import ReleasedQuestion, read_question_chunks
from natural_questions.own_pages import OwnPage
from natural_questions.parsed_pages import parsed_of
from natural_questions.scores import to_nq_annotation, to_nq_span


def read_labelled(project: Project, split: str) -> Iterator[Labelled]:
    """Give the questions of a split with their pages, and the answers of accepted annotations.

    What every annotator found on the page comes as it was given. Among answers in words are only
    short ones in a box: “yes” and “no” are not written on a page, and a box alone is no answer.
    Only within `snapshot`. Two queries for every 500 questions, and one for the page of each that
    has a short answer; the other pages are read when they are opened.
    """
    for chunk in read_question_chunks(project, split):
        for row in chunk:
            yield _label(row)


def _label(row: ReleasedQuestion) -> Labelled:
    asked = BaselineQuestion(row.external_id, display_form(row.text))  # as baselines are asked it
    if row.left_out:
        return Labelled(row.pk, row.text, asked, row.left_out)
    found = [annotation for annotation in row.annotations if annotation.long and annotation.short]
    annotations: tuple[tuple[LabelledPair, ...], ...] = ()
    evidence: tuple[ArticlePassage, ...] = ()
    if found:
        page, parsed = OwnPage(row.pk), parsed_of(row.pk)
        title = parsed.title if parsed else ""
        annotations = tuple(filter(None, (_list_pairs(page, annotation) for annotation in found)))
        boxes = (page.words_at(to_nq_span(one.long)) for one in found if one.long)
        evidence = tuple(
            ArticlePassage("", title, words) for words in dict.fromkeys(filter(None, boxes))
        )
    return Labelled(
        row.pk,
        row.text,
        asked,
        annotations=annotations,
        evidence=evidence,
        open_page=partial(OwnPage, row.pk),
        answers_on_page=tuple(map(to_nq_annotation, row.annotations)),
        source="import" if row.imported else "",
        newest=row.newest,
    )


def _list_pairs(page: OwnPage, annotation: PageAnnotation) -> tuple[LabelledPair, ...]:
    words = (page.words_at(to_nq_span(span)) for span in annotation.short)
    return tuple(LabelledPair((), (text,)) for text in dict.fromkeys(words) if text)
