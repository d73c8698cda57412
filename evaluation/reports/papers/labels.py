"""What people said of sampled items: AmbigQA’s tables 6 and 9, ASQA’s table 6 (A77, A78, S50).

Only items that all labellers have labelled are counted. Where labels differ, the decision counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from annotation.figures.panel import (
    Cell,
    Chart,
    Column,
    Link,
    Panel,
    Value,
    of_score,
    share_with_interval,
)
from annotation.figures.registry import Request
from evaluation.labelling import queries as labelling_queries
from evaluation.labelling.models import LabelSample
from evaluation.labelling.queries import LabelledItem
from evaluation.labelling.schemes import OWN, Scheme, find_scheme
from evaluation.reports.papers import reading
from evaluation.reports.papers.values import SPLITS
from evaluation.results.values import Maker, measure_agreement
from metrics import reliability

_SEED, _RESAMPLES = 1, 1000


@dataclass(frozen=True)
class SampleLabels:
    """A sample with its items that all have labelled."""

    sample: LabelSample
    items: Sequence[LabelledItem]

    @property
    def decided(self) -> list[LabelledItem]:
        """The items whose categories are settled."""
        return [row for row in self.items if row.final]


def read_labels(request: Request) -> list[SampleLabels]:
    """Return the samples of the project with the labels of the chosen split. Two queries each."""
    split = reading.chosen_split(request) or ""
    samples = [row.sample for row in labelling_queries.list_samples(request.project)]
    return [SampleLabels(row, labelling_queries.read_finished(row, split)) for row in samples]


def build_predictions_panel(request: Request) -> Panel:
    """Return AmbigQA's table 6."""
    return _build_scheme_panel(
        request,
        "predictions",
        "The answers of a system beside the accepted ones, drawn at random and labelled. The paper "
        "has 2, 40 and 14 % with several accepted answers, 2, 26 and 12 % with one, and 4 % whose "
        "accepted answers are wrong.",
    )


def build_mismatches_panel(request: Request) -> Panel:
    """Return AmbigQA's table 9."""
    return _build_scheme_panel(
        request,
        "mismatches",
        "Questions that came with answers of which none is accepted, drawn at random and labelled. "
        "The paper has 44, 2, 10, 22, 14, 4 and 4 %.",
    )


def build_long_errors_panel(request: Request) -> Panel:
    """Return how often each error of ASQA's table 6 is found in the long answers of systems."""
    return _build_scheme_panel(
        request,
        "long-errors",
        "Long answers of a system, drawn at random and labelled. An answer can have more than one "
        "error. Highlights are the words that labellers marked, each with its category.",
    )


def _build_scheme_panel(request: Request, key: str, definition: str) -> Panel:
    scheme = find_scheme(key)
    assert scheme is not None
    samples = [row for row in request.once(read_labels) if row.sample.scheme_key == key]
    slug = request.project.slug
    page = (
        samples[0].sample.get_absolute_url()
        if len(samples) == 1
        else reverse("label-list", args=[slug])
        if samples
        else reverse("label-new", args=[slug, key])
    )
    return tabulate_labels(samples, scheme, definition, Link("Label items", page))


def tabulate_labels(
    samples: Sequence[SampleLabels], scheme: Scheme, definition: str, page: Link
) -> Panel:
    """Return how many items of each sample have each category of the scheme."""
    systems = len(samples) > 1
    columns = [
        Column("category", "Category"),
        *([Column("system", "System")] if systems else []),
        Column("items", "Items", "count"),
        Column("share", "Share", "share"),
        *([Column("highlights", "Highlights", "count")] if scheme.spans else []),
    ]
    rows: list[list[Cell]] = [
        [
            _name_category(scheme, each.key),
            *([str(labelled.sample.system)] if systems else []),
            *_count_category(labelled.decided, each.key),
            *([_count_highlights(labelled.items, each.key)] if scheme.spans else []),
        ]
        for labelled in samples
        for each in scheme.categories
        if labelled.decided
    ]
    return Panel(
        columns=columns,
        rows=rows,
        n=sum(len(labelled.decided) for labelled in samples),
        counted="item",
        definition=definition,
        needs="1 item that all its labellers have labelled",
        summary=_summarise_labels(samples, scheme),
        chart=Chart("bars", x="category", y="share"),
        facet="system" if systems else "",
        page=page,
    )


def _name_category(scheme: Scheme, key: str) -> str:
    [category] = [each for each in scheme.categories if each.key == key]
    return f"{category.group}: {category.label}" if category.group else category.label


def _count_category(items: Sequence[LabelledItem], key: str) -> tuple[int, Value]:
    number = sum(key in row.final for row in items)
    return number, share_with_interval(number, len(items))


def _count_highlights(items: Sequence[LabelledItem], key: str) -> int:
    given = [labelling for row in items for labelling in row.given]
    return sum(span["category"] == key for labelling in given for span in labelling.spans)


def _summarise_labels(samples: Sequence[SampleLabels], scheme: Scheme) -> str:
    items = [row for labelled in samples for row in labelled.decided]
    if not items:
        return ""
    counts = {each.key: sum(each.key in row.final for row in items) for each in scheme.categories}
    most = max(counts, key=lambda key: counts[key])
    share = 100 * counts[most] / len(items)
    return (
        f"“{_name_category(scheme, most)}” is the most frequent category, with {share:.0f} % of "
        f"{len(items):,} items."
    )


