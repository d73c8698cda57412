"""Natural Questions' files: every form, and a sentence for everything else."""

import gzip
import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.inputs import nq as inputs
from metrics.inputs import nq_lines, nq_strings
from metrics.nq import NqAnnotation, NqSpan, Prediction
from metrics.score import BadInput

A, B, C = (NqSpan(k, k + 5, k // 10, k // 10 + 2) for k in (10, 20, 30))
NULL = {"start_byte": -1, "end_byte": -1, "start_token": -1, "end_token": -1}


def as_json(span):
    return dict(zip(NULL, span, strict=True)) if span else NULL


def values(evaluation):
    return {figure.name: evaluation.value(figure) for figure in evaluation.figures}


def five(*given):
    """Five annotators: those given, and the rest found nothing."""
    return [*given, *[NqAnnotation(None, ())] * (5 - len(given))]


def long(span):
    return NqAnnotation(span, ())


def short(*spans, said="none"):
    return NqAnnotation(None, spans, said)


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


GOLD = five(long(A), NqAnnotation(B, (A, C), "yes"))
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
    with pytest.raises(BadInput, match=r"nq-dev-02.jsonl: is also in another file: 1\."):
        inputs.read_references(tmp_path / "dev")
    with pytest.raises(BadInput, match="no file has a name like this"):
        inputs.read_references(tmp_path / "x*")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="has no file that ends in"):
        inputs.read_references(tmp_path / "empty")


@pytest.mark.realdata
def test_the_simplified_form(realdata):
    found = inputs.read_references(realdata / "nq/simplified_sample.jsonl")
    span = NqSpan(-1, -1, 212, 310)
    assert found == {
        "5328212470870865242": [NqAnnotation(span, (NqSpan(-1, -1, 213, 215),), "none")]
    }


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
        inputs.score_files(gold, given)
    assert values(inputs.score_files(gold, given, missing="zero"))["long.recall"] == 0.5
    with pytest.raises(BadInput, match="for no example of the references: 1"):
        inputs.score_files(write("h", record(2, *GOLD)), given, missing="zero")


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
        ([record(1, *GOLD)] * 2, "line 2: example 1 appears twice"),
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
    path = write("g", record(1, *GOLD) | PAGE, packed=True)
    whole = path.read_bytes()
    for place in range(2, len(whole), 7):  # no flipped bit gives a traceback or other annotations
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        with suppress(BadInput):
            assert list(inputs.read_references(path)) == ["1"]


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
            [
                prediction(1, long_answer=as_json(A)),
                prediction(2, long_answer=as_json(A), long_answer_score=None),
            ],
            "1 of 2 answers have no long_answer_score: 2",
        ),
    ],
)
def test_bad_predictions(write, data, said):
    with pytest.raises(BadInput, match=said):
        inputs.read_predictions(write("p", json.dumps(data)))


@pytest.mark.realdata
def test_short_answers_of_the_simplified_form(realdata):
    found = nq_strings.read_short_answers(realdata / "nq/simplified_sample.jsonl")
    assert found == {"5328212470870865242": [["Tracy McConnell"]]}


def test_short_answers_of_the_original_form(write):
    tokens = [{"token": word, "html_token": word == "<b>"} for word in ["a", "<b>", "c", "d"]]
    spans = NqSpan(-1, -1, 0, 3), NqSpan(-1, -1, 3, 4)
    line = record(1, short(*spans), short(said="no"), short(), document_tokens=tokens)
    assert nq_strings.read_short_answers(write("g", line)) == {"1": [["a c", "d"], ["no"], []]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (record(1, short(A)), "example 1: has neither document_text nor"),
        (record(1, short(A), document_tokens=[3]), "has neither document_text nor"),
        (record(1, short(C), document_text="a b"), "has no tokens on the page"),
        (record(1, short(NqSpan(1, 2, -1, -1)), document_text="a b"), "has no tokens on the page"),
        ([], "line 1: must be one JSON object"),
        ({"example_id": 1, "document_text": ""}, "example 1: annotations must be a list"),
    ],
)
def test_short_answers_that_cannot_be_read(write, line, said):
    with pytest.raises(BadInput, match=said):
        nq_strings.read_short_answers(write("g", line))


def test_short_answers_of_an_example_twice(write):
    line = record(1, short(), document_text="a")
    with pytest.raises(BadInput, match="line 2: example 1 appears twice"):
        nq_strings.read_short_answers(write("g", line, line))


def test_a_score_is_only_needed_where_there_is_an_answer(write):
    """Null scores of null answers, as some systems write them, cannot move a threshold."""
    answered = prediction(1, long_answer=as_json(A), short_answers=[as_json(B)])
    nothing = prediction(2, long_answer=NULL, long_answer_score=None)
    found = inputs.read_predictions(write("p", json.dumps([answered, nothing])))
    assert found["2"].long_score is None
    said = prediction(3, short_answers=[], yes_no_answer="YES", short_answers_score=None)
    with pytest.raises(BadInput, match="1 of 2 answers have no short_answers_score: 3"):
        inputs.read_predictions(write("p", json.dumps([answered, said])))


def test_annotators_are_compared_by_the_words_of_their_short_answers(write):
    """N26: of three pairs one agrees, apart from case and articles; none with an answer alone."""
    tokens = [{"token": word, "html_token": False} for word in ["The", "Mill", "a", "mill", "is"]]
    spans = NqSpan(-1, -1, 0, 2), NqSpan(-1, -1, 3, 4)
    line = record(1, short(spans[0]), short(spans[1]), short(), document_tokens=tokens)
    found = nq_strings.score_files(write("g", line))
    assert found.scores()["agreement"][1:3] == (1 / 3, 1)
    dropped = nq_strings.score_files(write("g", line), nulls="drop")
    assert dropped.scores()["agreement"].value == 1
