"""The papers' tables from plain values, counted by hand."""

from collections import Counter

import pytest

from annotation.figures.panel import Chart, Value
from annotation.reading.effort import Effort
from evaluation.reports.papers import (
    datasets,
    edits,
    long_answers,
    nq_open,
    pairs,
    passages,
    searching,
    short_answers,
    studies,
    systems,
)
from evaluation.reports.papers.families import name_family
from evaluation.reports.systems import Scored
from evaluation.scores.values import SystemMeasures
from evaluation.systems.models import System
from metrics import asqa
from metrics.score import Score
from validation.agreement.long_answer_figures import WrittenAnswers
from validation.decisions.accepted_answers import DecidedQuestion
from validation.verdicts.comparing import AnswerSet, Texts


def several(*questions):
    """An accepted set with a pair for each of these questions."""
    return AnswerSet(
        "multiple", tuple(Texts((q,), (f"answer {n}",)) for n, q in enumerate(questions))
    )


ONE = AnswerSet("single", (Texts((), ("1843", "in 1843")),))
PROMPT = "who made the play"


def accepted(*sets, split="dev", text=PROMPT):
    return DecidedQuestion(1, "q", text, split, sets=sets)


def column(panel, key):
    place = [column.key for column in panel.columns].index(key)
    return [row[place] for row in panel.rows]


def numbers(panel, key):
    return [cell.value if isinstance(cell, Value) else cell for cell in column(panel, key)]


# --- AmbigQA --------------------------------------------------------------------------------------


def test_the_smallest_accepted_set_counts():
    two, three, five = (several(*"abcde"[:n]) for n in (2, 3, 5))
    rows = [
        accepted(five, two),
        accepted(ONE),
        accepted(ONE, three, split="train"),
        accepted(three, split="train"),
        accepted(five, split="train"),
        accepted(several(*"abcd"), split="train"),
    ]
    panel = pairs.tabulate_pairs(rows)
    assert column(panel, "split") == ["train", "dev", "all"]
    assert column(panel, "questions") == [4, 2, 6]
    assert numbers(panel, "pairs_1") == [0.25, 0.5, pytest.approx(1 / 3)]
    assert numbers(panel, "pairs_2") == [0, 0.5, pytest.approx(1 / 6)]
    assert numbers(panel, "pairs_3") == [0.25, 0, pytest.approx(1 / 6)]
    assert numbers(panel, "pairs_4_or_more") == [0.5, 0, pytest.approx(1 / 3)]
    assert numbers(panel, "several") == [0.75, 0.5, pytest.approx(2 / 3)]
    assert numbers(panel, "answers") == [3.25, 1.5, pytest.approx(16 / 6)]
    assert panel.n == 6
    assert "67 % of the questions have several answers" in panel.summary
    assert "2.7 on average" in panel.summary
    assert pairs.share_by_size(rows) == {"train": [25, 0, 25, 50], "dev": [50, 50, 0, 0]}


def test_every_share_has_its_interval():
    [row] = pairs.tabulate_pairs([accepted(ONE), accepted(several("a", "b"))]).rows
    assert (row[2].n, row[2].low, row[2].note) == (2, None, "too few to tell")
    assert row[-1].note == "too few to tell"
    [row] = pairs.tabulate_pairs([accepted(ONE), accepted(several("a", "b"))] * 2).rows
    one = row[2]
    assert (one.n, one.note) == (4, "")
    assert 0 < one.low < 0.5 < one.high < 1


def test_pages_in_both_ways_of_counting():
    panel = searching.tabulate_pages(
        [
            Effort("dev", from_search=1, pages=3, queries=2),
            Effort("dev", from_search=1, pages=25, queries=2),
            Effort("dev", from_search=2, pages=None, queries=0),
            Effort("dev", from_search=0, pages=0, queries=0),
        ]
    )
    shown = [tuple(row[:3]) for row in panel.rows if row[2]]
    assert shown == [
        ("0", "From search", 1),
        ("1", "From search", 2),
        ("2", "From search", 1),
        ("0", "All", 1),
        ("3", "All", 1),
        ("10 or more", "All", 1),
    ]
    # A number that nobody has is a bar of no height, not a gap that cannot be seen.
    assert [row[0] for row in panel.rows if row[1] == "From search"] == ["0", "1", "2"]
    assert panel.summary == ("A question took 1.0 (from search) or 9.3 (all) pages on average.")


