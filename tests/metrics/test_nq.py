"""Natural Questions: judging, the threshold, and the files."""

import gzip
import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import nq
from metrics.inputs import nq as inputs
from metrics.inputs import nq_lines, nq_strings
from metrics.nq import Annotation, Curve, Judged, Prediction, Span
from metrics.score import BadInput, ratio

A, B, C = (Span(k, k + 5, k // 10, k // 10 + 2) for k in (10, 20, 30))
NULL = {"start_byte": -1, "end_byte": -1, "start_token": -1, "end_token": -1}


def as_json(span):
    return dict(zip(NULL, span, strict=True)) if span else NULL


def values(evaluation):
    return {figure.name: evaluation.value(figure) for figure in evaluation.figures}


def five(*given):
    """Five annotators: those given, and the rest found nothing."""
    return [*given, *[Annotation(None, ())] * (5 - len(given))]


def long(span):
    return Annotation(span, ())


def short(*spans, said="none"):
    return Annotation(None, spans, said)


@pytest.mark.parametrize(
    ("annotators", "predicted", "judged"),
    [
        ([A, B], A, (True, True, True)),
        ([A, B], B, (True, True, True)),
        ([A, B], C, (True, True, False)),
        ([A, B], None, (True, False, False)),
        ([A], A, (False, True, False)),  # one annotator is not enough: a false positive
        ([A], None, (False, False, False)),
    ],
)
def test_long(annotators, predicted, judged):
    found = nq.judge_long(five(*map(long, annotators)), Prediction(predicted, ()), 2)
    assert found[:3] == judged


@pytest.mark.parametrize(
    ("annotators", "predicted", "judged"),
    [
        ([short(A, B), short(C)], short(B, A), (True, True, True)),  # a set, in any order
        ([short(A, B), short(C)], short(A), (True, True, False)),  # the whole set
        ([short(A), short(B)], short(A, B), (True, True, False)),  # of one annotator
        ([short(A), short(said="yes")], short(said="yes"), (True, True, True)),
        ([short(A), short(said="yes")], short(said="no"), (True, True, False)),
        ([short(A), short(said="yes")], short(A), (True, True, True)),
        ([short(A, said="yes"), short(B)], short(A), (True, True, True)),
        ([short(said="yes")], short(said="yes"), (False, True, False)),
        ([short(A), short(B)], short(), (True, False, False)),  # nothing equals nothing: no answer
        ([short(A)], short(), (False, False, False)),
    ],
)
def test_short(annotators, predicted, judged):
    found = nq.judge_short(five(*annotators), Prediction(None, *predicted[1:]), 2)
    assert found[:3] == judged


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (Span(1, 2, 3, 4), Span(1, 2, 3, 4), True),
        (Span(1, 2, 3, 4), Span(1, 2, -1, -1), True),
        (Span(1, 2, 3, 4), Span(-1, -1, 3, 4), True),
        (Span(1, 2, 3, 4), Span(1, 2, 3, 5), True),  # bytes agree
        (Span(1, 2, 3, 4), Span(1, 9, 3, 4), True),  # tokens agree, bytes do not
        (Span(1, 2, 3, 4), Span(1, 9, 3, 5), False),
        (Span(1, 2, -1, -1), Span(-1, -1, 3, 4), False),  # nothing to compare
        (Span(1, 2, -1, -1), Span(3, 4, -1, -1), False),
    ],
)
def test_same_span(first, second, same):
    assert nq.same_span(first, second) is same
    assert nq.same_span(second, first) is same


def judged(*rows):
    return [Judged(*row) for row in rows]


def test_equal_scores_are_kept_together():
    items = judged((1, 1, 1, 3.0), (1, 1, 0, 2.0), (1, 1, 1, 2), (0, 1, 0, 1.0))
    # Thresholds: 3 gives P 1, R 1/3; 2 gives P 2/3, R 2/3; 1 gives P 1/2, R 2/3.
    assert nq.sweep(items) == Curve(
        2.0, pytest.approx(2 / 3), {0.5: (2 / 3, 2 / 3), 0.75: (1 / 3, 1), 0.9: (1 / 3, 1)}
    )
    assert nq.sweep(items[::-1]) == nq.sweep(items)


