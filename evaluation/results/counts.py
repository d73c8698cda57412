"""The figures of a study, from what people judged. Formulas: docs/studies.md.

Every judgment is a vote: those of several people on one pair all count, repeats do not.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from evaluation.results.values import (
    LEVEL,
    Maker,
    Value,
    average_by_question,
    keep_finite,
    measure_agreement,
    share_of,
)
from evaluation.studies.judgment_values import ItemJudgment
from metrics import correlation, human
from metrics.score import BadInput, Evaluation

FEW_SYSTEMS = 10
"""Correlations over fewer systems than this come with a warning."""


def compute_figures(
    judged: Sequence[ItemJudgment],
    *,
    criteria: Sequence[Mapping[str, Any]],
    seed: int,
    resamples: int = 1000,
    automatic: Mapping[str, Mapping[str, float]] | None = None,
    consensus: Mapping[int, str] | None = None,
) -> dict[str, Any]:
    """Return all figures of a study as JSON: no nan, no tuples, names of systems as keys.

    A value is {"value", "low", "high", "n"}, in per cent where it is a share; what does not exist
    is None, and "note" then says why. Besides "systems" (their names in order) and "counts":

    - "acc": by system; "acc_agreement": "alpha", "same", "scale", "units";
    - "criteria": of each, "points" by system, with "wins", "ties" and "losses"; "matrix", the same
      of row against column; "strengths" by system, "log" and "share", or "strengths_note";
      "agreement"; "position" with "gap", "left_share", "left", "right", "ties"; "consistency";
    - "experts": by system "correct", "debatable", "wrong", "precision"; "experts_alone": the same
      before any consensus, empty without one;
    - "correlations": "rows" of "metric" and "with" ("acc" or a criterion), and a "warning".

    criteria: those of the study; automatic: by metric and system, values of scores that need no
    people; consensus: by pair (`ItemJudgment.pair`), the verdict on which experts agreed
    afterwards.
    """
    votes = [each for each in judged if not each.repeat]
    make = Maker(seed=seed, resamples=resamples)
    systems = sorted({name for each in judged for name in (each.left, each.right) if name})
    found: dict[str, Any] = {
        "level": LEVEL,
        "resamples": resamples,
        "seed": seed,
        "systems": systems,
        "counts": {
            "questions": len({each.question for each in judged}),
            "systems": len(systems),
            "judges": len({each.judge for each in judged}),
            "judgments": len(votes),
            "repeats": len(judged) - len(votes),
        },
        "acc": _accuracy(votes, make),
        "acc_agreement": _accuracy_agreement(votes, make),
        "criteria": [
            {"key": criterion["key"], "label": criterion.get("label", criterion["key"])}
            | _criterion(judged, votes, criterion["key"], make)
            for criterion in criteria
        ],
        "experts": _experts(votes, consensus or {}, make),
        "experts_alone": _experts(votes, {}, make) if consensus else {},
    }
    found["correlations"] = _correlations(found, automatic or {})
    return found


# --- accuracy -----------------------------------------------------------------------------------


def _sides(votes: Iterable[ItemJudgment]) -> Iterable[tuple[ItemJudgment, str, tuple[bool, ...]]]:
    """Yield each answer that was judged alone: by whom, of which system, and its marks."""
    for each in votes:
        for system, marks in ((each.left, each.left_found), (each.right, each.right_found)):
            if system and marks:
                yield each, system, marks


def _accuracy(votes: Sequence[ItemJudgment], make: Maker) -> dict[str, Value]:
    """Return ACC by system: the mean over judgments of the share of what an answer answers."""
    shares: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for each, system, marks in _sides(votes):
        shares[system].append((each.question, 100 * sum(marks) / len(marks)))
    return {
        system: make.value(
            average_by_question(of_system), "mean", counted=len(of_system), bounds=(0, 100)
        )
        for system, of_system in sorted(shares.items())
    }


def _accuracy_agreement(votes: Sequence[ItemJudgment], make: Maker) -> dict[str, Any]:
    """Return whether raters of the same answer mark the same disambiguations."""
    units: dict[tuple[str, int, str, int], list[bool]] = defaultdict(list)
    for each, system, marks in _sides(votes):
        for place, mark in enumerate(marks):
            units[each.question, each.pair, system, place].append(mark)
    return measure_agreement(
        {unit: (unit[0], marks) for unit, marks in units.items()}, "nominal", make
    )


# --- one criterion ------------------------------------------------------------------------------


def _criterion(
    judged: Sequence[ItemJudgment], votes: Sequence[ItemJudgment], key: str, make: Maker
) -> dict[str, Any]:
    choices = [_choice(each, key) for each in votes if key in each.choices]
    rated: dict[tuple[str, int], tuple[str, list[int]]] = {}
    for each in votes:
        if key in each.choices:
            # Towards the system whose name comes first: a fixed direction, whatever the sides.
            towards = each.choices[key] * (-1 if each.left < each.right else 1)
            rated.setdefault((each.question, each.pair), (each.question, []))[1].append(towards)
    if not choices:
        return {
            "points": {},
            "matrix": {},
            "strengths": {},
            "strengths_note": "",
            "agreement": measure_agreement({}, "ordinal", make),
            "position": None,
            "consistency": None,
        }
    return {
        "points": {
            system: make.value(
                table, "points", counted=table.counts["comparisons"], bounds=(0, 100)
            )
            | _tally(table)
            for system, table in human.score_standings(choices).items()
        },
        "matrix": _matrix(choices, make),
        **_strengths(choices, make),
        "agreement": measure_agreement(rated, "ordinal", make),
        "position": _position(choices, make),
        "consistency": _consistency(
            [_choice(each, key) for each in judged if key in each.choices], make
        ),
    }


def _choice(judged: ItemJudgment, key: str) -> human.PairwiseJudgement:
    """Return a choice as points count it: much better is better."""
    worth = judged.choices[key]
    return human.PairwiseJudgement(
        item=judged.question,
        left=judged.left,
        right=judged.right,
        preferred="tie" if worth == 0 else "left" if worth < 0 else "right",
        judge=judged.judge,
    )


def _tally(table: Evaluation) -> dict[str, int]:
    return {name: table.counts[name] for name in ("wins", "ties", "losses")}


def _matrix(choices: Sequence[human.PairwiseJudgement], make: Maker) -> dict[str, dict[str, Value]]:
    """Return the points of the row's system against the column's, in both directions."""
    found: dict[str, dict[str, Value]] = defaultdict(dict)
    for (first, second), table in human.head_to_head(choices).items():
        cell = make.value(table, "points", counted=table.counts["comparisons"], bounds=(0, 100))
        cell |= _tally(table)
        found[first][second] = cell
        found[second][first] = cell | {
            "value": _mirrored(cell["value"]),
            "low": _mirrored(cell["high"]),
            "high": _mirrored(cell["low"]),
            "wins": cell["losses"],
            "losses": cell["wins"],
        }
    return dict(found)


def _mirrored(points: float | None) -> float | None:
    return None if points is None else 100 - points


def _strengths(choices: Sequence[human.PairwiseJudgement], make: Maker) -> dict[str, Any]:
    """Return Bradley-Terry strengths: as logarithms around 0, and as shares of 1."""
    questions = len({each.item for each in choices})
    options = make.options(questions)
    try:
        logs = human.bradley_terry(choices, scale="log", **options)
        shares = human.bradley_terry(choices, scale="share", **options)
    except BadInput as error:
        return {"strengths": {}, "strengths_note": str(error)}
    return {
        "strengths": {
            system: {
                "log": make.score(score),
                "share": make.score(shares[system]),
            }
            for system, score in logs.items()
        },
        "strengths_note": "",
    }


def _position(choices: Sequence[human.PairwiseJudgement], make: Maker) -> dict[str, Any]:
    """Return whether raters favour a side: the gap over all choices, the left's share of wins."""
    table = human.positional_gap(choices)
    sides = Counter(each.preferred for each in choices)
    decided = [(e.item, 100.0 * (e.preferred == "left")) for e in choices if e.preferred != "tie"]
    return {
        "gap": make.value(table, "gap", counted=len(choices), bounds=(-100, 100)),
        "left_share": make.value(
            average_by_question(decided), "mean", counted=len(decided), bounds=(0, 100)
        ),
        "left": sides["left"],
        "right": sides["right"],
        "ties": sides["tie"],
    }


