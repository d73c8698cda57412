import pytest

from annotation.figures.panel import Value, panel_to_json
from annotation.figures.pictures import can_draw, draw_svg
from natural_questions import figures, panels, times
from natural_questions.annotation import NULL, PageAnnotation, PageSpan
from natural_questions.figures import AnnotatedQuestion

PARAGRAPH, TABLE = PageSpan(10, 40), PageSpan(50, 90)
KINDS = "pt"


def long(span=PARAGRAPH, candidate=0, **fields):
    return PageAnnotation(good=True, long=span, candidate=candidate, **fields)


def short(*places):
    return long(short=tuple(PageSpan(*place) for place in places))


BAD = PageAnnotation(good=False, reason="opinion")
TEN = (
    *[short((11, 12))] * 3,
    short((11, 13)),
    long(yes_no="YES"),
    long(),
    long(TABLE, 1),
    BAD,
    NULL,
    NULL,
)


def item(pk=1, annotations=TEN, verdict="", kinds=KINDS):
    return AnnotatedQuestion(pk, f"q{pk}", "dev", tuple(annotations), kinds, verdict)


def rows(panel):
    return [
        tuple(round(c.value, 3) if isinstance(c, Value) else c for c in row) for row in panel.rows
    ]


def test_the_decisions_are_counted_by_branch():
    panel = panels.decisions_panel([item()])
    assert rows(panel) == [
        ("All annotations", "", 10, 1.0),
        ("Good question", "All annotations", 9, 0.9),
        ("Bad question", "All annotations", 1, 0.1),
        ("Long answer", "Good question", 7, 0.7),
        ("No long answer", "Good question", 2, 0.2),
        ("Short answer", "Long answer", 4, 0.4),
        ("Yes or no", "Long answer", 1, 0.1),
        ("No short answer", "Long answer", 2, 0.2),
    ]
    assert panel.summary == "70 % have a long answer, and 50 % a short answer or yes or no."


def test_the_report_has_shares_of_decisions_and_of_questions_answered_alike():
    same, mixed, alone = item(1, [short((11, 12))] * 2), item(2), item(3, [BAD])
    made = figures.evaluate_decisions([same, mixed, alone])
    shares = {figure.name: round(made.value(figure), 3) for figure in made.figures}
    assert shares == {
        "bad": 0.154,
        "no-long": 0.154,
        "long-only": 0.154,
        "yes-no": 0.077,
        "short": 0.462,
    }
    alike = figures.evaluate_same_answers([same, mixed, alone, item(4, [long(), short((11, 12))])])
    assert {figure.name: alike.value(figure) for figure in alike.figures} == {
        "long": pytest.approx(2 / 3),
        "short": pytest.approx(1 / 3),
    }
    assert len(alike.ids) == 3
    assert figures.evaluate_decisions([]) is None
    assert figures.evaluate_same_answers([alone]) is None


def test_long_answers_are_counted_by_kind_of_box():
    panel = panels.kinds_panel([item()])
    assert rows(panel)[:2] == [("Paragraph", 6, 0.857), ("Table", 1, 0.143)]
    assert [row[0] for row in panel.rows] == [
        "Paragraph",
        "Table",
        "Table row",
        "List",
        "List item",
    ]
    assert rows(panels.kinds_panel([item(kinds="")]))[-1] == ("Other", 7, 1.0)


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("<P>", "p"),
        ("<Table>", "t"),
        ("<Tr>", "r"),
        ("<Ol>", "l"),
        ("<Dl>", "l"),
        ("<Li>", "i"),
        ("<Dd>", "i"),
        ('<Tr_class="x">', "r"),
        ("<H1>", "o"),
        ("word", "o"),
    ],
)
def test_the_kind_of_a_box_is_its_tag(tag, kind):
    assert figures.kind_of(tag) == kind


@pytest.mark.parametrize(
    ("answers", "people", "place"),
    [
        (0, 25, -1),
        (1, 25, 0),
        (5, 25, 0),
        (6, 25, 1),
        (20, 25, 3),
        (21, 25, 4),
        (25, 25, 4),
        (1, 5, 0),
        (2, 5, 1),
        (5, 5, 4),
    ],
)
def test_a_share_is_above_the_first_bound_and_up_to_the_second(answers, people, place):
    given = figures.count_answers([1] * answers + [None] * (people - answers))
    assert given.bin == place


def test_questions_are_counted_by_share_and_verdict():
    few = [long(), *[NULL] * 9]
    asked = [item(1, verdict="correct"), item(2, verdict="debatable"), item(3, few, "wrong")]
    asked += [item(4, [NULL] * 5), item(5, [long()] * 4)]
    panel = panels.shares_panel(asked)
    assert len(panel.rows) == 5 * 3
    assert [row for row in rows(panel) if row[2]] == [
        ("0 to 20", "Wrong", 1, 0.333),
        ("60 to 80", "Correct", 1, 0.333),
        ("60 to 80", "Debatable", 1, 0.333),
    ]
    assert panel.n == 3


