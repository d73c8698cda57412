"""Questions whose data are disambiguations, as training takes them: AmbigQA's and ASQA's."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.db.models import Prefetch

from annotation.models import Answer, Assignment, Project, Question
from modeling.base import ArticlePassage, BaselineQuestion
from modeling.disambiguation_inputs import build_baseline_inputs
from modeling.training.values import Labelled, LabelledPair, LabelledText
from validation.decisions import accepted_answers, accepted_long_answers
from validation.decisions.accepted_answers import DecidedQuestion
from validation.decisions.accepted_long_answers import LongAnsweredQuestion
from validation.verdicts.comparing import AnswerSet
from wikipedia.models import Quote


def read_answer_sets(project: Project, split: str) -> Iterator[Labelled]:
    """Give the questions of a split with the sets of pairs that are accepted (AmbigQA).

    Only within `snapshot`. Eleven queries at most for every 250.
    """
    for chunk in accepted_answers.read_question_chunks(project, split):
        kept = [row.pk for row in chunk if not row.left_out]
        asked, evidence = _ask(kept), _read_evidence(kept)
        for row in chunk:
            yield _with_sets(row, asked.get(row.pk), evidence.get(row.pk, ()))


def read_long_answers(project: Project, split: str) -> Iterator[Labelled]:
    """Give the questions of a split with their long answers and the reference pairs (ASQA).

    Only within `snapshot`. Eight queries at most for every 250.
    """
    for chunk in accepted_long_answers.read_question_chunks(project, split):
        asked = _ask([row.pk for row in chunk if not row.left_out])
        for row in chunk:
            yield _with_texts(row, asked.get(row.pk))


def _ask(questions: Sequence[int]) -> Mapping[int, BaselineQuestion]:
    rows = list(Question.objects.filter(pk__in=questions))
    return dict(zip((row.pk for row in rows), build_baseline_inputs(rows), strict=True))


def _with_sets(
    row: DecidedQuestion, asked: BaselineQuestion | None, evidence: Sequence[ArticlePassage]
) -> Labelled:
    asked = asked or BaselineQuestion(row.external_id, row.text)
    return Labelled(
        row.pk,
        row.text,
        asked,
        row.left_out,
        annotations=tuple(filter(None, map(_list_pairs, row.sets))),
        evidence=tuple(dict.fromkeys((*evidence, *_list_passages(asked)))),
        source=row.source,
        newest=row.newest,
    )


def _list_pairs(accepted: AnswerSet) -> tuple[LabelledPair, ...]:
    return tuple(
        LabelledPair(pair.questions, tuple(dict.fromkeys(pair.forms))) for pair in accepted.pairs
    )


def _with_texts(row: LongAnsweredQuestion, asked: BaselineQuestion | None) -> Labelled:
    asked = asked or BaselineQuestion(row.external_id, row.text)
    pairs = tuple(
        LabelledPair((pair.question,), (answer.text, *answer.aliases))
        for pair in asked.disambiguations
        for answer in pair.answers
    )
    return Labelled(
        row.pk,
        row.text,
        asked,
        row.left_out,
        annotations=(pairs,) if pairs else (),
        long_answers=tuple(
            LabelledText(
                answer.text,
                tuple(
                    ArticlePassage("", page or "", content)
                    for content, page in answer.knowledge
                    if content
                ),
            )
            for answer in row.answers
        ),
        evidence=tuple(dict.fromkeys(_list_passages(asked))),
        source="import" if row.imported else "",
        newest=row.newest,
    )


def _list_passages(asked: BaselineQuestion) -> Iterator[ArticlePassage]:
    """Give the passages that the reference answers come with."""
    for pair in asked.disambiguations:
        for answer in pair.answers:
            if answer.passage:
                yield answer.passage


def _read_evidence(questions: Sequence[int]) -> Mapping[int, list[ArticlePassage]]:
    """Return what annotators quoted for their answers, by question. Three queries.

    With the characters around it, by which a short one is known among others on its page. An
    answer that validators refused has its words elsewhere: whoever uses a quote looks for an
    accepted form in it.
    """
    rows = Answer.objects.filter(
        pair__annotation__question__in=questions,
        pair__annotation__assignment__state=Assignment.State.SUBMITTED,
        pair__annotation__assignment__used=True,
        quote__isnull=False,
    )
    found: dict[int, list[ArticlePassage]] = defaultdict(list)
    quotes = Quote.objects.select_related("page").defer("page__html", "page__text")
    ordered = rows.order_by("pair__annotation_id", "pair__position", "position")
    related = ordered.select_related("pair__annotation")
    for row in related.prefetch_related(
        Prefetch("quote", queryset=quotes), Prefetch("more_quotes", queryset=quotes)
    ):
        found[row.pair.annotation.question_id].extend(_as_passages(row.quotes))
    return found


def _as_passages(quotes: Iterable[Quote]) -> Iterator[ArticlePassage]:
    for quote in quotes:
        text = f"{quote.prefix}{quote.exact}{quote.suffix}"
        yield ArticlePassage("", quote.page.title, text, path=quote.page.path)
