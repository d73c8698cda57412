"""QAMPARI's tables and figures, on numbers counted by hand (Q29-Q32)."""

from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from annotation.figures.panel import Panel, Value
from metrics import retrieval
from metrics.qampari import QampariAnswer
from metrics.retrieval import Reference, TitledPassage
from qampari import figures, score_panels
from qampari.figures import GoldQuestion
from qampari.score_panels import SystemPredictions


def listed(
    name: str,
    answers: Sequence[str],
    *,
    split: str = "dev",
    kind: str = "wikidata_simple",
    text: str = "Which bridges are in Leith?",
    generated: str = "",
    added: Sequence[str] | None = None,
    evidence: tuple[tuple[TitledPassage, ...], ...] = (),
) -> GoldQuestion:
    return GoldQuestion(
        name,
        kind,
        split,
        text,
        tuple(QampariAnswer(answer, ()) for answer in answers),
        generated,
        None if added is None else tuple(QampariAnswer(answer, ()) for answer in added),
        evidence,
    )


def untitled(*texts: str) -> tuple[TitledPassage, ...]:
    return tuple(TitledPassage("", text) for text in texts)


def names(number: int) -> list[str]:
    return [f"Bridge {place}" for place in range(number)]


def value(cell: object) -> float | None:
    assert isinstance(cell, Value)
    return cell.value


def column(panel: Panel, key: str) -> list[object]:
    place = [one.key for one in panel.columns].index(key)
    return [row[place] for row in panel.rows]


def values(panel: Panel, key: str) -> list[float | None]:
    return [value(cell) for cell in column(panel, key)]


# --- table 2 --------------------------------------------------------------------------------------

QUESTIONS = [
    listed("1", names(5), split="train", text="What bridges are located in Leith in Scotland?"),
    listed("2", names(5), generated="What is a bridge that is located in Leith?"),
    listed("3", names(6), split="test"),
    listed("4", names(16), kind="wikitables_composition", text="Which are old?"),
    listed("5", names(51), split="test", kind="wikidata_intersection", text="What?"),
]


def test_table_2_counts_by_part_and_kind() -> None:
    panel = figures.build_counts_panel(QUESTIONS)
    assert panel.n == 5
    assert [tuple(row[:3]) for row in panel.rows] == [
        ("train", "All", 1),
        ("dev + test", "All", 4),
        ("dev + test", "Simple, Wikidata", 2),
        ("dev + test", "Intersection, Wikidata", 1),
        ("dev + test", "Composition, tables", 1),
    ]
    assert values(panel, "answers") == [5, 19.5, 5.5, 51, 16]
    assert column(panel, "median") == [5, 11, 5.5, 51, 16]
    assert values(panel, "words") == [8, 3.5, 5, 1, 3]
    assert values(panel, "generated") == [None, 9, 9, None, None]
    assert panel.summary == "A question has 16.6 answers on average, 6 in the median."


def test_table_2_without_a_paraphrase_or_a_question() -> None:
    assert "generated" not in [one.key for one in figures.build_counts_panel(QUESTIONS[2:]).columns]
    assert figures.build_counts_panel([]).rows == []
    assert figures.build_counts_panel([]).summary == ""


def test_a_kind_of_another_name_is_last() -> None:
    other = [listed("6", names(5), kind="freebase"), listed("7", names(5), kind="")]
    assert list(figures.by_kind([*other, *QUESTIONS])) == [
        "Simple, Wikidata",
        "Intersection, Wikidata",
        "Composition, tables",
        "Unknown",
        "freebase",
    ]


# --- figure 3 -------------------------------------------------------------------------------------


def test_figure_3a_leaves_train_out() -> None:
    panel = figures.build_bins_panel(QUESTIONS)
    assert panel.n == 4
    assert [(row[0], value(row[1])) for row in panel.rows] == [
        ("5 to 7", 0.5),
        ("8 to 15", 0),
        ("16 to 25", 0.25),
        ("26 to 50", 0),
        ("over 50", 0.25),
    ]
    assert panel.summary == "50 % have 8 or more answers, 50 % more than 15."
    few = figures.build_bins_panel([*QUESTIONS, listed("6", names(4))])
    assert (few.rows[0][0], value(few.rows[0][1])) == ("below 5", 0.2)
    assert figures.build_bins_panel(QUESTIONS[:1]).rows == []


