"""What a baseline said becomes suggestions for people, once for each version and question."""

import datetime as dt
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from django.db.models import QuerySet

from accounts.models import User
from annotation.models import Project, Question, Suggestion
from annotation.suggestions.values import SuggestedContent
from modeling import outputs
from modeling.base import (
    ANSWERS,
    LONG_ANSWER,
    PAIRS,
    PASSAGES,
    VERDICTS,
    AnsweredDisambiguation,
    AnswerVerdict,
    ArticlePassage,
    Baseline,
    Corpus,
    Prediction,
    ShortAnswer,
)
from modeling.for_models import ForModels, get_for_models
from modeling.registry import BaselineEntry
from modeling.services.storing import RunReport, version_of

MOST_PASSAGES = 10
_NOWHERE = ArticlePassage("", "", "")


class Suggestions:
    """Suggestions of a system whose name is the baseline's label. None of them is ever changed.

    They are made without the references: an oracle would show people what others answered.
    """

    references: ClassVar = False

    def __init__(
        self,
        project: Project,
        entry: BaselineEntry,
        baseline: Baseline,
        corpus: Corpus | None,
        options: Mapping[str, str],
    ) -> None:
        self.for_models = get_for_models(project)
        self.to_check = self.for_models.to_check if VERDICTS in baseline.gives else None
        self.name = baseline.label
        self.version = version_of(baseline, options, corpus if entry.searches else None)

    @staticmethod
    def list_taken(for_models: ForModels) -> frozenset[str]:
        """Return what the forms of work can show."""
        return for_models.suggestions

    def _mine(self) -> QuerySet[Suggestion]:
        return Suggestion.objects.filter(system=self.name, version=self.version)

    def exclude_stored(self, questions: QuerySet[Question]) -> QuerySet[Question]:
        """Leave out the questions that have suggestions of this version."""
        if self.to_check is not None:
            return self.to_check.find_unjudged(questions, self.name, self.version)
        return questions.exclude(pk__in=self._mine().values("question"))

    def write_predictions(
        self,
        predictions: Sequence[tuple[Question, Prediction]],
        report: RunReport,
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Store the suggestions for some questions, and count the questions."""
        # It loads the reader of articles, which commands that import this module do not need.
        from annotation.suggestions import services as suggestions_services

        questions = [question.pk for question, _ in predictions]
        before = set(self._mine().filter(question__in=questions).values_list("question", flat=True))
        for question, prediction in predictions:
            report.count_use(prediction)
            if prediction.problem:
                report.reject(question.external_id, prediction.problem)
            elif question.pk in before and self.to_check is None:
                report.unchanged += 1
            elif (
                suggestions_services.store_suggestions(
                    question=question,
                    system=self.name,
                    version=self.version,
                    suggestions=self._list_suggestions(question, prediction),
                    now=now,
                )
                and not prediction.unread
            ):
                report.created += 1
            else:
                report.reject(question.external_id, prediction.unread)

    def _list_suggestions(
        self, question: Question, prediction: Prediction
    ) -> Iterable[SuggestedContent]:
        if self.for_models.list_suggestions is not None:
            return self.for_models.list_suggestions(question, prediction)
        return list_suggestions(prediction, self.for_models.suggestions)


def list_suggestions(prediction: Prediction, takes: Container[str]) -> Iterator[SuggestedContent]:
    """Give what people are shown of a prediction: pairs, else answers; passages; a long answer;
    verdicts.

    A long answer that is only the best passage is left out, and so is what no form can show.
    """
    if prediction.pairs and PAIRS in takes:
        yield from map(_pair, outputs.merge_questions(prediction.pairs))
    elif ANSWERS in takes:
        yield from map(_answer, prediction.answers)
    for passage in prediction.passages[:MOST_PASSAGES] if PASSAGES in takes else ():
        yield SuggestedContent("passage", text=passage.text, title=passage.title, path=passage.path)
    texts = {passage.text for passage in prediction.passages}
    if LONG_ANSWER in takes and prediction.long_answer and prediction.long_answer not in texts:
        yield SuggestedContent("long_answer", text=prediction.long_answer)
    if VERDICTS in takes:
        yield from map(_verdict, prediction.verdicts)


def _verdict(said: AnswerVerdict) -> SuggestedContent:
    return SuggestedContent(
        "verdict",
        answers=(said.text,),
        text=said.sentence,
        title=said.title,
        verdict=said.verdict,
        score=said.score,
    )


def _pair(pair: AnsweredDisambiguation) -> SuggestedContent:
    answers = tuple(text for answer in pair.answers for text in (answer.text, *answer.aliases))
    source = next((answer.passage for answer in pair.answers if answer.passage), _NOWHERE)
    return SuggestedContent("pair", pair.question, answers, source.text, source.title, source.path)


def _answer(answer: ShortAnswer) -> SuggestedContent:
    source = answer.passage or _NOWHERE
    answers = (answer.text, *answer.aliases)
    return SuggestedContent("answer", "", answers, source.text, source.title, source.path)