def _consistency(choices: Sequence[human.PairwiseJudgement], make: Maker) -> Value | None:
    """Return how often a person who saw a pair again, sides swapped, chose the same; percent."""
    try:
        table = human.self_consistency(choices)
    except BadInput:
        return None
    return make.value(table, "swapped", counted=table.counts["swapped_pairs"], bounds=(0, 100))


# --- raters, metrics, experts -------------------------------------------------------------------


def _correlations(
    found: Mapping[str, Any], automatic: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Return Pearson's r over systems of each metric with ACC and the points per criterion."""
    people = {"acc": found["acc"]} | {each["key"]: each["points"] for each in found["criteria"]}
    columns = {
        key: {system: each["value"] for system, each in values.items()}
        for key, values in people.items()
        if values
    }
    rows = {
        metric: {system: x for system, x in values.items() if math.isfinite(x)}
        for metric, values in automatic.items()
    }
    table: list[dict[str, Any]] = [
        {"metric": metric, "with": key, "p": keep_finite(cell.p)}
        | {
            "value": keep_finite(cell.value),
            "low": keep_finite(cell.low),
            "high": keep_finite(cell.high),
        }
        | {"n": cell.n}
        | ({"note": cell.note} if cell.note else {})
        for (metric, key), cell in correlation.build_correlation_table(
            rows, columns, level=LEVEL
        ).items()
    ]
    fewest = min((row["n"] for row in table), default=FEW_SYSTEMS)
    warning = ""
    if fewest < FEW_SYSTEMS:
        warning = (
            f"These correlations rest on {fewest} systems. With so few, a high one can be chance, "
            "and one unusual system can make it alone."
        )
    return {"method": "pearson", "rows": table, "warning": warning}


_VERDICTS: Mapping[str, Callable[[str], bool]] = {
    "correct": lambda verdict: verdict == "correct",
    "debatable": lambda verdict: verdict == "debatable",
    "wrong": lambda verdict: verdict == "wrong",
    "precision": lambda verdict: verdict in ("correct", "debatable"),
}


def _experts(
    votes: Sequence[ItemJudgment], consensus: Mapping[int, str], make: Maker
) -> dict[str, dict[str, Value]]:
    """Return by system the shares of verdicts in percent; precision is correct or debatable.

    A consensus replaces the verdicts it was made from; without one, each expert's counts in part.
    """
    verdicts: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in votes:
        if each.verdict:
            verdicts[each.left][each.pair].append(consensus.get(each.pair, each.verdict))
    found: dict[str, dict[str, Value]] = {}
    for system, items in sorted(verdicts.items()):
        n = len(items)
        found[system] = {}
        for name, counts in _VERDICTS.items():
            shares = [sum(map(counts, given)) / len(given) for given in items.values()]
            found[system][name] = share_of(min(math.fsum(shares), n), n)
    return found


# --- in words -----------------------------------------------------------------------------------


def summarise_figures(found: Mapping[str, Any]) -> list[str]:
    """Return what the figures show, in one or two sentences."""
    judged = [each for each in found["criteria"] if each["points"]]
    if judged:
        return [*_extremes(judged), *_first_two(judged, found["counts"]["questions"])]
    if found["experts"]:
        shares = {system: each["precision"] for system, each in found["experts"].items()}
        return [_best(shares, "has the highest precision")]
    if found["acc"]:
        return [_best(found["acc"], "answers the largest share of disambiguations")]
    return ["There are no judgments yet."]


def _extremes(judged: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the system that is ahead or behind everywhere: no interval overlaps with its own."""
    everywhere = "on every criterion" if len(judged) > 1 else f"on {judged[0]['label'].lower()}"
    sentences = []
    for system in judged[0]["points"]:
        ahead = all(_apart(each["points"], system, 1) for each in judged)
        behind = all(_apart(each["points"], system, -1) for each in judged)
        if ahead or (behind and len(judged[0]["points"]) > 2):
            sentences.append(f"{system} is {'ahead' if ahead else 'behind'} {everywhere}.")
    return sentences[:1]


def _apart(points: Mapping[str, Value], system: str, direction: int) -> bool:
    """Say whether a system's interval lies above (1) or below (-1) those of all others."""
    ends = ("low", "high") if direction > 0 else ("high", "low")
    own = points.get(system, {}).get(ends[0])
    others = [each[ends[1]] for name, each in points.items() if name != system]
    if own is None or not others or None in others:
        return False
    return all(direction * (own - other) > 0 for other in others)


def _first_two(judged: Sequence[Mapping[str, Any]], questions: int) -> list[str]:
    """Say how the two best systems did against each other, by the last criterion."""
    last = judged[-1]
    ranked = sorted(last["points"], key=lambda system: -last["points"][system]["value"])
    cell = last["matrix"].get(ranked[0], {}).get(ranked[1])
    if cell is None:
        return []
    best, other = ranked[:2]
    if cell["value"] < 50:  # against each other they can be the other way round
        best, other, cell = other, best, last["matrix"][other][best]
    tied = {0: "", 1: ", and once equally good"}
    tally = (
        f"{cell['wins']} win{'' if cell['wins'] == 1 else 's'} to {cell['losses']}"
        + tied.get(cell["ties"], f", and {cell['ties']} times equally good")
        + f", on {last['label'].lower()}."
    )
    if cell["low"] is not None and cell["low"] > 50:
        return [f"{best} is preferred to {other}: {tally}"]
    points = last["points"]
    if _apart({name: points[name] for name in (best, other)}, best, 1):
        values = " points to ".join(f"{points[name]['value']:.1f}" for name in (best, other))
        criterion = last["label"].lower()
        return [f"{best} is ahead of {other} over all comparisons: {values}, on {criterion}."]
    counted = f"{questions} question{'' if questions == 1 else 's'}"
    return [f"{best} and {other} cannot be told apart with {counted}: {tally}"]


def _best(values: Mapping[str, Value], what: str) -> str:
    best = max(values, key=lambda system: values[system]["value"])
    value = values[best]
    if value["low"] is None:
        return f"{best} {what}: {value['value']:.1f} % ({value['note']})."
    rivals = [
        name
        for name, other in values.items()
        if name != best and (other["high"] is None or other["high"] >= value["low"])
    ]
    certain = f" {', '.join(sorted(rivals))} may do as well." if rivals else ""
    bounds = f"{value['low']:.1f} to {value['high']:.1f}"
    return f"{best} {what}: {value['value']:.1f} % ({bounds}).{certain}"