def test_figure_3b_counts_what_was_added() -> None:
    panel = figures.build_added_panel(
        [
            listed("1", names(5), added=[]),
            listed("2", names(5), added=["Leith", "Kelso", "Perth"]),
            *QUESTIONS,
        ]
    )
    assert panel.n == 2
    assert [(row[0], value(row[1])) for row in panel.rows] == [
        ("0", 0.5),
        ("1", 0),
        ("2", 0),
        ("3", 0.5),
    ]
    assert panel.summary == (
        "Added to a question: 1.5 in the median, 1.50 on average, 3 at most; none to 50 %."
    )
    assert figures.build_added_panel(QUESTIONS).rows == []


# --- tables 3, 4, 7, 8 and 9 ----------------------------------------------------------------------

SYSTEM = SystemPredictions(
    "copy",
    "dev",
    {"2": ["bridge 0", "The Bridge 1", "Tunnel"], "4": names(16), "gone": ["x"]},
    {"2": untitled("Bridge 0 and Bridge 4 stand here", "nothing", "Bridge 1"), "4": []},
)


def test_table_4_scores_a_missing_answer_as_nothing() -> None:
    questions = [*QUESTIONS, listed("8", names(5))]
    panel = score_panels.build_scores_panel(questions, [SYSTEM])
    assert [tuple(row[:3]) for row in panel.rows] == [("copy", "dev", 3)]
    # Question 2: 2 of 5 found with 3 answers; question 4: all; question 8: no answer.
    assert values(panel, "recall") == [pytest.approx((2 / 5 + 1 + 0) / 3)]
    assert values(panel, "precision") == [pytest.approx((2 / 3 + 1 + 0) / 3)]
    assert values(panel, "f1") == [pytest.approx((0.5 + 1 + 0) / 3)]
    assert values(panel, "recall_above") == [pytest.approx(1 / 3)]
    assert values(panel, "f1_above") == [pytest.approx(2 / 3)]
    assert panel.summary == "copy is best by F1: 50.0 on dev."


def test_systems_come_in_the_order_of_splits() -> None:
    systems = [
        SystemPredictions("b", "test", {"3": names(6)}, {}),
        SystemPredictions("b", "dev", {"2": names(5)}, {}),
        SystemPredictions("a", "test", {"3": []}, {}),
    ]
    panel = score_panels.build_scores_panel(QUESTIONS, systems)
    assert [tuple(row[:2]) for row in panel.rows] == [("b", "dev"), ("a", "test"), ("b", "test")]
    assert panel.summary == "b is best by F1: 50.0 on dev."
    assert score_panels.build_scores_panel([], systems).rows == []
    assert score_panels.build_scores_panel(QUESTIONS, []).rows == []


def test_table_7_scores_each_kind() -> None:
    panel = score_panels.build_kinds_panel(QUESTIONS, [SYSTEM])
    assert [tuple(row[:4]) for row in panel.rows] == [
        ("copy", "dev", "Simple, Wikidata", 1),
        ("copy", "dev", "Composition, tables", 1),
    ]
    assert values(panel, "recall") == [pytest.approx(0.4), 1]
    assert values(panel, "f1") == [pytest.approx(0.5), 1]


def test_table_8_scores_with_and_without_what_was_added() -> None:
    questions = [listed("2", names(5), added=["Tunnel"]), listed("4", names(16), added=None)]
    panel = score_panels.build_extended_panel(questions, [SYSTEM])
    assert panel.n == 1
    assert [tuple(row[:4]) for row in panel.rows] == [
        ("copy", "dev", "without", 1),
        ("copy", "dev", "with", 1),
    ]
    assert values(panel, "recall") == [pytest.approx(2 / 5), pytest.approx(3 / 6)]
    assert values(panel, "precision") == [pytest.approx(2 / 3), 1]


def test_table_3_counts_answers_and_evidence_in_the_first_passages() -> None:
    evidence = (
        untitled("Bridge 0 and Bridge 4 stand here."),
        untitled("Far away stands a tunnel."),
    )
    question = listed("2", names(5), evidence=evidence)
    panel = score_panels.build_retrieval_panel([question, QUESTIONS[3]], [SYSTEM])
    assert panel.n == 1  # the other question has no passages
    assert [one.key for one in panel.columns] == ["system", "split", "questions"]
    many = SystemPredictions(
        "wide", "dev", {}, {"2": [*SYSTEM.passages["2"], *untitled(*map(str, range(8)))]}
    )
    panel = score_panels.build_retrieval_panel([question], [many])
    assert values(panel, "arecall_10") == [pytest.approx(3 / 5)]
    assert values(panel, "erecall_10") == [0.5]
    assert "arecall_25" not in [one.key for one in panel.columns]