def test_searches_of_a_question():
    panel = searching.tabulate_queries([Effort("dev", 0, 0, queries) for queries in (1, 1, 2, 12)])
    assert numbers(panel, "queries")[-1] == "10 or more"
    assert numbers(panel, "questions") == [0, 2, 1, *[0] * 7, 1]
    assert numbers(panel, "share")[1] == 0.5
    assert panel.summary == "A question took 4.0 searches on average."


def test_edits_are_the_words_that_edit_f1_counts():
    rows = [
        accepted(
            several("Who wrote the play in 1953?", "Who staged the play in 12 and 1996?"),
            several("Who wrote the play in 1953?", "Which of them wrote the play (1953)?"),
            ONE,
        ),
        accepted(several("Who wrote the play?")),  # a single pair edits nothing
    ]
    assert edits.count_edits(rows) == Counter(
        {
            ("wrote", "added"): 2,
            ("made", "deleted"): 3,
            ("0000", "added"): 3,
            ("staged", "added"): 1,
            ("00", "added"): 1,
            ("which", "added"): 1,
            ("who", "deleted"): 1,
        }
    )


def test_words_that_ask_are_no_stop_words():
    asking = {"who", "what", "when", "where", "which", "whose", "whom", "why", "how"}
    assert not asking & edits.STOP_WORDS
    assert {"of", "in", "and", "lrb", "rrb"} <= edits.STOP_WORDS


def test_the_cloud_and_its_tail():
    counts = Counter({(f"w{n}", "added"): 2 if n < 100 else 1 for n in range(1_200)})
    counts["made", "deleted"] = 100
    cloud = edits.draw_cloud(counts)
    assert cloud.n == 1_400
    assert len(cloud.rows) == 100
    assert cloud.rows[0][:3] == ["made", "deleted", 100]
    assert cloud.rows[0][3].value == pytest.approx(1 / 14)
    assert cloud.summary == "“w0” is added most often, “made” is deleted most often."
    tail = edits.draw_tail(counts)
    assert column(tail, "most_frequent") == ["1", "10", "100", "1,000", "all 1,201"]
    assert numbers(tail, "times") == [100, 118, 298, 1_199, 1_400]
    assert tail.summary == "The 100 most frequent edits are 21 % of all."
    few = edits.draw_tail(Counter({("made", "deleted"): 2, ("wrote", "added"): 1}))
    assert column(few, "most_frequent") == ["1", "all 2"]


def test_known_answers_and_systems_that_match_them():
    known = {
        "dev": {"q1": ["1843", "The 1843"], "q2": ["Brunel", "Isambard Brunel"], "q3": ["Ben"]},
    }
    panel = nq_open.tabulate_references(known)
    [row] = panel.rows
    assert (row[0], row[1], row[2].value) == ("dev", 3, pytest.approx(4 / 3))
    assert row[3].value == pytest.approx(1 / 3)
    answers = {"q1": ["1843"], "q2": ["isambard brunel", "Ann"], "q3": ["Ann", "Ben"], "q9": ["x"]}
    [row] = nq_open.tabulate_systems(
        known, [nq_open.Answers("BM25", "dev", answers), nq_open.Answers("T5", "test", answers)]
    ).rows
    assert row[:3] == ["BM25", "dev", 3]
    assert [cell.value for cell in row[3:]] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]


# --- ASQA -----------------------------------------------------------------------------------------

PAIRS = (asqa.AsqaPair("Who ran it?", ["Ann", "Anna"]), asqa.AsqaPair("Who sold it?", ["Ben"]))


def written(key, *answers, split="dev", prompt="Who had it?"):
    annotations = [asqa.AsqaAnnotation(text) for text in answers]
    return WrittenAnswers(key, split, asqa.Question(PAIRS, annotations), prompt=prompt)


WRITTEN = [
    written("q1", "Ann ran it.", "Ann ran it and Ben sold it."),
    written("q2", "Nobody.", split="train"),
]


def scored(name, split="dev", options=None, **values):
    """A system with these figures, in percent, over four questions."""
    row = System(name=name, options=options or {})
    figures = {
        key.replace("__", "."): Score(key, float(value), 4, "") for key, value in values.items()
    }
    return Scored(row, split, SystemMeasures(4, 4), figures)


