"""Panels for the tests of what all panels share."""

from django.db import connection

from annotation.figures.panel import Chart, Column, Link, Panel, Person, Value, share_with_interval
from annotation.models import Membership

HOSTILE = "=1+1 </svg><script>alert(1)</script> & 50 % _ {x}\n2"
calls = []


def shares(request):
    calls.append(request)
    rows = [
        ("Several answers", share_with_interval(3, 4), 1.5, Link("Question 1", "/projects/")),
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
    ids = _members(request)
    rows = [(Person(a), Person(b), Value(0.5, 12)) for a in ids for b in ids if a != b]
    return Panel(
        columns=(Column("one", "One"), Column("other", "Other"), Column("f1", "F1", "score")),
        rows=rows,
        n=12,
        definition="F1 of two people.",
        chart=Chart("heatmap", x="one", y="other", value="f1"),
    )


def tiles(request):
    columns = (Column("name", "Name"), Column("value", "Value", "score"), Column("is", "Is"))
    rows = [
        ("Two people agree", Value(0.614, 1002, 0.589, 0.638), "F1-answer"),
        ("Few", Value(0.5, 4), "F1-answer"),
    ]
    return Panel(columns, rows, 1002, "Made up.", tiles=True)


def empty(request):
    return Panel((Column("kind", "Kind"),), [], 0, "Nothing.", needs="1 question")


def broken(*_):
    raise ZeroDivisionError


def unreadable(request):
    with connection.cursor() as cursor:
        cursor.execute("SELECT nothing")


def _panel(columns, rows, chart):
    return Panel(columns, rows, 120, "Made up for a test.", summary="Made up.", chart=chart)


def groups(request):
    columns = (
        Column("pairs", "Pairs"),
        Column("split", "Split"),
        Column("n", "Questions", "share"),
    )
    rows = [
        (f"{pairs} pairs", split, share_with_interval(10 * pairs + 7 * place, 100))
        for pairs in (1, 2, 3, 4)
        for place, split in enumerate(("train", "dev", "test"))
    ]
    return _panel(columns, rows, Chart("histogram", x="pairs", y="n", series="split"))


def weeks(request):
    columns = (Column("week", "Week"), Column("role", "Role"), Column("f1", "F1", "score"))
    rows = [
        (f"2026-0{month}-0{day}", role, Value(0.6 + month / 50 - gap, 40, 0.5 - gap, 0.8 - gap))
        for month in (1, 2, 3)
        for day in (1, 8)
        for role, gap in (("Annotators", 0), ("Validators", 0.2))
    ]
    return _panel(columns, rows, Chart("lines", x="week", y="f1", series="role"))


def pairs(request):
    columns = (Column("one", "One"), Column("other", "Other"), Column("f1", "F1", "score"))
    people = [Person(user) for user in _members(request)] or ["Ash", "Elm"]
    rows = [
        (one, other, Value(0.2 + 0.13 * ((a + 2 * b) % 6), 4 + 9 * ((a + b) % 5)))
        for a, one in enumerate(people)
        for b, other in enumerate(people)
        if a != b
    ]
    return _panel(columns, rows, Chart("heatmap", x="one", y="other", value="f1"))


def scatter(request):
    columns = (
        Column("a", "ROUGE-L", "score"),
        Column("b", "STR-EM", "score"),
        Column("s", "System"),
    )
    rows = [
        ((7 * n % 50) / 50, (11 * n % 47) / 47, ["BM25", "T5", "DPR"][n % 3]) for n in range(60)
    ]
    return _panel(columns, rows, Chart("points", x="a", y="b", series="s"))


def words(request):
    columns = (Column("word", "Word"), Column("edit", "Edit"), Column("n", "Times", "count"))
    written = ("the", "first", "who", "in", "film", "release", "19##", "us", "season", "actor")
    rows = [(word, ("added", "deleted")[n % 2], 400 // (n + 1)) for n, word in enumerate(written)]
    return _panel(columns, rows, Chart("cloud", x="word", y="n", series="edit"))


def _members(request):
    members = Membership.objects.filter(project=request.project).order_by("user_id")
    return list(dict.fromkeys(members.values_list("user_id", flat=True)))
