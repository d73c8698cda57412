"""Reads samples, their items and labels; nobody's labels before all labellers have chosen."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.core.consistent_view import snapshot
from annotation.extensions.parts import RowUse
from annotation.models import Project, Question
from annotation.protocols import registry as protocols
from evaluation.labelling.models import Labelling, LabelSample, LabelScheme, SampledItem
from evaluation.labelling.policies import find_closed_questions
from evaluation.labelling.schemes import AMBIGUITY, BUILT_IN, Scheme
from evaluation.systems.models import Output, System
from metrics.text import answer_key
from validation.decisions import accepted_answers
from validation.decisions.accepted_answers import DecidedQuestion


@dataclass(frozen=True)
class LabelledItem:
    """An item with its labels. given: of its labellers; decision: on labels that differ, if any."""

    item: SampledItem
    labellers: int
    given: tuple[Labelling, ...]
    decision: Labelling | None

    @property
    def is_done(self) -> bool:
        """Whether all its labellers have chosen, so that anybody may see what."""
        return len(self.given) >= self.labellers

    @property
    def differs(self) -> bool:
        """Whether all have chosen, and not the same."""
        return self.is_done and len({frozenset(row.categories) for row in self.given}) > 1

    @property
    def final(self) -> list[str]:
        """The categories that count; none while labels are missing, or differ undecided."""
        if self.decision:
            return self.decision.categories
        return self.given[0].categories if self.is_done and not self.differs else []

    def find_own(self, user: User) -> Labelling | None:
        """Return what the person chose, None if they have not."""
        return next((row for row in self.given if row.labeller_id == user.pk), None)

    def list_readable(self, user: User) -> list[Labelling]:
        """Return the labels that the person may see: all of them, or until then their own."""
        return [row for row in self.given if self.is_done or row.labeller_id == user.pk]


@dataclass(frozen=True)
class SampleRow:
    """A sample with the number of its items, and of those that all have labelled."""

    sample: LabelSample
    size: int
    done: int


def list_schemes(project: Project) -> list[Scheme]:
    """Return the schemes that the project's protocol has items for, its own last. One query."""
    protocol = protocols.protocol_of(project)
    known = [*BUILT_IN, *(row.scheme for row in LabelScheme.objects.filter(project=project))]
    return [row for row in known if protocol.has_feature(row.kind_of_item.needs)]


def list_answering_systems(project: Project) -> QuerySet[System]:
    """Return the systems whose answers can be labelled: those that are no people."""
    return project.systems.exclude(kind=System.Kind.HUMAN).filter(
        Exists(Output.objects.filter(system=OuterRef("pk")))
    )


def list_samples(project: Project) -> list[SampleRow]:
    """Return the samples of a project, in the order in which they were drawn. One query."""
    samples = (
        LabelSample.objects.filter(project=project)
        .select_related("project", "own", "system")
        .annotate(
            size=Count("items", distinct=True),
            done=Count("items__labellings", filter=Q(items__labellings__place=F("labellers"))),
        )
        .order_by("pk")
    )
    return [SampleRow(row, row.size, row.done) for row in samples]


def find_sample(project: Project, pk: int) -> SampleRow | None:
    """Return a sample of the project, None if it has none of this id. One query."""
    return next((row for row in list_samples(project) if row.sample.pk == pk), None)


def find_ambiguity(project: Project) -> SampleRow | None:
    """Return the sample for types of ambiguity, None before anything was drawn. One query."""
    rows = list_samples(project)
    return next((row for row in rows if row.sample.scheme_key == AMBIGUITY), None)


def attach_labels(items: Iterable[SampledItem], labellers: int) -> list[LabelledItem]:
    """Return items of a sample with their labels. One query."""
    rows = list(items)
    by_item: dict[int, list[Labelling]] = defaultdict(list)
    found = Labelling.objects.filter(item__in=rows).select_related("labeller")
    for labelling in found.order_by("item", "place"):
        by_item[labelling.item_id].append(labelling)
    return [_attach(row, labellers, by_item[row.pk]) for row in rows]


def _attach(item: SampledItem, labellers: int, labels: Sequence[Labelling]) -> LabelledItem:
    decision = next((row for row in labels if row.place == 0), None)
    return LabelledItem(item, labellers, tuple(row for row in labels if row.place), decision)


def find_item(item: SampledItem) -> LabelledItem:
    """Return an item with its labels. One query."""
    [found] = attach_labels([item], item.sample.labellers)
    return found


