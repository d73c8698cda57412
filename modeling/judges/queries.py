"""Reads of judge models: what is left to ask, what they said, and how far they are."""

import datetime as dt
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from zlib import crc32

from django.db.models import Count, Q, Sum

from annotation.jobs.services import UNFINISHED
from annotation.models import Job
from evaluation.models import Item, Output, Study, System
from evaluation.studies.judgment_values import ItemJudgment
from evaluation.studies.queries import CountedJudgment
from modeling.judges.models import JudgeModel, JudgeRun, ModelJudgment

AT_ONCE = 50


@dataclass(frozen=True)
class PendingItem:
    """An item to ask about, with the texts of its systems; swapped: the second on the left."""

    item: Item
    texts: tuple[str, ...]
    swapped: bool


def count_asked(study: Study) -> int:
    """Return how many judgments a model is asked for: pairs in both orders, and no repeats."""
    items = Item.objects.filter(study=study, repeats=None)
    pairs = items.filter(second__isnull=False).count()
    return items.count() + pairs


def read_pending_items(judge: JudgeModel) -> Iterator[PendingItem]:
    """Yield what the judge has not judged yet, in the order of the study, each pair both ways."""
    last = -1
    while items := _read_items(judge, last):
        last = items[-1].position
        texts = _read_texts(items)
        done = set(
            ModelJudgment.objects.filter(judge=judge, item__in=items).values_list("item", "swapped")
        )
        for item in items:
            systems = [system for system in (item.first_id, item.second_id) if system is not None]
            shown = tuple(texts[system, item.question_id] for system in systems)
            for swapped in (False, True)[: len(systems)]:
                if (item.pk, swapped) not in done:
                    yield PendingItem(item, shown, swapped)


def _read_items(judge: JudgeModel, last: int) -> list[Item]:
    rows = Item.objects.filter(study=judge.study_id, repeats=None, position__gt=last)
    return list(rows.select_related("question").order_by("position")[:AT_ONCE])


def _read_texts(items: Sequence[Item]) -> Mapping[tuple[int, int], str]:
    systems = {system for item in items for system in (item.first_id, item.second_id)}
    rows = Output.objects.filter(
        question__in=[item.question_id for item in items], system__in=systems - {None}
    )
    return {
        (system, question): text
        for system, question, text in rows.values_list("system", "question", "text")
    }


def find_open_job(judge: JudgeModel) -> Job | None:
    """Return the unfinished job that asks the judge, if there is one."""
    return Job.objects.filter(judge_run__judge=judge, state__in=UNFINISHED).first()


@dataclass(frozen=True)
class JudgeProgress:
    """How far a judge model is. own: names of systems of the study that it is itself."""

    judge: JudgeModel
    asked: int
    judged: int
    refused: int
    unreadable: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    own: Sequence[str]
    job: Job | None

    @property
    def done(self) -> int:
        """How many of the judgments that it is asked for it has been asked for."""
        return self.judged + self.refused + self.unreadable

    @property
    def running(self) -> bool:
        """Whether a job asks it now, or waits to."""
        return self.job is not None and self.job.state in UNFINISHED


def list_progress(study: Study) -> list[JudgeProgress]:
    """Return the judge models of a study with how far they are. Five queries, one without any."""
    counts = {
        outcome: Count("judgments", filter=Q(judgments__outcome=outcome))
        for outcome in ModelJudgment.Outcome.values
    }
    all_of = {name: f"all_{name}" for name in ("tokens_in", "tokens_out", "cost")}
    sums = {whole: Sum(f"judgments__{name}") for name, whole in all_of.items()}
    rows = JudgeModel.objects.filter(study=study).select_related("allowed_by", "study__project")
    judges = list(rows.annotate(**counts, **sums))
    if not judges:
        return []
    asked, systems = count_asked(study), list(study.systems.all())
    runs = JudgeRun.objects.filter(judge__in=judges).order_by("pk").select_related("job")
    jobs = {run.judge_id: run.job for run in runs}
    return [
        JudgeProgress(
            judge=judge,
            asked=asked,
            **{name: getattr(judge, name) for name in counts},
            tokens_in=getattr(judge, all_of["tokens_in"]) or 0,
            tokens_out=getattr(judge, all_of["tokens_out"]) or 0,
            cost=getattr(judge, all_of["cost"]),
            own=[str(system) for system in systems if wrote_answers(judge, system)],
            job=jobs.get(judge.pk),
        )
        for judge in judges
    ]


def wrote_answers(judge: JudgeModel, system: System) -> bool:
    """Return whether a system is, by its name, version and options, the model that judges."""
    if system.kind == System.Kind.HUMAN:
        return False
    told = " ".join([system.name, system.version, *map(str, system.options.values())]).casefold()
    name = judge.model.casefold().split()[0]
    names = {name, name.rpartition("/")[2]}
    # A name that is too long for a version ends in this (`baselines.llm`).
    shortened = f"{crc32(judge.model.encode()):08x}"
    return shortened in told or any(
        re.search(rf"(?<!\w){re.escape(each)}(?!\w)", told) for each in names
    )


def read_judgments(judge: JudgeModel) -> Iterator[tuple[ModelJudgment, ItemJudgment]]:
    """Yield each verdict of a judge, with its value as those of people are read."""
    rows = ModelJudgment.objects.filter(judge=judge, outcome=ModelJudgment.Outcome.JUDGED)
    related = rows.select_related("item__question", "item__first", "item__second")
    for row in related.order_by("item__position", "swapped"):
        yield row, read_value(judge, row)


def read_value(judge: JudgeModel, row: ModelJudgment) -> ItemJudgment:
    """Return a verdict as those of people are read, sides as they were shown."""
    item, question = row.item, row.item.question
    first, second = str(item.first), "" if item.second is None else str(item.second)
    return CountedJudgment(
        study=judge.study_id,
        position=item.position,
        repeats=None,
        question=question.external_id,
        text=question.text,
        split=question.split,
        context="",
        left=second if row.swapped else first,
        right=first if row.swapped else second,
        judge=judge.model,
        response=row.response or {},
        assignment=None,
        submission=None,
        started=None,
        submitted=row.created_at,
        seconds=0,
        guideline=None,
    ).as_judgment(judge.study)


def count_items_of(judge: JudgeModel, own: Collection[str]) -> int:
    """Return on how many items the judge judges an answer of one of these systems."""
    items = Item.objects.filter(study=judge.study_id, repeats=None)
    systems = [system.pk for system in judge.study.systems.all() if str(system) in own]
    return items.filter(Q(first__in=systems) | Q(second__in=systems)).count() if systems else 0


def read_newest(study: int) -> tuple[int, int, dt.datetime | None]:
    """Return how many judgments of models a study has, of how many models, and since when."""
    rows = ModelJudgment.objects.filter(judge__study=study).order_by("-pk")
    newest = rows.values_list("created_at", flat=True).first()
    return rows.count(), JudgeModel.objects.filter(study=study).count(), newest
