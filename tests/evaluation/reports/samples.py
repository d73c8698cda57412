"""Panels for the tests of what all panels share."""

from annotation.models import Membership
from evaluation.reports.panel import Chart, Column, Link, Panel, Person, Value, share

HOSTILE = "=1+1 </svg><script>alert(1)</script> & 50 % _ {x}\n2"
calls = []


def shares(request):
    calls.append(request)
    rows = [
        ("Several answers", share(3, 4), 1.5, Link("Question 1", "/projects/")),
        (HOSTILE, Value(None, 0), None, Link("Question 2", "/projects/")),
    ]
    if request.filters.split == "dev":
        rows = rows[:1]
    return Panel(
        columns=(
            Column("kind", "Kind"),
            Column("share", "Share", "share"),
            Column("mean", "Mean", "mean"),
            Column("question", "Question"),
        ),
        rows=rows,
        n=4,
        definition="Shares of 50 % and more.",
        summary="Three of four have several answers.",
        chart=Chart("bars", x="kind", y="share"),
    )


def people(request):
    members = Membership.objects.filter(project=request.project).order_by("user_id")
    ids = list(dict.fromkeys(members.values_list("user_id", flat=True)))
    rows = [(Person(a), Person(b), Value(0.5, 12)) for a in ids for b in ids if a != b]
    return Panel(
        columns=(Column("one", "One"), Column("other", "Other"), Column("f1", "F1", "score")),
        rows=rows,
        n=12,
        definition="F1 of two people.",
        chart=Chart("heatmap", x="one", y="other", value="f1"),
    )


def empty(request):
    return Panel((Column("kind", "Kind"),), [], 0, "Nothing.", needs="1 question")


def broken(request):
    raise ZeroDivisionError
