"""The reader for Disambig-F1: spans over windows, or no answer; weights found as any others."""

import numpy as np
import pytest

from evaluation.scores import reading
from modeling import engines, weights
from modeling.base import MissingModel

pytestmark = pytest.mark.xdist_group("models")
QUESTION = "When did the Thames Tunnel open to trains?"
TEXT = "The Thames Tunnel was opened to walkers in 1843 and to trains in 1869."


def window(*words, question=2):
    """A window of a text: marks and a question, then a token for each (first, last) character."""
    from modeling.engines.squad import Window
    from modeling.engines.tokens import EncodedText

    places = [None] * question + list(words)
    return Window(EncodedText(list(range(len(places))), [0] * len(places)), places)


def logits(**by_place):
    """Zeros but for what is named: start3=2.0, end4=1.0."""
    rows = {"start": np.zeros(8, dtype=np.float32), "end": np.zeros(8, dtype=np.float32)}
    for name, value in by_place.items():
        rows[name[:-1]][int(name[-1])] = value
    return rows["start"], rows["end"]


WORDS = ((0, 2), (3, 7), (8, 12))  # In | 1843 | 1869
YEARS = "In 1843 1869"


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"start3": 3, "end3": 3}, "1843"),
        ({"start3": 3, "end4": 3}, "1843 1869"),
        ({"start4": 3, "end3": 2, "end4": 1}, "1869"),  # no span ends before it starts
        ({"start3": 3, "end3": 3, "start0": 4, "end0": 4}, ""),  # nothing is likelier
        ({"start3": 3, "end3": 3, "start0": 3, "end0": 3}, "1843"),  # threshold 0: a tie is a span
        ({"start1": 9, "end1": 9, "start3": 1, "end3": 1}, "1843"),  # the question is no answer
    ],
)
def test_the_best_span_of_the_text_or_nothing(given, answer):
    from modeling.engines.squad import choose_best_span

    assert choose_best_span(YEARS, [window(*WORDS)], [logits(**given)]) == answer


def test_windows_are_compared_and_nothing_counts_where_it_is_least():
    from modeling.engines.squad import choose_best_span

    parts = [window(WORDS[0], WORDS[1]), window(WORDS[2])]
    rows = [logits(start3=2, end3=2, start0=9, end0=9), logits(start2=3, end2=3, start0=1)]
    assert choose_best_span(YEARS, parts, rows) == "1869"


@pytest.fixture
def have(tiny_model, settings):
    settings.MODELS = {"disambig-f1": str(tiny_model("qa"))}
    return weights.get_weights("disambig-f1")


def test_answers_are_pieces_of_their_texts_however_many_are_asked(have):
    engine = engines.load_answerer(have)
    long = "The river is wide. " * 60 + TEXT
    asked = [(QUESTION, TEXT), (QUESTION, ""), ("Why? " * 200, TEXT), (QUESTION, long)]
    together = engine.read_answers(asked)
    assert together == [engine.read_answers([one])[0] for one in asked]
    assert all(answer in text for answer, (_, text) in zip(together, asked, strict=True))
    assert together[1] == ""
    assert any(together)


def test_a_long_text_is_read_in_windows_that_share_tokens(have):
    engine = engines.load_answerer(have)
    text = "river " * 300
    rows = engine.tokenizer.encode_windows(QUESTION, text, 384, 128)
    ends = [max(place[1] for place in places if place) for _, places in rows]
    starts = [min(place[0] for place in places if place) for _, places in rows]
    assert len(rows) > 2
    assert (starts[0], ends[-1]) == (0, len(text.rstrip()))
    assert all(start < end for start, end in zip(starts[1:], ends, strict=False))


def test_scoring_gets_the_reader_with_the_version_of_its_weights(have):
    reader = reading.get_reader_offer("squad").open()
    assert reader.name.endswith(have.version)
    assert "|" not in reader.name
    assert reader.read_answers([(QUESTION, "")]) == [""]


def test_a_reader_that_is_not_here_says_what_is_missing(settings):
    settings.MODELS = {"disambig-f1": "/nowhere"}
    with pytest.raises(reading.NoReader, match=r"it has no config\.json"):
        reading.get_reader_offer("squad").open()


def test_its_weights_are_not_converted(have):
    from modeling.engines.converting import convert_weights

    with pytest.raises(MissingModel, match="stays in full precision"):
        convert_weights(have)