def test_no_threshold_is_of_use():
    nothing = dict.fromkeys(nq.TARGETS, (0, 0))
    assert nq.sweep(judged((1, 1, 0, -3.0), (0, 1, 0, 7.0))) == Curve(0, 0, nothing)
    assert nq.sweep([]) == Curve(0, 0, nothing)
    evaluation = nq.evaluate({"e": five(long(A), long(A))}, {"e": Prediction(B, (), "none", -3, 0)})
    assert {values(evaluation)[f"long.{name}"] for name in ("precision", "recall", "f1")} == {0}
    assert evaluation.extras["long.threshold"] == 0
    assert evaluation.columns["long_all_prediction"] == [1]


ITEM = st.tuples(st.booleans(), st.booleans(), st.booleans(), st.integers(-3, 3)).map(
    lambda row: Judged(row[0], row[1], row[0] and row[1] and row[2], float(row[3]))
)


@given(st.lists(ITEM, max_size=12))
def test_the_sweep_against_trying_every_threshold(items):
    curve = nq.sweep(items)
    gold = sum(item.gold for item in items)
    tried = []
    for threshold in sorted({item.score for item in items}, reverse=True):
        kept = [item for item in items if item.score >= threshold and item.prediction]
        right = sum(item.correct for item in kept)
        precision, recall = ratio(right, len(kept)), ratio(right, gold)
        tried.append((nq.f1(precision, recall), precision, recall, threshold))
    best = max((row[0] for row in tried), default=0)
    assert curve.f1 == best
    assert curve.threshold == (next(row[3] for row in tried if row[0] == best) if best else 0)
    for target, (recall, _) in curve.recall_at.items():
        assert recall == max((row[2] for row in tried if row[1] >= target), default=0)


def example():
    gold = {
        "1": five(long(A), long(B)),
        "2": five(long(A), long(A)),
        "3": five(long(A)),
        "4": five(),
    }
    given = {
        "1": Prediction(A, (), "none", 3.0, 0.0),
        "2": Prediction(B, (), "none", 1.0, 0.0),
        "3": Prediction(A, (), "none", 0.5, 0.0),
        "4": Prediction(None, (), "none", 9.0, 0.0),
    }
    return gold, given


def test_with_and_without_the_threshold():
    found = nq.evaluate(*example())
    assert found.extras["long.threshold"] == 3.0
    assert found.extras["long.recall_at_precision_90"] == 0.5
    assert found.extras["long.precision_at_precision_90"] == 1
    expected = {
        "long.precision": 1,
        "long.recall": 0.5,
        "long.f1": pytest.approx(2 / 3),
        "long.accuracy": 0.75,  # 1 right, 2 not, 3 and 4 rightly without an answer
        "long_all.precision": pytest.approx(1 / 3),
        "long_all.recall": 0.5,
        "long_all.f1": pytest.approx(0.4),
        "long_all.accuracy": 0.5,
        "short.f1": 0,
        "short.accuracy": 1,
    }
    assert {name: values(found)[name] for name in expected} == expected
    assert "threshold:best-f1" in found.signature(found.figures[0])


def test_without_scores_all_predictions_count():
    gold, given = example()
    given = {name: item._replace(long_score=None) for name, item in given.items()}
    found = values(nq.evaluate(gold, given))
    for name in ("precision", "recall", "f1", "accuracy"):
        assert found[f"long.{name}"] == found[f"long_all.{name}"]


def test_how_many_annotators_make_an_answer():
    gold, given = example()
    assert values(nq.evaluate(gold, given, beta=1))["long_all.precision"] == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="x has no annotations"):
        nq.evaluate({"x": []}, {})


SPANS = st.sampled_from([None, A, B, C])