TEXTS = ("Kelso is a town.", "Leeds is a town.", "Wells is a town.")


@pytest.mark.parametrize(
    ("found", "gold", "share", "said"),
    [
        (("Kelso", "Leeds", "wells"), ("Kelso", "Leeds", "Wells"), 1.0, "compared"),
        (("Kelso", "Elsewhere", "Wells"), ("Kelso", "Leeds", "Wells"), 2 / 3, "compared"),
        (("Kelso", "", "Wells"), ("Elsewhere", "Leeds", "Wells"), 1.0, None),
        (("Kelso", "Leeds", "Wells"), ("Elsewhere", "", "Wells"), 1.0, None),
    ],
)
def test_evidence_is_of_a_page_of_the_same_title(
    found: Sequence[str], gold: Sequence[str], share: float, said: str | None
) -> None:
    """Q28: as the official code matches it, where every passage and every proof has a title."""
    evidence = [TitledPassage(title, text) for title, text in zip(gold, TEXTS, strict=True)]
    passages = score_panels.join_titles([*TEXTS, *["Nothing."] * 7], [*found, *["A page"] * 7])
    question = listed("2", names(3), evidence=tuple((one,) for one in evidence))
    result = score_panels.evaluate_passages([question], {"2": passages})
    assert result is not None
    score = result.scores()["erecall.10"]
    assert score.value == pytest.approx(share)
    assert ("|titles:compared|" in score.signature) == (said == "compared")
    assert "titles" not in result.scores()["arecall.10"].signature
    if said:
        official = retrieval.score_predictions(
            {"2": Reference(evidence=question.evidence)}, {"2": passages}, depths=(10,)
        )
        assert official.scores()["erecall.10"].value == score.value


def test_where_some_questions_have_titles_the_signature_says_so() -> None:
    one, other = (
        listed(name, names(3), evidence=((TitledPassage(title, TEXTS[0]),),))
        for name, title in (("2", "Kelso"), ("3", ""))
    )
    passages = score_panels.join_titles([TEXTS[0]] * 10, ["Kelso"] * 10)
    result = score_panels.evaluate_passages([one, other], {"2": passages, "3": passages})
    assert result is not None
    assert "|titles:some|" in result.scores()["erecall.10"].signature
    assert result.scores()["erecall.10"].value == 1


def test_passages_without_titles_have_empty_ones() -> None:
    assert score_panels.join_titles(["a", "b"], ["A"]) == [
        TitledPassage("A", "a"),
        TitledPassage("", "b"),
    ]
    assert score_panels.join_titles(["a"], ["A", "B"]) == [TitledPassage("A", "a")]


def test_answers_in_a_text() -> None:
    assert score_panels.parts_of("Leith # Kelso#\nPerth\n#Leith") == ["Leith", "Kelso", "Perth"]
    assert score_panels.parts_of("  ") == []


# --- the published data ---------------------------------------------------------------------------


def test_the_published_dev_set(realdata: Path) -> None:
    """Its counts by kind, and the official scorer's figures for the predictions at hand."""
    file = realdata / "reference/qampari/predictions.json"
    records = orjson.loads(file.read_bytes())
    questions = [
        GoldQuestion(
            record["qid"],
            record["qid"].split("__")[1],
            "dev",
            record["question_text"],
            tuple(
                QampariAnswer(row["answer_text"], tuple(row["aliases"]))
                for row in record["answer_list"]
            ),
        )
        for record in records
    ]
    counted = figures.build_counts_panel(questions)
    assert [tuple(row[1:3]) for row in counted.rows] == [
        ("All", 1000),
        ("Simple, Wikidata", 415),
        ("Simple, tables", 85),
        ("Intersection, Wikidata", 200),
        ("Composition, Wikidata", 200),
        ("Composition, tables", 100),
    ]
    assert figures.build_bins_panel(questions).n == 1000
    answers = {record["qid"]: record["predictions"] for record in records}
    panel = score_panels.build_scores_panel(
        questions, [SystemPredictions("given", "dev", answers, {})]
    )
    official = orjson.loads((realdata / "reference/qampari/scores.json").read_bytes())
    for key, name in {
        "f1": "f1",
        "recall": "recall",
        "precision": "precision",
        "f1_above": "f1_above",
        "recall_above": "rec_above",
    }.items():
        assert values(panel, key) == [pytest.approx(official[name], abs=1e-9)]
