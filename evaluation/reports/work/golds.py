"""Who missed which share of the gold items, and how surely the rule finds careless people."""

from annotation.figures.panel import Cell, Column, Panel, Person, share_with_interval
from annotation.figures.registry import Request
from annotation.golds import queries as golds_queries
from annotation.models import GoldPlan
from annotation.stages import registry as stages
from metrics.gold_items import count_golds_needed, flag_probabilities

CARELESS = 0.5


def build_golds_panel(request: Request) -> Panel:
    """Return a row for each person and stage, as the page of gold items counts them."""
    rows: list[list[Cell]] = []
    power = []
    for plan in request.project.gold_plans.order_by("pk"):
        people = golds_queries.list_people(plan)
        rows += [_row(plan, person) for person in people]
        if people:
            power.append(_power(plan))
    return Panel(
        columns=(
            Column("stage", "Stage"),
            Column("person", "Person"),
            Column("seen", "Seen", "count"),
            Column("missed", "Missed", "count"),
            Column("share", "Share missed", "share"),
            Column("flags", "Flagged", "count"),
            Column("state", "State"),
            Column("power", "Power so far", "share"),
        ),
        rows=rows,
        n=sum(row[2] for row in rows if isinstance(row[2], int)),
        counted="judged gold item",
        definition=(
            "Gold items that each person submitted and that could be judged, with the 95 % "
            "interval of the share they missed. Power so far: the chance that the rule would "
            "have flagged a person who misses half of them, after as many items."
        ),
        needs="1 gold item that someone has submitted",
        summary=" ".join(power),
    )


def _row(plan: GoldPlan, person: golds_queries.GoldPerformance) -> list[Cell]:
    chances = flag_probabilities(CARELESS, golds_queries.rule_of(plan), person.seen)
    return [
        stages.get_stage(plan.stage).label,
        Person(person.user.pk),
        person.seen,
        person.missed,
        share_with_interval(person.missed, person.seen),
        person.flags,
        _state(person),
        chances[-1] if chances else 0.0,
    ]


def _state(person: golds_queries.GoldPerformance) -> str:
    words = person.standing.words
    return words[:1].lower() + words[1:]


def _power(plan: GoldPlan) -> str:
    """Say how soon the rule of a plan finds a careless person."""
    label, items = (
        stages.get_stage(plan.stage).label,
        count_golds_needed(CARELESS, golds_queries.rule_of(plan)),
    )
    if items is None:
        return f"{label}: fewer than 95 % of people who miss half are flagged within 500 items."
    work = f", about {round(items * 100 / plan.rate):,} tasks" if plan.rate else ""
    return f"{label}: 95 % of people who miss half are flagged within {items} gold items{work}."