def list_open_items(sample: LabelSample, user: User) -> list[SampledItem]:
    """Return what the person can label next, in the order of the sample. Up to five queries."""
    items = (
        SampledItem.objects.filter(sample=sample)
        .exclude(Exists(_labels(place=sample.labellers)))
        .exclude(Exists(_labels(labeller=user, place__gt=0)))
        .select_related("question")
        .order_by("position")
    )
    rows = list(items)
    closed = find_closed_questions(user, sample.project, [row.question_id for row in rows])
    for row in rows:
        row.sample = sample
    return [row for row in rows if row.question_id not in closed]


def _labels(**fields: object) -> QuerySet[Labelling]:
    """Return the labels of an item; the last of its labellers has the place of their number."""
    return Labelling.objects.filter(item=OuterRef("pk"), **fields)


def list_disagreements(sample: LabelSample) -> list[LabelledItem]:
    """Return the items on whose labels nobody has decided though they differ. Two queries."""
    if sample.labellers == 1:
        return []
    items = (
        SampledItem.objects.filter(Exists(_labels(place=sample.labellers)), sample=sample)
        .exclude(Exists(_labels(place=0)))
        .select_related("question", "sample__project", "sample__own")
        .order_by("position")
    )
    return [row for row in attach_labels(items, sample.labellers) if row.differs]


def read_finished(sample: LabelSample, split: str = "") -> list[LabelledItem]:
    """Return the items that all have labelled, of a split or of all. Two queries."""
    items = SampledItem.objects.filter(sample=sample).select_related("question")
    if split:
        items = items.filter(question__split=split)
    found = attach_labels(items.order_by("position"), sample.labellers)
    return [row for row in found if row.is_done]


def list_uses_of_systems(systems: Collection[int]) -> list[RowUse]:
    """Return the samples of these systems' answers, the oldest first. One query."""
    labelled = Labelling.objects.filter(item__sample=OuterRef("pk"))
    rows = LabelSample.objects.filter(system__in=systems).select_related("own", "system")
    return [
        RowUse(row.system.pk, row.scheme.title, row.begun, "sample")
        for row in rows.annotate(begun=Exists(labelled)).order_by("pk")
        if row.system
    ]


# --- what can be drawn ----------------------------------------------------------------------------


def list_undrawn(
    project: Project,
    scheme: Scheme,
    system: System | None,
    split: str,
    drawn: Collection[int],
) -> list[tuple[int, str]]:
    """Return id and external id of the questions of a split that a sample does not have yet."""
    if scheme.kind == "long":
        outputs = Output.objects.filter(system=system, question__split=split)
        outputs = outputs.exclude(question__state=Question.State.EXCLUDED).order_by("question")
        found = list(outputs.values_list("question", "question__external_id"))
    else:
        decided = _pick_decided(project, scheme, system, split)
        found = [(row.pk, row.external_id) for row in decided]
    return [row for row in found if row[0] not in drawn]


def _pick_decided(
    project: Project, scheme: Scheme, system: System | None, split: str
) -> list[DecidedQuestion]:
    rows = read_decided(project, split)
    if scheme.key == AMBIGUITY:
        return [row for row in rows if min(len(answers.pairs) for answers in row.sets) > 1]
    if scheme.kind == "prediction":
        answered = set(Output.objects.filter(system=system).values_list("question", flat=True))
        return [row for row in rows if row.pk in answered]
    if scheme.kind == "mismatch":
        known = read_known_answers(project, split)
        return [row for row in rows if row.pk in known and is_mismatch(row, known[row.pk])]
    return list(rows)


def read_decided(project: Project, split: str | None) -> Iterator[DecidedQuestion]:
    """Give the questions for which something is accepted. Four queries for each chunk."""
    with snapshot(), closing(accepted_answers.read_question_chunks(project, split)) as chunks:
        for questions in chunks:
            yield from (row for row in questions if not row.left_out)


def read_known_answers(project: Project, split: str | None) -> Mapping[int, list[str]]:
    """Return the answers with which questions were imported, by their ids. One query."""
    questions = Question.objects.filter(project=project).exclude(known_answers=[])
    if split:
        questions = questions.filter(split=split)
    return dict(questions.values_list("pk", "known_answers"))


def is_mismatch(row: DecidedQuestion, known: Sequence[str]) -> bool:
    """Whether none of a question's known answers is among the accepted ones (A78)."""
    accepted = {answer_key(x) for answers in row.sets for pair in answers.pairs for x in pair.forms}
    return not accepted & {answer_key(text) for text in known}