@given(st.lists(st.tuples(st.lists(SPANS, min_size=5, max_size=5), SPANS), min_size=1, max_size=8))
def test_bounds_and_the_gold_itself(rows):
    gold = {str(n): [long(span) for span in spans] for n, (spans, _) in enumerate(rows)}
    given = {str(n): Prediction(span, (), "none", n % 3, 0) for n, (_, span) in enumerate(rows)}
    assert all(0 <= value <= 1 for value in values(nq.evaluate(gold, given)).values())
    best = {}
    for name, annotations in gold.items():
        spans = [annotation.long for annotation in annotations if annotation.long]
        best[name] = Prediction(spans[0] if len(spans) >= 2 else None, ())
    found = values(nq.evaluate(gold, best))
    assert found["long.accuracy"] == 1
    assert found["long.f1"] == any(item.long for item in best.values())


# Files.


def record(name, *annotations, **more):
    written = [
        {
            "long_answer": as_json(each.long),
            "short_answers": [as_json(span) for span in each.short],
            "yes_no_answer": each.yes_no.upper(),
        }
        for each in annotations
    ]
    return {"annotations": written, "example_id": name} | more


@pytest.fixture
def write(tmp_path):
    def write(name, *records, packed=False):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
        data = ("\n".join(lines) + "\n").encode()
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return write


GOLD = five(long(A), Annotation(B, (A, C), "yes"))
PAGE = {"document_html": '<p title="annotations">' * 2000, "long_answer_candidates": []}


@pytest.mark.parametrize(
    "line",
    [
        record(-5, *GOLD),
        record(-5, *GOLD) | PAGE,
        PAGE | record(-5, *GOLD),
        record("-5", *GOLD, **PAGE),
        {"annotations": record(-5, *GOLD)["annotations"]}
        | PAGE
        | {"example_id": -5, "z": {"a": 1}},
        {"example_id": -5} | PAGE | record(-5, *GOLD),
        {"example_id": -5} | PAGE | {"annotations": record(-5, *GOLD)["annotations"]} | PAGE,
        record(-5, *GOLD) | PAGE | {"other": {"example_id": 7, "annotations": []}},
        PAGE | record(-5, *GOLD) | {"other": {"example_id": 7, "annotations": []}},
        PAGE | record(-5, *GOLD) | {"other": '"annotations": [], "example_id": 3'},
        PAGE | record(-5, *GOLD) | {"other": ["example_id", "annotations"]},
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_lines_of_every_shape(write, line, packed):
    path = write("dev", line, "", packed=packed)
    assert inputs.read_references(path) == {"-5": GOLD}


JSON = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(max_size=6) | st.just('"annotations": [1]'),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["example_id", "annotations", "a"]), inner, max_size=2)
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "example_id", "annotations"]), JSON), st.data())
def test_the_two_ends_of_a_line_say_what_the_whole_line_says(fields, data):
    fields |= {"page": "<p> " * 5000}
    order = data.draw(st.permutations(list(fields)))
    fields = {name: fields[name] for name in order}
    found = nq_lines._quick(json.dumps(fields).encode())
    if found is not None:
        assert found == (str(fields["example_id"]), fields["annotations"])


@pytest.mark.parametrize("small", [0, 1 << 23])  # side by side in threads, or one by one
def test_several_files(write, tmp_path, monkeypatch, small):
    monkeypatch.setattr(nq_lines, "_SMALL", small)
    write("dev/nq-dev-00.jsonl.gz", record(1, *GOLD), packed=True)
    write("dev/nq-dev-01.jsonl", record(2, *GOLD))
    write("dev/README.txt", "no data")
    for path in (tmp_path / "dev", tmp_path / "dev" / "nq-dev-*"):
        assert list(inputs.read_references(path)) == ["1", "2"]
    write("dev/nq-dev-02.jsonl", record(1, *GOLD))
    with pytest.raises(BadInput, match=r"nq-dev-02.jsonl: stands in another file too: 1\."):
        inputs.read_references(tmp_path / "dev")
    with pytest.raises(BadInput, match="no file has a name like this"):
        inputs.read_references(tmp_path / "x*")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="has no file that ends in"):
        inputs.read_references(tmp_path / "empty")