def test_systems_that_give_answers_and_questions():
    """A95: AmbigQA's table 3; without questions F1-BLEU and F1-EDIT have no value."""
    rows = [
        scored("Copy", f1_answer=20, f1_answer__multi=30, precision_answer__multi=40),
        scored("SSG", f1_answer=30, f1_answer__multi=20, f1_bleu4=12, f1_edit=8),
        scored("Text", length=5),
        scored("SSG", "test", f1_answer=25, f1_answer__multi=18),
    ]
    panel = short_answers.tabulate_scores(rows)
    assert [row[:3] for row in panel.rows] == [
        ["SSG", "dev", 4],
        ["Copy", "dev", 4],
        ["SSG", "test", 4],
    ]
    assert numbers(panel, "f1_answer.multi") == [20, 30, 18]
    assert numbers(panel, "f1_edit") == [8, None, None]
    assert numbers(panel, "precision_answer.multi") == [None, 40, None]
    assert "recall_answer.multi" not in [column.key for column in panel.columns]
    assert panel.summary == "On dev, Copy is best where there are several: 30.0."


def test_systems_that_saw_nothing_but_nq_open():
    """A97: AmbigQA's table 7 has exact match beside F1-answer, of systems that say so."""
    known = {"dev": {"a": ["1843", "in 1843"], "b": ["1869"]}}
    answers = [nq_open.Answers("DPR", "dev", {"a": ("In 1843", "1900"), "b": ("1", "1869")})]
    zero = {"trained": " nq-open"}
    panel = nq_open.tabulate_zero_shot(
        known,
        answers,
        [
            scored("DPR", options=zero, f1_answer=35.2, f1_answer__multi=26.5),
            scored("SSG", options={"trained": "AmbigNQ"}, f1_answer=36, f1_answer__multi=24),
            scored("New", "test", options=zero, f1_answer=30),
            scored("Text", options=zero, length=3),
        ],
    )
    assert [row[:2] for row in panel.rows] == [["DPR", "dev"], ["New", "test"]]
    assert numbers(panel, "any") == [0.5, None]
    assert numbers(panel, "f1_answer") == pytest.approx([0.352, 0.30])
    assert numbers(panel, "f1_answer.multi") == [pytest.approx(0.265), None]


def test_long_answers_by_split():
    panel = long_answers.tabulate_long_answers(WRITTEN)
    assert column(panel, "split") == ["train", "dev", "all"]
    assert column(panel, "questions") == [1, 1, 2]
    assert column(panel, "answers") == [1, 2, 3]
    assert numbers(panel, "per_question") == [1, 2, 1.5]
    assert numbers(panel, "words") == [1, 5, pytest.approx(11 / 3)]
    train, dev, _ = numbers(panel, "agreement")
    assert train is None
    assert 0 < dev < 1
    assert panel.summary == "2 questions have 3 long answers, of 3.7 words on average."


def test_people_and_the_question_need_no_system():
    rows = list(systems.measure_bounds(WRITTEN))
    assert [(row.name, row.split, row.answers) for row in rows] == [
        (systems.QUESTION, "train", 1),
        (systems.PEOPLE, "train", 1),
        (systems.QUESTION, "dev", 1),
        (systems.PEOPLE, "dev", 2),
    ]
    question, people = (row.figures for row in rows[2:])
    assert question["length"].value == 24
    assert question["str_em"].value == 0
    assert people["length"].value == 5
    assert people["str_em"].value == pytest.approx(0.75)
    assert people["rouge_l"].value == pytest.approx(long_answers.human_agreement(WRITTEN) / 100)
    assert rows[1].figures["rouge_l"].value is None


def test_people_have_disambig_f1_and_dr_where_a_reader_has_read_them():
    """S46: the mean over the answers to a question, with ROUGE-L of the writers for DR."""
    read = {
        "q1": {"Ann ran it.": 0.5, "Ann ran it and Ben sold it.": 1.0, "Changed since.": 0},
        "q2": {"Nobody.": 0.2},
        "q3": {"No longer accepted.": 1.0},
    }
    of_split = {row.split: row for row in systems.measure_bounds(WRITTEN, read)}  # the last: people
    people = of_split["dev"].figures
    assert people["qa_f1"].value == pytest.approx(0.75)
    assert people["dr"].value == pytest.approx((0.75 * people["rouge_l"].value) ** 0.5)
    assert (people["qa_f1"].n, people["dr"].n) == (1, 1)
    alone = of_split["train"].figures  # one answer has nobody to be compared with
    assert alone["qa_f1"].value == pytest.approx(0.2)
    assert "dr" not in alone
    panel = systems.tabulate_rows(list(systems.measure_bounds(WRITTEN)))
    assert not {"qa_f1", "dr"} & {column.key for column in panel.columns}


