"""Where what a baseline said goes: outputs of a system, once for each version and question."""

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Protocol

import orjson
from django.db.models import QuerySet

from accounts.models import User
from annotation.models import Project, Question
from annotation.text.cleaning import passage_of
from evaluation.models import Output, Study, System
from evaluation.scores.values import MOST_PASSAGES, Details
from evaluation.systems.formats import MAX_ANSWER
from evaluation.systems.services import system_of
from modeling.base import Baseline, Corpus, Prediction, ReadsPassages, ShortAnswer
from modeling.for_models import ForModels
from modeling.registry import BaselineEntry

NOTHING_FOUND = "There is no answer on the page."
NAMED = 100  # problems kept of a run; all are counted
_LONGEST_PROBLEM = 500
_LONGEST_VERSION = 40
_STORED = ("question", "text", "details")


@dataclass
class RunReport:
    """What a run did. `errors` names the first 100 questions without an output, or with one of
    which a part cannot be used, `rejected` counts them all. `kept`: texts that differ and stayed,
    because a study uses them. Tokens and cost are those that the baseline counted; `cost` is a
    decimal number as text, "" where none is known.
    """

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    kept: int = 0
    rejected: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: str = ""
    errors: list[dict[str, str]] = field(default_factory=list)

    @property
    def done(self) -> int:
        """The number of questions finished."""
        return self.created + self.changed + self.unchanged + self.kept + self.rejected

    def reject(self, name: str, problem: str) -> None:
        """Count a question without an output, and say why."""
        self.rejected += 1
        if len(self.errors) < NAMED:
            problem = _clean(problem)[:_LONGEST_PROBLEM] or "It gave no answer."
            self.errors.append({"name": name, "reason": problem})

    def count_use(self, prediction: Prediction) -> None:
        """Add what a prediction cost."""
        self.tokens_in += prediction.tokens_in
        self.tokens_out += prediction.tokens_out
        if prediction.cost is not None:
            self.cost = str(prediction.cost + Decimal(self.cost or 0))

    def as_json(self) -> dict[str, Any]:
        """Return the result of a job."""
        return asdict(self)