@pytest.mark.realdata
def test_the_simplified_form(realdata):
    found = inputs.read_references(realdata / "nq/simplified_sample.jsonl")
    span = Span(-1, -1, 212, 310)
    assert found == {"5328212470870865242": [Annotation(span, (Span(-1, -1, 213, 215),), "none")]}


def prediction(name, **fields):
    return {"example_id": name, "long_answer_score": 1, "short_answers_score": 2.5} | fields


PREDICTED = {
    "1": Prediction(A, (), "yes", 1.0, 2.5),
    "2": Prediction(None, (B,), "none", 1.0, 2.5),
}


def test_forms_of_predictions(write):
    records = [
        prediction(1, long_answer=as_json(A), short_answers=[NULL], yes_no_answer="YES"),
        prediction("2", long_answer=None, short_answers=[as_json(B), NULL]),
    ]
    assert inputs.read_predictions(write("a", {"predictions": records})) == PREDICTED
    assert inputs.read_predictions(write("b", json.dumps(records))) == PREDICTED
    assert inputs.read_predictions(write("c", *records)) == PREDICTED
    assert list(inputs.read_predictions(write("d", records[0]))) == ["1"]


def test_missing_and_extra(write):
    gold = write("g", record(1, *GOLD), record(2, *GOLD))
    given = write("p", {"predictions": [prediction(1, long_answer=as_json(A))]})
    with pytest.raises(BadInput, match=r"1 example without a prediction: 2\."):
        inputs.load(gold, given)
    assert values(inputs.load(gold, given, missing="zero"))["long.recall"] == 0.5
    with pytest.raises(BadInput, match="for no example of the references: 1"):
        inputs.load(write("h", record(2, *GOLD)), given, missing="zero")


BOUNDS = {
    "a start_byte and no end_byte": {"start_byte": 3},
    "an end_token and no start_token": {"end_token": 3},
    "start_byte 5 must lie before end_byte 5": {"start_byte": 5, "end_byte": 5},
    "start_token 5 must lie before end_token 4": {"start_token": 5, "end_token": 4},
    "must be whole numbers": {"start_byte": 1.0, "end_byte": 2},
    "start and end offsets must be": {"start_byte": True, "end_byte": 2},
}