def test_a_question_without_disambiguations_has_no_bounds():
    alone = WrittenAnswers(
        "q", "dev", asqa.Question((), [asqa.AsqaAnnotation("Ann ran it.")]), prompt="Who?"
    )
    assert list(systems.measure_bounds([alone])) == []
    assert systems.score_repeated_question([alone]) is None


def system(name, family="T5", passages=None, **figures):
    values = {metric: Value(value, 10) for metric, value in figures.items()}
    return systems.Row(name, "dev", 10, values, family, passages)


def test_systems_side_by_side():
    panel = systems.tabulate_rows(
        [system("T5", str_em=0.41), system("BM25", str_em=0.45, length=99.9)]
    )
    assert column(panel, "system") == ["T5", "BM25"]
    assert numbers(panel, "str_em") == [0.41, 0.45]
    assert numbers(panel, "length") == [None, 99.9]
    assert "qa_f1" not in [column.key for column in panel.columns]  # nothing was read
    assert panel.summary == "Of the systems, BM25 is best by STR-EM: 45.0."


@pytest.mark.parametrize(
    ("options", "passages"),
    [
        ({"passages": "5"}, 5),
        ({"top": 3}, 3),
        ({"baseline": "T5"}, None),
        ({"passages": "many"}, None),
        ({"passages": {"a": 1}}, None),
        ({"passages": "99999999999999999999"}, None),
    ],
)
def test_how_many_passages_a_system_read(options, passages):
    assert systems.count_passages(options) == passages


def test_systems_by_their_passages():
    rows = [
        system("T5 b", passages=5, qa_f1=0.26, length=71),
        system("T5 a", passages=1, qa_f1=0.21, length=63),
        system("Closed", passages=None, qa_f1=0.07),
        system("Not read", passages=3, length=60),
    ]
    panel = passages.tabulate_passages(rows)
    assert column(panel, "system") == ["T5 a", "T5 b"]
    assert column(panel, "passages") == [1, 5]
    assert numbers(panel, "qa_f1") == [0.21, 0.26]
    assert numbers(panel, "length") == [63, 71]


@pytest.mark.parametrize(
    ("name", "options", "family"),
    [
        ("t5-open-3", {"baseline": "T5", "passages": "3", "family": "t5-open"}, "t5-open"),
        ("fid", {"baseline": "FiD", "passages": "10", "corpus": "pages"}, "fid"),
        ("fid", {"baseline": "FiD", "passages": "10", "model": "./large"}, "fid (model ./large)"),
        ("Ours 5", {"passages": 5, "family": "Ours", "batch": 8}, "Ours"),
        ("Ours 5", {"passages": 5}, "Ours 5"),
        ("Ours", {"family": {"a": 1}}, "{'a': 1}"),
        ("Ours", {"family": "x" * 200}, "x" * 60),
    ],
)
def test_systems_that_differ_in_their_passages_are_one_family(name, options, family):
    """S49: runs of a baseline by its other options, other systems by what their family is."""
    assert name_family(name, options) == family


# --- studies and data sets ------------------------------------------------------------------------


def figure(value, n=45):
    return {"value": value, "low": value - 5, "high": value + 5, "n": n}


STUDY = studies.Study(
    "Pilot",
    {
        "counts": {"judgments": 135},
        "systems": ["JPR@1", "T5"],
        "acc": {"JPR@1": figure(36.1), "T5": figure(8.4)},
        "criteria": [
            {"key": "overall", "points": {"JPR@1": figure(37.8), "T5": figure(21.1)}},
            {"key": "tone", "points": {"JPR@1": figure(50), "T5": figure(50)}},
        ],
        "correlations": {
            "rows": [
                {"metric": "rouge_l", "with": "acc", **figure(0.724, 6)},
                {"metric": "rouge_l", "with": "overall", **figure(0.819, 6)},
            ],
            "warning": "These correlations rest on 6 systems.",
        },
    },
)


def test_how_people_judged_systems():
    panel = studies.tabulate_judged([STUDY])
    assert column(panel, "system") == ["JPR@1", "T5"]
    assert numbers(panel, "acc") == [36.1, 8.4]
    assert numbers(panel, "overall") == [37.8, 21.1]
    assert numbers(panel, "fluency") == [None, None]
    assert panel.rows[0][2] == Value(36.1, 45, 31.1, 41.1)
    assert (panel.n, panel.counted) == (135, "judgment")
    assert panel.summary == "JPR@1 has the most points overall in “Pilot”."
    assert panel.chart == Chart("bars", x="system", y="overall")
    assert studies.tabulate_judged([STUDY, STUDY]).chart.series == "study"