def test_the_most_popular_answers_cover_most_annotations():
    panel = panels.popular_panel([item(), item(2, [NULL] * 5)])
    assert rows(panel) == [
        ("Long answer", 1, 7, 0.857, 1.0, 1.0, 2),
        ("Short answer", 1, 5, 0.6, 0.8, 1.0, 3),
    ]


def test_how_many_gave_no_short_answer_where_somebody_did():
    """A79: null answers of the questions that NQ-open keeps, each annotation considered alone."""
    kept = [
        item(),  # 4 of 10 have a short answer
        item(2, [short((11, 12))] * 3 + [long(yes_no="NO"), BAD]),
        item(3, [long(yes_no="YES")] * 5),  # nobody has one
        AnnotatedQuestion(4, "q4", "test", (short((11, 12)), NULL), KINDS),
    ]
    panel = panels.nulls_panel(kept)
    assert rows(panel) == [("dev", 2, 15, 0.533, 0.5), ("test", 1, 2, 0.5, 0.0)]
    assert panel.n == 3
    assert panels.nulls_panel([item(3, [NULL])]).rows == []


def test_each_question_has_its_statistics():
    [row] = panels.items_panel([item(verdict="debatable"), item(2, [long()])], "p").rows
    assert row[0].text == "q1"
    assert row[1:] == ("dev", "7/10", "6/10", "5/10", "3/10", "Debatable")


def test_people_who_agree_have_full_scores_together_and_alone():
    panel = panels.bound_panel([item(pk, [short((11, 12))] * 25) for pk in range(3)])
    assert rows(panel) == [
        ("Long", "Super-annotator", 3, 1.0, 1.0, 1.0),
        ("Long", "Single annotator", 3, 1.0, 1.0, 1.0),
        ("Short", "Super-annotator", 3, 1.0, 1.0, 1.0),
        ("Short", "Single annotator", 3, 1.0, 1.0, 1.0),
    ]
    assert "at least 8 of the others" in panel.definition


def test_many_annotators_are_better_than_one():
    mixed = [*[short((11, 12))] * 15, *[NULL] * 6, *[long(TABLE, 1)] * 4]
    panel = panels.bound_panel([item(pk, mixed) for pk in range(40)])
    together, alone = rows(panel)[:2]
    assert together[5] > alone[5]


@pytest.mark.parametrize("given", [[], [item(annotations=[NULL])]])
def test_panels_without_answers_say_what_they_need(given):
    for panel in (panels.decisions_panel, panels.kinds_panel, panels.shares_panel):
        assert panel(given).needs
    for panel in (panels.popular_panel, panels.bound_panel):
        assert panel(given).rows == []
    assert panels.items_panel(given, "p").rows == []


@pytest.mark.skipif(not can_draw(), reason="altair and vl-convert are not installed")
def test_decisions_are_drawn_as_a_tree():
    svg = draw_svg(panel_to_json(panels.decisions_panel([item()])) | {"key": "nq-figure-2"})
    assert svg.count("<line") + svg.count("<path") >= 7 + 8
    for words in ("All annotations", "Yes or no", "70 % · 7", "10 % · 1"):
        assert words in svg


@pytest.mark.skipif(not can_draw(), reason="altair and vl-convert are not installed")
def test_shares_are_drawn_as_stacked_bars():
    asked = [item(1, verdict="correct"), item(2, verdict="wrong"), item(3, [long()] * 5)]
    svg = draw_svg(panel_to_json(panels.shares_panel(asked)) | {"key": "nq-figure-4"})
    for words in ("60 to 80", "80 to 100", "Correct", "Wrong", "Not judged"):
        assert words in svg


def test_the_time_of_each_step_is_over_those_who_came_to_it():
    """N6: 10 s and 20 s for the question, 60 s for one long answer; what was imported has none."""
    first, second = {"question": 10, "long": 60}, {"question": 20}
    timed = [long(seconds=first), PageAnnotation(good=False, reason="opinion", seconds=second)]
    panel = times.tabulate_times([item(1, timed), item(2)])
    assert rows(panel) == [
        ("Is it a good question?", 2, 15.0, 15.0),
        ("Long answer", 1, 60.0, 60.0),
        ("All steps", 2, 45.0, 45.0),
    ]
    assert panel.n == 2
    assert times.tabulate_times([item(2)]).rows == []


def test_the_mean_time_has_an_interval_over_questions():
    steps = ({"question": 10 + place % 3, "long": 40, "short": 30} for place in range(30))
    panel = times.tabulate_times([item(place, [long(seconds=s)]) for place, s in enumerate(steps)])
    whole = panel.rows[-1][2]
    assert whole.value == 81
    assert whole.low < 81 < whole.high