def build_own_panel(request: Request) -> Panel:
    """Return what was said by the schemes that the team defined."""
    samples = [
        row for row in request.once(read_labels) if row.sample.scheme_key == OWN and row.decided
    ]
    return Panel(
        columns=(
            Column("sample", "Sample"),
            Column("category", "Category"),
            Column("items", "Items", "count"),
            Column("share", "Share", "share"),
        ),
        rows=[
            [str(row.sample), each.label, *_count_category(row.decided, each.key)]
            for row in samples
            for each in row.sample.scheme.categories
        ],
        n=sum(len(row.decided) for row in samples),
        counted="item",
        definition="Items drawn at random and labelled by schemes that the team defined.",
        needs="1 item labelled by a scheme of the team",
        chart=Chart("bars", x="category", y="share"),
        facet="sample",
        page=Link("Label items", reverse("label-list", args=[request.project.slug])),
    )


def build_label_agreement_panel(request: Request) -> Panel:
    """Return how far those who label the same items choose the same."""
    samples = [row for row in request.once(read_labels) if row.sample.labellers > 1 and row.items]
    return tabulate_agreement(
        samples, Link("Label items", reverse("label-list", args=[request.project.slug]))
    )


def tabulate_agreement(samples: Sequence[SampleLabels], page: Link) -> Panel:
    """Return, for the choice as a whole and for each category, how far labellers agree."""
    return Panel(
        columns=(
            Column("sample", "Sample"),
            Column("choice", "Choice"),
            Column("items", "Items", "count"),
            Column("same", "The same", "percent"),
            Column("alpha", "Alpha", "mean"),
            Column("kappa", "Cohen’s kappa", "mean"),
        ),
        rows=[row for labelled in samples for row in _list_agreement(labelled)],
        n=sum(len(labelled.items) for labelled in samples),
        counted="item",
        definition=(
            "Items that all labellers have labelled, before any decision. The same: of pairs of "
            "labellers of an item, those who chose the same. Alpha is Krippendorff’s for nominal "
            "values; of a category, for whether it was chosen. Kappa where the same two people "
            "labelled every item."
        ),
        needs="1 item that two people have labelled",
        facet="sample" if len(samples) > 1 else "",
        page=page,
    )


def _list_agreement(labelled: SampleLabels) -> list[list[Cell]]:
    scheme = labelled.sample.scheme
    # A set of categories is one value; as text it can be sorted.
    whole = [[" ".join(each.categories) for each in row.given] for row in labelled.items]
    rows = [_measure_choice(labelled, "All categories", whole)]
    if scheme.several:
        for category in scheme.categories:
            chosen = [
                ["yes" if category.key in each.categories else "no" for each in row.given]
                for row in labelled.items
            ]
            rows.append(_measure_choice(labelled, category.label, chosen))
    return rows


def _measure_choice(
    labelled: SampleLabels, name: str, choices: Sequence[Sequence[str]]
) -> list[Cell]:
    units = {
        row.item.pk: (str(row.item.pk), chosen)
        for row, chosen in zip(labelled.items, choices, strict=True)
    }
    found = measure_agreement(units, "nominal", Maker(seed=_SEED, resamples=_RESAMPLES))
    return [
        str(labelled.sample),
        name,
        len(units),
        _to_cell(found["same"]),
        _to_cell(found["alpha"]),
        _measure_kappa(labelled.items, choices),
    ]


def _to_cell(value: dict[str, Any]) -> Value:
    return Value(value["value"], value["n"], value["low"], value["high"], value.get("note", ""))


def _measure_kappa(items: Sequence[LabelledItem], choices: Sequence[Sequence[str]]) -> Value:
    """Return Cohen's kappa; without a value unless the same two people labelled every item."""
    by_person = [
        dict(zip((each.labeller_id for each in row.given), chosen, strict=True))
        for row, chosen in zip(items, choices, strict=True)
    ]
    people = sorted({person for row in by_person for person in row})
    if len(people) != 2 or any(len(row) != 2 for row in by_person):
        return Value(None, 0)
    first, second = ([row[person] for row in by_person] for person in people)
    score = reliability.cohen_kappa(first, second, resamples=_RESAMPLES, seed=_SEED)
    return Value(None, score.n) if math.isnan(score.value) else of_score(score)


def build_known_answers_panel(request: Request) -> Panel:
    """Return how many questions came with answers of which none is accepted (A78)."""
    rows: list[list[Cell]] = []
    for split in SPLITS:
        if reading.chosen_split(request) in (None, split):
            known = labelling_queries.read_known_answers(request.project, split)
            decided = labelling_queries.read_decided(request.project, split) if known else ()
            compared = [
                labelling_queries.is_mismatch(row, known[row.pk])
                for row in decided
                if row.pk in known
            ]
            if compared:
                share = share_with_interval(sum(compared), len(compared))
                rows.append([split, len(compared), sum(compared), share])
    return Panel(
        columns=(
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            Column("mismatches", "Mismatches", "count"),
            Column("share", "Share", "share"),
        ),
        rows=rows,
        n=sum(row[1] for row in rows if isinstance(row[1], int)),
        definition=(
            "Accepted questions that were imported with answers, such as NQ-open’s, and of these "
            "the ones with none of these answers among the accepted. AmbigQA has 29.4 % on dev."
        ),
        needs="1 accepted question that was imported with answers",
    )