def test_correlations_with_people():
    panel = studies.tabulate_correlations([STUDY])
    assert column(panel, "judgment") == ["ACC", "HO"]
    assert numbers(panel, "rouge_l") == [0.724, 0.819]
    assert [column.key for column in panel.columns] == ["study", "judgment", "rouge_l"]
    assert panel.n == 6
    assert panel.summary == "These correlations rest on 6 systems."


def test_next_to_other_data_sets():
    long = datasets.compare_sizes("Mine", datasets.size_long_answers(WRITTEN), long=True)
    assert column(long, "data") == ["NQ-open", "AmbigQA", "ELI5", "MS-NLG", "ASQA", "Mine"]
    assert long.rows[-1] == ["Mine", 2, 1.5, pytest.approx(11 / 3), "yes", "yes"]
    rows = [accepted(ONE, several("a", "b")), accepted(ONE)]
    short = datasets.compare_sizes("Mine", datasets.size_pairs(rows), long=False)
    # 1843, in 1843, answer 0, answer 1 of the first; 1843, in 1843 of the second.
    assert short.rows[-1] == ["Mine", 2, 3.0, pytest.approx(10 / 6), "no", "yes"]
    assert long.n == short.n == 2


EMPTY = [
    lambda: pairs.tabulate_pairs([]),
    lambda: searching.tabulate_pages([]),
    lambda: searching.tabulate_queries([]),
    lambda: edits.draw_cloud(Counter()),
    lambda: edits.draw_tail(Counter()),
    lambda: nq_open.tabulate_references({}),
    lambda: nq_open.tabulate_systems({}, []),
    lambda: nq_open.tabulate_zero_shot({}, [], []),
    lambda: short_answers.tabulate_scores([]),
    lambda: long_answers.tabulate_long_answers([]),
    lambda: systems.tabulate_rows([]),
    lambda: passages.tabulate_passages([]),
    lambda: studies.tabulate_judged([]),
    lambda: studies.tabulate_correlations([]),
]


@pytest.mark.parametrize("make", EMPTY)
def test_without_data_a_panel_has_no_rows_and_says_what_it_needs(make):
    panel = make()
    assert (list(panel.rows), panel.n, panel.summary) == ([], 0, "")
    assert panel.needs
    assert panel.definition


def test_an_empty_project_is_still_compared():
    assert datasets.compare_sizes("Mine", datasets.size_pairs([]), long=False).rows[-1] == [
        *("Mine", 0, None, None, "no", "yes")
    ]
    assert datasets.size_long_answers([]) == (0, None, None)


# --- pictures -------------------------------------------------------------------------------------


def drawn(panel):
    pytest.importorskip("altair")
    from annotation.figures.charts import build_chart
    from annotation.figures.panel import panel_to_json

    return build_chart(panel_to_json(panel))


def test_added_and_deleted_words_differ_by_more_than_their_colour():
    layers = drawn(edits.draw_cloud(Counter({("film", "added"): 2, ("who", "deleted"): 1})))[
        "layer"
    ]
    shown = {
        layer["transform"][0]["filter"]: layer["mark"].get("fontStyle", "normal")
        for layer in layers
    }
    assert shown == {
        "(datum['edit'] === 'added')": "normal",
        "(datum['edit'] !== 'added')": "italic",
    }


def test_the_points_of_a_family_are_joined_by_a_line():
    """S49: T5-O-1 and T5-O-3 are one line, a system alone is a point."""
    rows = [
        system("T5-O-1", passages=1, qa_f1=0.21, length=63),
        system("T5-O-3", passages=3, qa_f1=0.24, length=70),
        system("FiD", "FiD", passages=5, qa_f1=0.2, length=50),
    ]
    lines, points = drawn(passages.tabulate_passages(rows))["layer"]
    assert lines["mark"]["type"] == "line"
    assert lines["encoding"]["color"]["field"] == "series"
    assert points["mark"]["type"] == "point"
    assert "layer" not in drawn(passages.tabulate_passages(rows[1:]))


def test_a_point_is_as_large_as_its_answers_are_long():
    rows = [
        system("T5 a", passages=1, qa_f1=0.21, length=63),
        system("T5 b", passages=5, qa_f1=None, length=71),
    ]
    chart = drawn(passages.tabulate_passages(rows))
    assert chart["encoding"]["size"]["field"] == "length"
    # What was not scored is in the table and not in the picture.
    [points] = chart["datasets"].values()
    assert [row["system"] for row in points] == ["T5 a"]