class Store(Protocol):
    """What a run writes, under a name and a version.

    references: whether the baseline is given the reference disambiguations for it. The version says
    which code, options and corpus gave it, so that they do not mix.
    """

    references: ClassVar[bool]
    name: str
    version: str

    @staticmethod
    def list_taken(for_models: ForModels) -> frozenset[str]:
        """Return what of a prediction it can hold."""
        ...

    def exclude_stored(self, questions: QuerySet[Question]) -> QuerySet[Question]:
        """Leave out the questions that have something of this name and version."""
        ...

    def write_predictions(
        self,
        predictions: Sequence[tuple[Question, Prediction]],
        report: RunReport,
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write what was said of some questions, in the caller's transaction, and count it."""
        ...


class Outputs:
    """Outputs of a system whose name is the baseline's key.

    A text that differs replaces the one before, unless a study that has begun uses the system.
    """

    references: ClassVar = True

    def __init__(
        self,
        project: Project,
        entry: BaselineEntry,
        baseline: Baseline,
        corpus: Corpus | None,
        options: Mapping[str, str],
    ) -> None:
        self.project = project
        self.name = entry.key
        self.kind = System.Kind.MODEL if entry.heavy else System.Kind.BASELINE
        used = corpus if entry.searches else None
        self.version = version_of(baseline, options, used)
        self.options: dict[str, object] = {"baseline": baseline.label, **options}
        if isinstance(baseline, ReadsPassages):
            self.options["passages"] = str(baseline.passages_read)
        if entry.family:
            self.options["family"] = entry.family
        if used is not None:
            self.options |= {"corpus": used.name, "corpus_version": used.version}

    @staticmethod
    def list_taken(for_models: ForModels) -> frozenset[str]:
        """Return what outputs are made of in the project."""
        return for_models.outputs

    def exclude_stored(self, questions: QuerySet[Question]) -> QuerySet[Question]:
        """Leave out the questions that have an output of this version."""
        mine = Output.objects.filter(
            system__project=self.project, system__name=self.name, system__version=self.version
        )
        return questions.exclude(pk__in=mine.values("question"))

    def write_predictions(
        self,
        predictions: Sequence[tuple[Question, Prediction]],
        report: RunReport,
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write the outputs of some questions, and count them."""
        # Locked, as a study that starts locks it.
        system = system_of(self.project, self.name, self.version, self.kind, self.options, by, now)
        frozen = system.studies.exclude(state=Study.State.DRAFT).exists()
        questions = [question.pk for question, _ in predictions]
        rows = Output.objects.filter(system=system, question__in=questions)
        before = {key: (text, more) for key, text, more in rows.values_list(*_STORED)}
        new = []
        for question, prediction in predictions:
            report.count_use(prediction)
            text, problem = text_of(prediction)
            old_text, old_details = before.get(question.pk, (None, None))
            if problem:
                report.reject(question.external_id, problem)
                continue
            details = details_of(prediction)
            if old_text == text:
                report.unchanged += 1
            elif old_text is not None and frozen:
                report.kept += 1
                continue
            else:
                report.changed += old_text is not None
                report.created += old_text is None
            if (old_text, old_details) != (text, details):
                new.append(Output(system=system, question=question, text=text, details=details))
        Output.objects.bulk_create(
            new,
            update_conflicts=True,
            unique_fields=["system", "question"],
            update_fields=["text", "details"],
        )


def text_of(prediction: Prediction) -> tuple[str, str]:
    """Return what is stored of a prediction, and "" or why nothing is.

    A long answer as it is; else a line for each disambiguation with its answers; else a line for
    each answer. Of answers on a page the short ones, else the long one, else that there is none.
    """
    if prediction.problem:
        return "", prediction.problem
    if prediction.spans is not None:
        said = _joined(prediction.answers) or prediction.long_answer
        return _clean(said) or NOTHING_FOUND, ""
    lines = [f"{pair.question} {_joined(pair.answers)}" for pair in prediction.pairs]
    lines = lines or [answer.text for answer in prediction.answers]
    text = _clean(prediction.long_answer or "\n".join(lines))
    if not text:
        return "", "It gave no answer."
    if len(text) > MAX_ANSWER:
        return "", f"Its answer has {len(text):,} characters. The maximum is {MAX_ANSWER:,}."
    return text, ""


def details_of(prediction: Prediction) -> dict[str, Any]:
    """Return what is scored besides the text: answers, pairs, the first passages, and places."""
    passages = prediction.passages[:MOST_PASSAGES]
    titles = tuple(_clean(row.title) for row in passages)
    return Details(
        answers=tuple(_clean(answer.text) for answer in prediction.answers),
        pairs=tuple(
            (_clean(pair.question), _clean(answer.text))
            for pair in prediction.pairs
            for answer in pair.answers[:1]  # the others are forms of it
        ),
        passages=tuple(_clean(row.text) for row in passages),
        titles=titles if any(titles) else (),
        spans=prediction.spans,
        knowledge_of=prediction.knowledge_of,
    ).as_json()


def _joined(answers: Iterable[ShortAnswer]) -> str:
    return "; ".join(answer.text for answer in answers)


def _clean(text: str) -> str:
    """Return a text that can be stored and shown; what a model wrote is from outside."""
    return passage_of(text, len(text), "The answer")


def version_of(baseline: Baseline, options: Mapping[str, str], corpus: Corpus | None) -> str:
    """Return the baseline's version, with a hash of options and corpus where it has any."""
    code = baseline.version
    facts = [sorted(options.items()), [corpus.name, corpus.version] if corpus else []]
    if facts == [[], []]:
        return code[:_LONGEST_VERSION]
    digest = hashlib.blake2b(orjson.dumps(facts), digest_size=4).hexdigest()
    return f"{code[: _LONGEST_VERSION - len(digest) - 1]}-{digest}"
