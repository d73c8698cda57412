"""Where people disagreed: every question on which they did, the worst first."""

from collections import Counter
from collections.abc import Iterable, Sequence

from django.urls import reverse

from annotation.core.models.questions import display_form
from annotation.core.states import DECIDED
from annotation.exports.rows import fetch_rows
from annotation.figures.memory import recall_rows
from annotation.figures.panel import Column, Link, Panel
from annotation.figures.registry import Request
from annotation.models import Question
from evaluation.reports.agreement.facts import (
    Asked,
    Compared,
    is_long,
    name_measure,
    select_compared,
    select_facts,
    select_long_answers,
)
from evaluation.reports.agreement.statements import REWORDED_QUESTIONS
from metrics import asqa
from validation.agreement.figures import (
    AgreementFacts,
    Answers,
    find_missed_and_invalid,
    find_outcome,
)
from validation.agreement.long_answer_figures import WrittenAnswers
from validation.verdicts.merging import all_match, cluster_answers

MISSED, EXTRA, FORM = "Missed answer", "Extra answer", "Different form"
EDITED, EXCLUDED = "Question edited", "Question excluded"
KEPT_BOTH, UNDECIDED = "Both accepted", "Not decided"
COVERS, LITTLE, LENGTH = "Covers different answers", "Little in common", "Very different length"
LITTLE_ROUGE, MUCH_LONGER = 0.3, 2
LONGEST = 160
# Answers are shown only where no one is asked for another one.
_READY = DECIDED | {Question.State.VALIDATING.value}


def find_reworded(request: Request) -> frozenset[int]:
    """Return the ids of the questions of which a disambiguation was edited in validation."""
    return frozenset(
        pk for (pk,) in fetch_rows(REWORDED_QUESTIONS, {"project": request.project.pk})
    )


def build_disagreements_panel(request: Request) -> Panel:
    """Return a row for each question on which people disagree or that validation changed."""
    values = {row.asked.pk: row for row in request.once(select_compared)}
    found = _long(request, values) if is_long(request) else _short(request, values)
    found = sorted(found, key=lambda row: (row[0], row[1].pk))
    name = name_measure(request)
    # Thousands of addresses: one is resolved, and the others differ by their number.
    address = reverse("question-view", args=[request.project.slug, 0]).removesuffix("0/")
    return Panel(
        columns=(
            Column("question", "Question"),
            Column("kinds", "What differs"),
            Column("differs", "Only one person has"),
            Column("value", name, "score"),
            Column("decision", "Result"),
        ),
        rows=[
            (
                Link(_cut(display_form(asked.text)), f"{address}{asked.pk}/"),
                ", ".join(kinds),
                differs,
                values[asked.pk].value,
                decision,
            )
            for _, asked, kinds, differs, decision in found
        ],
        n=len(found),
        definition=(
            f"Questions answered in full on which people differ, by {name}, the lowest first; of "
            "the same, those that validation changed come first. A question can differ in several "
            "ways."
        ),
        needs="1 question on which 2 people disagree",
        summary=_summary(kinds for _, _, kinds, _, _ in found),
        facet="kinds",
    )


# What to sort by, the question, what differs, the answers that only one person has, the result.
_Found = tuple[tuple[float, float], Asked, list[str], str, str]


def _short(request: Request, values: dict[int, Compared]) -> Iterable[_Found]:
    edited = request.once(find_reworded)
    rows = {
        asked.pk: (asked, row)
        for asked, row in request.once(select_facts)
        if asked.pk in values and row.state in _READY
    }
    found = recall_rows(
        "disagreements",
        {pk: _encode_facts(row, pk in edited) for pk, (_, row) in rows.items()},
        lambda pks: [_describe(rows[pk][1], reworded=pk in edited) for pk in pks],
    )
    for pk, (kinds, alone, changed) in found.items():
        if kinds:
            asked, row = rows[pk]
            label = str(Question.State(row.state).label)
            yield (values[pk].value, float(not changed)), asked, kinds, alone, label


def _encode_facts(row: AgreementFacts, reworded: bool) -> bytes:
    decided = row.decided and (row.decided.source, row.decided.change, row.decided.sets)
    given = [each.answers for each in row.given]
    return repr((row.state, row.validated, given, decided, reworded)).encode()


def _describe(row: AgreementFacts, *, reworded: bool) -> tuple[list[str], str, bool]:
    """Return in which ways people differ, what only one has, and whether validation changed it."""
    result = find_outcome(row)
    changed = result is not None and (result.edited or result.excluded)
    kinds = list_kinds(row, reworded=reworded)
    alone = list_single_finds([given.answers for given in row.given]) if kinds else []
    return kinds, _cut(" · ".join(alone)), changed


def list_kinds(row: AgreementFacts, *, reworded: bool) -> list[str]:
    """Return in which ways people differ on a question; none where all answers match."""
    same = all_match([given.answers for given in row.given])
    result = find_outcome(row)
    if row.state == Question.State.VALIDATING:
        return [] if same else [UNDECIDED]
    if result is None or not (result.edited or result.excluded):
        return [] if same else [KEPT_BOTH]
    if not row.sets:
        return [EXCLUDED]
    missed, invalid = find_missed_and_invalid(row)
    kinds = [MISSED] * missed + [EXTRA] * invalid + [EDITED] * reworded
    return kinds or [FORM]


def list_single_finds(given: Sequence[Answers]) -> list[str]:
    """Return the answers, by their first form, that only one of the people has."""
    return [
        given[member.annotation][member.pair][0]
        for cluster in cluster_answers(given)
        if len(cluster.members) == 1
        for member in cluster.members
        if given[member.annotation][member.pair]
    ]


def _long(request: Request, values: dict[int, Compared]) -> Iterable[_Found]:
    for asked, row in request.once(select_long_answers):
        if asked.pk not in values:
            continue
        value = values[asked.pk].value
        kinds, alone = list_long_kinds(row, value)
        if kinds:
            yield (value, 0.0), asked, kinds, _cut(" · ".join(alone)), "Accepted"


def list_long_kinds(row: WrittenAnswers, value: float) -> tuple[list[str], list[str]]:
    """Return in which ways long answers differ, and the short answers that not all of them have."""
    texts = [answer.long_answer for answer in row.scored.annotations]
    pairs = row.scored.pairs
    present = [asqa.first_present(pairs, text) for text in texts]
    alone = [
        pair.short_answers[0]
        for place, pair in enumerate(pairs)
        if pair.short_answers
        and 0 < sum(found[place] is not None for found in present) < len(texts)
    ]
    lengths = [len(text.split()) for text in texts]
    kinds = [COVERS] * bool(alone) + [LITTLE] * (value < LITTLE_ROUGE)
    kinds += [LENGTH] * (max(lengths) > MUCH_LONGER * min(lengths))
    return kinds, alone


def _summary(kinds: Iterable[Sequence[str]]) -> str:
    counts = Counter(kind for some in kinds for kind in some)
    listed = "; ".join(f"{kind}: {number:,}" for kind, number in counts.most_common())
    return f"{listed}." if listed else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
