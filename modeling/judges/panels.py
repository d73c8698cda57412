"""What the pages of a study show of its judge models: what they may do, and what they said."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils import timezone

from accounts.models import User
from annotation.figures import services as figures_services
from evaluation.models import Item, Study
from evaluation.results.report import describe_figure, write_interval, write_number
from modeling.judges import queries, talkers
from modeling.judges.figures import find_figures

_ASKED = {"acc": "Accuracy (ACC)", "verdict": "Verdict"}
_NO_FIGURE: Mapping[str, Any] = {"value": None, "low": None, "high": None, "n": 0}
Figures = Mapping[str, Any]


def build_study_panel(study: Study, user: User) -> dict[str, Any]:
    """Return the judge models of a study with how far they are, and those that can be added."""
    judges = queries.list_progress(study)
    have = {(row.judge.talker, row.judge.model, row.judge.host) for row in judges}
    offers = talkers.list_offers()
    return {
        "judges": judges,
        "offers": [row for row in offers if (row.talker, row.model, row.host) not in have],
        "any_here": bool(offers),
        "item_count": Item.objects.filter(study=study, repeats=None).count(),
        "over": study.project.over,
    }


def build_results_panel(study: Study, user: User) -> dict[str, Any] | None:
    """Return the stored figures of a study's judge models; None where none was asked yet.

    Where they are out of date and no model is being asked, a job computes them again.
    """
    judges = queries.list_progress(study)
    if not any(row.done for row in judges):
        return None
    stored = find_figures(study)
    if not any(row.running for row in judges):
        stored = figures_services.open_figures(stored, by=user, now=timezone.now())
    figures = stored.payload
    return {
        "stored": stored,
        "asked_now": any(row.running for row in judges),
        "judges": [tell_figures(row, figures) for row in figures.get("judges", [])],
    }


def tell_figures(row: Figures, figures: Figures) -> dict[str, Any]:
    """Return the figures of one judge model beside those of people, in words.

    figures: what `compute_judge_figures` stored.
    """
    people = figures["people"]
    labels = _ASKED | {each["key"]: each["label"] for each in people["criteria"]}
    labels |= {each["key"]: each["label"] for each in row["criteria"]}
    return {
        "row": row,
        "cost": None if row["cost"] is None else f"{row['cost']:.4f}",
        "agreement": [
            {
                "label": labels[each["key"]],
                "same": write_number(each["same"]["value"]),
                "alpha": write_number(each["alpha"]["value"], 2),
                "interval": write_interval(each["alpha"], 2),
                "n": each["alpha"]["n"],
                "among": write_number(_find_alpha(people, each["key"])["value"], 2),
            }
            for each in row["agreement"]
        ],
        "sides": [
            (
                each["label"],
                describe_figure("", each["flips"] or _NO_FIGURE),
                describe_figure("", each["position"]["left_share"]),
            )
            for each in row["criteria"]
            if each["position"]
        ],
        "verdicts": list(_compare_verdicts(people, row)),
    }


def _find_alpha(people: Figures, key: str) -> Figures:
    """Return how far people agree among themselves on what a key stands for."""
    if key == "acc":
        return people["acc_agreement"]["alpha"]  # type: ignore[no-any-return]
    found = [each["agreement"]["alpha"] for each in people["criteria"] if each["key"] == key]
    return found[0] if found else _NO_FIGURE


def _compare_verdicts(
    people: Figures, model: Figures
) -> Iterator[tuple[str, Sequence[tuple[str, str, str]]]]:
    """Yield what was asked, and of each system or pair of systems what people and the model say."""
    if model["acc"]:
        yield "Accuracy (ACC), per cent", _compare_systems(people["acc"], model["acc"])
    theirs = {each["key"]: each["matrix"] for each in people["criteria"]}
    for each in model["criteria"]:
        yield (
            f"{each['label']}, points of the first against the second",
            [
                (
                    f"{first} against {second}",
                    _tell_cell(theirs.get(each["key"], {}).get(first, {}).get(second)),
                    _tell_cell(cell),
                )
                for first, others in sorted(each["matrix"].items())
                for second, cell in sorted(others.items())
                if first < second
            ],
        )
    if model["experts"]:
        shares = [
            {name: each["precision"] for name, each in said["experts"].items()}
            for said in (people, model)
        ]
        yield "Correct or debatable, per cent", _compare_systems(*shares)


def _compare_systems(people: Figures, model: Figures) -> list[tuple[str, str, str]]:
    names = sorted(people.keys() | model.keys())
    return [(name, _tell_cell(people.get(name)), _tell_cell(model.get(name))) for name in names]


def _tell_cell(figure: Figures | None) -> str:
    """Return a value with its interval, and wins, ties and losses where it has them."""
    if figure is None or figure["value"] is None:
        return "–"
    interval = write_interval(figure)
    said = f"{write_number(figure['value'])}{f' ({interval})' if interval else ''}"
    if "wins" not in figure:
        return said
    return f"{said}, {figure['wins']} won, {figure['ties']} tied, {figure['losses']} lost"
