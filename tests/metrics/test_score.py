"""From columns of one number per item to figures that say how they were made."""

import math

import pytest

from metrics.score import Evaluation, Figure, build_signature, f1, ratio_or_zero


def evaluation(**changed):
    given = {
        "task": "task",
        "ids": ["q1", "q2", "q3", "q4"],
        "columns": {
            "f1": [1.0, 0.5, 0.0, 0.5],
            "multi": [1, 0, 1, 0],
            "none": [0, 0, 0, 0],
            "right": [1, 2, 0, 1],
            "given": [2, 2, 0, 4],
        },
        "figures": [
            Figure("f1.all", ("f1",)),
            Figure("f1.multi", ("f1",), among="multi"),
            Figure("f1.none", ("f1",), among="none"),
            Figure("precision", ("right", "given"), ratio_or_zero, options=(("average", "micro"),)),
        ],
        "options": {"tokeniser": "ptb"},
    }
    return Evaluation(**given | changed)


def test_figures():
    scores = evaluation().scores()

    assert list(scores) == ["f1.all", "f1.multi", "f1.none", "precision"]
    assert scores["f1.all"].value == 0.5
    assert scores["f1.multi"].value == 0.5
    assert (scores["f1.all"].n, scores["f1.multi"].n) == (4, 2)
    assert scores["precision"].value == 4 / 8  # a ratio of sums, not a mean of ratios
    assert math.isnan(scores["f1.none"].value)
    assert scores["f1.none"].n == 0
    assert all(score.interval is None for score in scores.values())


def test_signatures_say_how():
    plain = evaluation().scores()
    many = {name: values * 3 for name, values in evaluation().columns.items()}
    ids = [str(n) for n in range(12)]
    drawn = evaluation(ids=ids, columns=many).scores(resamples=10, level=0.9, seed=4)

    assert plain["f1.multi"].signature == "task.f1.multi|items:multi|tokeniser:ptb|v:1"
    assert plain["precision"].signature == (
        "task.precision|items:all|tokeniser:ptb|average:micro|v:1"
    )
    assert drawn["f1.all"].signature == (
        "task.f1.all|items:all|tokeniser:ptb"
        "|interval:bootstrap-percentile-0.9|resamples:10|seed:4|v:1"
    )
    assert build_signature("name") == "name|v:1"


def test_a_figure_over_nothing_has_no_interval():
    score = evaluation().scores(resamples=10)["f1.none"]

    assert score.interval is None
    assert "interval" not in score.signature


def test_sums_are_exact():
    """0.1 ten times is 1, which it is not when floats are added one by one."""
    tenths = Evaluation("t", [str(n) for n in range(10)], {"x": [0.1] * 10}, [Figure("x", ("x",))])

    assert tenths.scores()["x"].value == 0.1


def test_columns_must_fit():
    with pytest.raises(ValueError, match="column f1 has 1 values for 4 ids"):
        evaluation(columns={"f1": [1.0]}, figures=[])
    with pytest.raises(ValueError, match=r"figure g names a column h that is not here"):
        evaluation(figures=[Figure("g", ("f1",), among="h")])


@pytest.mark.parametrize(("above", "below", "expected"), [(1, 2, 0.5), (0, 0, 0), (3.0, 0, 0)])
def test_ratio(above, below, expected):
    assert ratio_or_zero(above, below) == expected


def test_ratio_and_f1_work_on_arrays_as_on_floats():
    numpy = pytest.importorskip("numpy")
    above, below = numpy.array([1.0, 0.0, 3.0]), numpy.array([2.0, 0.0, 4.0])

    assert ratio_or_zero(above, below).tolist() == [0.5, 0, 0.75]
    assert f1(above, below).tolist() == [f1(1.0, 2.0), 0, f1(3.0, 4.0)]
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)