@pytest.mark.parametrize(("said", "fields"), BOUNDS.items())
@pytest.mark.parametrize("place", ["long_answer", "short_answers"])
def test_inconsistent_spans(write, said, fields, place):
    said = said.replace("a start_byte and", "start_byte and").replace("an end", "end")
    value = NULL | fields
    one = {place: value if place == "long_answer" else [NULL, value]}
    with pytest.raises(BadInput, match=f"example 7: {place}.*{said}"):
        inputs.read_predictions(write("p", {"predictions": [prediction(7, **one)]}))
    line = {"annotations": [record(7, long(A))["annotations"][0], one], "example_id": 7}
    with pytest.raises(BadInput, match=f"example 7: annotation 2: {place}.*{said}"):
        inputs.read_references(write("g", line))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "has no examples"),
        (["{"], "line 1: is not JSON"),
        (["[1]"], "line 1: must be one JSON object"),
        (["{}", ""], "line 1: has no annotations"),
        ([{"annotations": []}], "example_id must be"),
        ([{"annotations": [], "example_id": 1.5}], "example_id must be"),
        ([record(1)], "example 1: has no annotations"),
        ([{"annotations": {"a": 1}, "example_id": 1}], "example 1: annotations must be a list"),
        ([{"annotations": [3], "example_id": 1}], "annotation 1: must be a JSON object"),
        ([{"annotations": [{"long_answer": 3}], "example_id": 1}], "long_answer must be"),
        ([{"annotations": [{"short_answers": 3}], "example_id": 1}], "short_answers must be"),
        ([{"annotations": [{"yes_no_answer": "x"}], "example_id": 1}], "not 'x'"),
        ([record(1, *GOLD)] * 2, "line 2: example 1 stands twice"),
        (['{"example_id": 1, "example_id": 2, "annotations": [{}]}'], "twice in one object"),
        (["[" * 100_000], "nested too deeply"),
        (['{"example_id": ' + "1" * 5000 + ', "annotations": [{}]}'], "too long to be read"),
        ([json.dumps(record(1, *GOLD) | PAGE)[:-1]], "is not JSON"),
    ],
)
def test_bad_references(write, lines, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_references(write("g", *lines))


def test_damaged_files(write, tmp_path):
    path = write("g", record(1, *GOLD) | PAGE, packed=True)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInput, match="damaged or cut short"):
        inputs.read_references(path)
    with pytest.raises(BadInput, match="there is no such file"):
        inputs.read_references(tmp_path / "none")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (3, "must be"),
        ({"predictions": 3}, "must be"),
        ({"predictions": [3]}, "prediction 1: must be one JSON object"),
        ([{}], "prediction 1: example_id must be"),
        ([prediction(1), prediction(1)], "example 1: has two predictions"),
        ([prediction(1, yes_no_answer="maybe")], "example 1: yes_no_answer .* not 'maybe'"),
        ([prediction(1, yes_no_answer=1)], "not 1"),
        ([prediction(1, yes_no_answer="no", short_answers=[as_json(A)])], "answers no and with"),
        ([prediction(1, long_answer_score="3")], "long_answer_score must be a number"),
        ([prediction(1, long_answer_score=True)], "long_answer_score must be a number"),
        ([prediction(1, short_answers_score=float("nan"))], "must be a finite number"),
        ([prediction(1, short_answers_score=10**400)], "must be a finite number"),
        (
            [prediction(1), prediction(2, long_answer_score=None)],
            "1 of 2 predictions have no long_answer_score: 2",
        ),
    ],
)
def test_bad_predictions(write, data, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_predictions(write("p", json.dumps(data)))


def test_every_pair_of_span_sets_is_compared_both_ways():
    sets = [(), (A,), (A, B), (B, A), (A, A)]
    for one, other in product(sets, sets):
        assert nq.same_spans(one, other) == (set(one) == set(other))


@pytest.mark.realdata
def test_short_answers_of_the_simplified_form(realdata):
    found = nq_strings.read_short_answers(realdata / "nq/simplified_sample.jsonl")
    assert found == {"5328212470870865242": [["Tracy McConnell"]]}


def test_short_answers_of_the_original_form(write):
    tokens = [{"token": word, "html_token": word == "<b>"} for word in ["a", "<b>", "c", "d"]]
    spans = Span(-1, -1, 0, 3), Span(-1, -1, 3, 4)
    line = record(1, short(*spans), short(said="no"), short(), document_tokens=tokens)
    assert nq_strings.read_short_answers(write("g", line)) == {"1": [["a c", "d"], ["no"], []]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (record(1, short(A)), "example 1: has neither document_text nor"),
        (record(1, short(A), document_tokens=[3]), "has neither document_text nor"),
        (record(1, short(C), document_text="a b"), "has no tokens on the page"),
        (record(1, short(Span(1, 2, -1, -1)), document_text="a b"), "has no tokens on the page"),
        ([], "line 1: must be one JSON object"),
        ({"example_id": 1, "document_text": ""}, "example 1: annotations must be a list"),
    ],
)
def test_short_answers_that_cannot_be_read(write, line, said):
    with pytest.raises(BadInput, match=said):
        nq_strings.read_short_answers(write("g", line))


def test_short_answers_of_an_example_twice(write):
    line = record(1, short(), document_text="a")
    with pytest.raises(BadInput, match="line 2: example 1 stands twice"):
        nq_strings.read_short_answers(write("g", line, line))
