"""People's judgements of long answers: which are complete, which are better, in what order.

Each judgement is one person's choice between two answers to one question on one criterion; the
functions take the judgements of one criterion. Every interval resamples questions, because the
judgements of one question depend on each other.

Sources: ASQA (Stelmakh et al. 2022, section 4.2); Bradley and Terry 1952.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from metrics.intervals import ReportedInterval
from metrics.score import (
    PERCENT,
    BadInput,
    Evaluation,
    Figure,
    Scale,
    Score,
    build_signature,
    ratio_or_zero,
)

Preference = Literal["left", "right", "tie"]


@dataclass(frozen=True, slots=True)
class PairwiseJudgement:
    """A choice between two systems' answers to the question ``item``, shown left and right.

    Left is also the one that was shown first. ``judge`` is needed for ``self_consistency`` only.
    """

    item: str
    left: str
    right: str
    preferred: Preference
    judge: str = ""

    def points(self, system: str) -> float:
        """Return what a system gets: 1 for a win, ½ for a tie, 0 for a loss."""
        if self.preferred == "tie":
            return 0.5
        return float((self.left if self.preferred == "left" else self.right) == system)


def score_accuracy(answerable: Mapping[str, Sequence[bool]]) -> Evaluation:
    """Return ACC: the share of disambiguated questions that a long answer answers, in percent.

    ``answerable`` holds, by question, the judgement of each of its disambiguated questions for one
    system's answer. The figure is the mean over questions of each one's share.

    Raises ``BadInput`` where there is no question, or one without disambiguated questions.
    """
    if not answerable:
        raise BadInput("No long answer was judged.")
    for item, judged in answerable.items():
        if not judged:
            raise BadInput(f"{item}: none of its disambiguated questions was judged.")
    shares = [sum(map(bool, judged)) / len(judged) for judged in answerable.values()]
    return Evaluation(
        task="human",
        ids=list(answerable),
        columns={"acc": shares},
        figures=[Figure("acc", ("acc",), _percent, scale=PERCENT)],
        options={"scale": "percent"},
        counts={"questions": len(shares), "judged": sum(map(len, answerable.values()))},
    )


def score_standings(judgements: Sequence[PairwiseJudgement]) -> dict[str, Evaluation]:
    """Return, for each system by name, how it fared against the others, in percent.

    Figures: ``points`` = 100 · (wins + ½ · ties) / comparisons, and the shares ``wins``, ``ties``
    and ``losses``; ``counts`` has their numbers. Items are the questions in which the system was
    compared; a question with more comparisons weighs more.

    Raises ``BadInput`` where there is nothing, or where a system was compared with itself.
    """
    _check(judgements)
    systems = sorted({name for each in judgements for name in (each.left, each.right)})
    return {
        system: _record(system, [j for j in judgements if system in (j.left, j.right)])
        for system in systems
    }


def head_to_head(judgements: Sequence[PairwiseJudgement]) -> dict[tuple[str, str], Evaluation]:
    """Return, for each pair of systems that met, the figures of ``score_standings`` for the first.

    Pairs are in alphabetical order. Raises ``BadInput`` as ``score_standings`` does.
    """
    _check(judgements)
    met: dict[tuple[str, str], list[PairwiseJudgement]] = defaultdict(list)
    for each in judgements:
        first, second = sorted((each.left, each.right))
        met[first, second].append(each)
    return {pair: _record(pair[0], met[pair]) for pair in sorted(met)}


def positional_gap(judgements: Sequence[PairwiseJudgement]) -> Evaluation:
    """Return whether people prefer a side, whatever is shown there: figures in percent.

    ``gap`` = 100 · (left preferred − right preferred) / comparisons, from −100 to 100 and 0 where
    sides do not matter; ``left``, ``right`` and ``tie`` are the shares. It says something about the
    judges only where sides were drawn by chance.

    Raises ``BadInput`` as ``score_standings`` does.
    """
    _check(judgements)
    by_item = _by_item(judgements)
    columns: dict[str, list[float]] = {
        side: [float(sum(j.preferred == side for j in given)) for given in by_item.values()]
        for side in ("left", "right", "tie")
    }
    columns["shown"] = [float(len(given)) for given in by_item.values()]
    gap = Figure("gap", ("left", "right", "shown"), _gap, scale=_BOTH_WAYS, weights=("shown",))
    figures = [gap, *(_share_of(side, side, "shown") for side in ("left", "right", "tie"))]
    return Evaluation(
        task="human.position",
        ids=list(by_item),
        columns=columns,
        figures=figures,
        options={"scale": "percent"},
        counts={"comparisons": len(judgements)},
    )


def self_consistency(judgements: Sequence[PairwiseJudgement]) -> Evaluation:
    """Return how often a judge who sees the same two answers again prefers the same one.

    Judgements are repeats where judge, question and the two systems are the same; a comparison seen
    three times makes three pairs. A tie agrees with a tie only. Figures in percent, over the pairs:
    ``same`` over all, ``swapped`` over those shown with sides exchanged (a judge who always
    takes the left one scores 0 there), ``unswapped`` over the others. ``counts`` has the pairs.

    A figure without a pair is ``nan``. Raises ``BadInput`` where no one judged anything twice.
    """
    _check(judgements)
    seen: dict[tuple[str, str, frozenset[str]], list[PairwiseJudgement]] = defaultdict(list)
    for each in judgements:
        seen[each.item, each.judge, frozenset((each.left, each.right))].append(each)
    tallies: dict[str, dict[str, float]] = {}
    for (item, _, _), given in seen.items():
        for one, other in combinations(given, 2):
            tally = tallies.setdefault(item, dict.fromkeys(_REPEAT_COLUMNS, 0.0))
            kind = "unswapped" if one.left == other.left else "swapped"
            agrees = one.points(one.left) == other.points(one.left)
            for name in ("same", kind):
                tally[f"{name}_pairs"] += 1
                tally[f"{name}_agree"] += agrees
    if not tallies:
        raise BadInput("No judge saw the same two answers twice: show some comparisons again.")
    columns = {name: [tally[name] for tally in tallies.values()] for name in _REPEAT_COLUMNS}
    return Evaluation(
        task="human.consistency",
        ids=list(tallies),
        columns=columns,
        figures=[
            _share_of(name, f"{name}_agree", f"{name}_pairs", among=f"{name}_pairs")
            for name in _REPEATS
        ],
        options={"scale": "percent"},
        counts={f"{name}_pairs": int(sum(columns[f"{name}_pairs"])) for name in _REPEATS},
    )


def bradley_terry(
    judgements: Sequence[PairwiseJudgement],
    *,
    prior: float = 0.5,
    scale: Literal["share", "log"] = "share",
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> dict[str, Score]:
    """Return the strength of each system, strongest first; the strengths add up to 1.

    On the scale ``log`` they are natural logarithms, which add up to 0: the average system is at 0.

    The chance that ``i`` is preferred to ``j`` is ``strength_i / (strength_i + strength_j)``. A tie
    is half a win for each. Strengths are of maximum likelihood; ``n`` is the number of comparisons
    in which the system took part.

    A system that always won has no finite strength, so each one also gets ``prior`` wins and
    ``prior`` losses against an imagined average system (½ each: one drawn comparison). With
    ``prior=0`` the strengths are the plain maximum; resamples without one are then left out, and
    intervals are too narrow.

    Raises ``BadInput`` where systems never met, directly or through others, so that no order
    between them can be known; with ``prior=0`` also where some never lost to any of the rest.
    """
    from metrics import pairs  # numpy only where strengths are asked for

    _check(judgements)
    if not (math.isfinite(prior) and prior >= 0):
        raise BadInput(f"The prior must be 0 or more, not {prior}.")
    systems = sorted({name for each in judgements for name in (each.left, each.right)})
    place = {system: number for number, system in enumerate(systems)}
    wins = []
    for given in _by_item(judgements).values():
        tally = [[0.0] * len(systems) for _ in systems]
        for each in given:
            left, right = place[each.left], place[each.right]
            tally[left][right] += each.points(each.left)
            tally[right][left] += each.points(each.right)
        wins.append(tally)
    pairs.check_order(wins, systems, prior)
    values = pairs.estimate_strengths(wins, prior, scale)
    bounds = [ReportedInterval(None)] * len(systems)
    if resamples:
        bounds = pairs.strength_intervals(wins, prior, resamples, level, seed, scale)
    options = {"over": "questions", "ties": "half", "prior": f"{prior:g}"}
    if scale != "share":
        options["scale"] = scale
    scores = [
        Score(
            name=system,
            value=float(value),
            n=sum(system in (each.left, each.right) for each in judgements),
            signature=build_signature("human.bradley_terry", options, reported.interval),
            interval=reported.interval,
            note=reported.note,
        )
        for system, value, reported in zip(systems, values, bounds, strict=True)
    ]
    return {score.name: score for score in sorted(scores, key=lambda s: (-s.value, s.name))}


_BOTH_WAYS = Scale(-100, 100)
_REPEATS = ("same", "swapped", "unswapped")
_REPEAT_COLUMNS = tuple(f"{name}_{part}" for name in _REPEATS for part in ("agree", "pairs"))


def _check(judgements: Sequence[PairwiseJudgement]) -> None:
    if not judgements:
        raise BadInput("There is no judgement to report on.")
    for each in judgements:
        if each.left == each.right:
            raise BadInput(f"{each.item}: {each.left} was compared with itself.")
        if each.preferred not in ("left", "right", "tie"):
            raise BadInput(
                f"{each.item}: the preference is {each.preferred!r}; it is left, right or tie."
            )


def _by_item(judgements: Sequence[PairwiseJudgement]) -> dict[str, list[PairwiseJudgement]]:
    by_item: dict[str, list[PairwiseJudgement]] = defaultdict(list)
    for each in judgements:
        by_item[each.item].append(each)
    return by_item


def _record(system: str, judgements: Sequence[PairwiseJudgement]) -> Evaluation:
    by_item = _by_item(judgements)
    columns: dict[str, list[float]] = {name: [] for name in ("wins", "ties", "losses")}
    for given in by_item.values():
        points = [each.points(system) for each in given]
        for name, worth in (("wins", 1), ("ties", 0.5), ("losses", 0)):
            columns[name].append(float(points.count(worth)))
    counts = {name: int(sum(values)) for name, values in columns.items()}
    columns["comparisons"] = [float(len(given)) for given in by_item.values()]
    in_all = Figure(
        *("points", ("wins", "ties", "comparisons"), _points),
        scale=PERCENT,
        weights=("comparisons",),
    )
    figures = [in_all, *(_share_of(name, name, "comparisons") for name in counts)]
    return Evaluation(
        task="human",
        ids=list(by_item),
        columns=columns,
        figures=figures,
        options={"scale": "percent"},
        counts=counts | {"comparisons": len(judgements)},
    )


def _share_of(name: str, part: str, whole: str, *, among: str | None = None) -> Figure:
    return Figure(name, (part, whole), _percent_of, among, scale=PERCENT, weights=(whole,))


def _percent(share: Any) -> Any:
    return 100 * share


def _percent_of(part: Any, whole: Any) -> Any:
    return 100 * ratio_or_zero(part, whole)


def _points(wins: Any, ties: Any, comparisons: Any) -> Any:
    return 100 * ratio_or_zero(wins + ties / 2, comparisons)


def _gap(left: Any, right: Any, shown: Any) -> Any:
    return 100 * ratio_or_zero(left - right, shown)
