"""Sentences: NLTK's decisions with NLTK's parameters, our rules, and where parameters are found."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import sentences
from metrics.score import BadInput
from metrics.sentences import Punkt, Rules
from tests.growth import growth

FILES = {
    "abbrev_types.txt": "dr\np.m\nco\n",
    "collocations.tab": "##number##\tinternational\nmt\teverest\n",
    "sent_starters.txt": "however\nthe\n",
    # 2, 4, 8: upper case at the start, in the middle, unknown; 16, 32, 64: lower case
    "ortho_context.tab": "the\t50\nhe\t34\nsmith\t4\nhowever\t2\nliga\t36\n",
}
# U+001C to U+001F are spaces to Python's regular expressions but not to those NLTK uses since 3.10.
TEXT = st.text(
    alphabet=st.characters(
        exclude_categories=["Cs", "Cn", "So", "Cf"], exclude_characters="\x1c\x1d\x1e\x1f"
    ),
    max_size=40,
)
PIECES = st.sampled_from(
    re.findall(
        r"\S+",
        "he He the The However it foo Bar dr. Dr. U.S. u.s. p.m. J. s. t mr 5 3. 1,000 -3.5. 1995. "
        "a.b x-co. no. Mt. ... .. . ? ! !? ; , : -- - ( ) [ ] ' \" ” ’ « ½. é. É. ١. _. @ * ## "
        "international",
    )
)
JOINTS = st.sampled_from(["", " ", " ", "  ", "\n", "\t", "\xa0", "\u2028", ". ", '." ', ". . "])
BUILT = st.lists(st.tuples(PIECES, JOINTS), max_size=14).map(
    lambda parts: "".join(map("".join, parts))
)


@pytest.fixture
def folder(tmp_path):
    """Make a folder with a few parameters of our own, as NLTK lays them out."""
    return write(tmp_path)


@pytest.fixture(scope="module")
def punkt(tmp_path_factory):
    """Punkt with a few parameters of our own."""
    return Punkt(write(tmp_path_factory.mktemp("punkt")))


def write(root):
    """Write the parameters where they are below a folder, and return that place."""
    folder = root / "nltk_data" / "tokenizers" / "punkt_tab" / "english"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def official(realdata):
    """NLTK's tokenizer and ours, both with the parameters of the real data."""
    nltk_data = pytest.importorskip("nltk.data", reason="nltk is not installed")
    nltk_data.path.insert(0, str(realdata / "nltk_data"))
    from nltk.tokenize import sent_tokenize

    ours = Punkt(realdata / "nltk_data" / "tokenizers" / "punkt_tab" / "english")
    yield sent_tokenize, ours.split_sentences
    nltk_data.path.pop(0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? four", ["One.", "Two!", "Three?", "four"]),
        ("Dr. Smith came. He left.", ["Dr. Smith came.", "He left."]),
        ("It was 5 p.m. He left.", ["It was 5 p.m.", "He left."]),  # "he" is lower case inside
        ("At 5 p.m. Smith left.", ["At 5 p.m. Smith left."]),
        ("He was late... However, so was I.", ["He was late...", "However, so was I."]),
        ("J. Smith", ["J. Smith"]),
        ("Mt. Everest", ["Mt. Everest"]),  # a collocation
        ("in 1995. International", ["in 1995. International"]),
        ("in 1995. liga", ["in 1995. liga"]),
        ("in 1995. Smith", ["in 1995.", "Smith"]),
        ('He said "No." The end.', ['He said "No."', "The end."]),
        ("(He left.) The end.", ["(He left.)", "The end."]),
        ("What?! No", ["What?!", "No"]),
        ("no end", ["no end"]),
        (" \n", []),
        ("", []),
    ],
)
def test_punkt(punkt, text, expected):
    assert punkt.split_sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? four", ["One.", "Two!", "Three?", "four"]),
        ("one here. two there.", ["one here.", "two there."]),
        ("Mr. Smith and J. S. Bach came.", ["Mr. Smith and J. S. Bach came."]),
        ("The U.S. team won at 5 p.m. on Monday.", ["The U.S. team won at 5 p.m. on Monday."]),
        ("See no. 5. Then go.", ["See no. 5.", "Then go."]),
        ("die 3. liga", ["die 3. liga"]),
        ('He said "No." The end.', ['He said "No."', "The end."]),
        ("Wait... what?", ["Wait...", "what?"]),
        ("one. , two", ["one. , two"]),
        ("1.5 million", ["1.5 million"]),
        ("by a.\n\nb. c", ["by a.\n\nb. c"]),
        ("by J.\nS. Bach", ["by J.\nS. Bach"]),
        (" \n", []),
        ("", []),
    ],
)
def test_rules(text, expected):
    assert Rules().split_sentences(text) == expected


@given(st.one_of(BUILT, st.text(max_size=60)))
def test_rules_lose_nothing_but_spaces(text):
    found = Rules().split_sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence.strip() == sentence != "" for sentence in found)


@given(st.one_of(BUILT, st.text(max_size=60)))
def test_punkt_never_raises(punkt, text):
    assert "".join("".join(punkt.split_sentences(text)).split()) == "".join(text.split())


def test_the_environment_comes_first(monkeypatch, folder, tmp_path):
    root = folder.parents[2]
    monkeypatch.setenv("NLTK_DATA", os.pathsep.join(["", str(tmp_path / "none"), str(root)]))
    assert sentences.find_punkt_folder() == folder
    assert sentences.choose_splitter().name == "punkt"


@pytest.mark.parametrize("place", ["home", "prefix", "share"])
def test_the_default_folders(monkeypatch, folder, tmp_path, place):
    monkeypatch.delenv("NLTK_DATA", raising=False)
    monkeypatch.setenv("HOME", str(folder.parents[3] if place == "home" else tmp_path / "no"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path if place == "prefix" else tmp_path / "no"))
    if place == "share":
        (tmp_path / "no").mkdir()
        (tmp_path / "no" / "share").symlink_to(tmp_path)
    found = sentences.find_punkt_folder()
    assert found
    assert found.samefile(folder)


def test_without_data_the_rules_decide(monkeypatch):
    monkeypatch.setattr(Path, "is_dir", lambda path: False)
    assert sentences.find_punkt_folder() is None
    assert sentences.choose_splitter().name == "rules"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("abbrev_types.txt", None, "it is missing"),
        ("abbrev_types.txt", b"", "it is empty"),
        ("sent_starters.txt", b"the\n\nhe\n", "it has an empty line"),
        ("collocations.tab", b"a\tb\nc\n", "line 2 does not have two columns"),
        ("collocations.tab", b"a\tb\tc\n", "line 1 does not have two columns"),
        ("ortho_context.tab", b"the\t50\nhe\t3x\n", "a whole number"),
        ("ortho_context.tab", b"the\t50\nhe", "a whole number"),
        ("ortho_context.tab", b"the\t50\t1\t2\n", "not every line has two columns"),
        ("ortho_context.tab", b"\xff\xfe\t50\n", "it is not UTF-8 text"),
    ],
)
def test_damaged_parameters_are_a_sentence(folder, name, content, says):
    path = folder / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=says) as caught:
        Punkt(folder)
    assert str(path) in str(caught.value)
    assert "Install NLTK's punkt_tab again" in str(caught.value)


def test_a_folder_in_the_place_of_a_file_is_a_sentence(folder):
    (folder / "abbrev_types.txt").unlink()
    (folder / "abbrev_types.txt").mkdir()
    with pytest.raises(BadInput, match="cannot be read"):
        Punkt(folder)


@pytest.mark.realdata
def test_every_text_of_asqa_is_cut_as_nltk_cuts_it(realdata, official):
    theirs, ours = official
    questions = list(json.loads((realdata / "asqa/ASQA.dev.json").read_bytes())["dev"].values())
    lines = (realdata / "asqa/asqa_200_train_with_context.jsonl").read_bytes().split(b"\n")
    questions += [json.loads(line) for line in lines if line.strip()]
    texts = set(json.loads((realdata / "reference/asqa/predictions.json").read_bytes()).values())
    for question in questions:
        texts.update(pair["context"] or "" for pair in question["qa_pairs"])
        for annotation in question["annotations"]:
            texts.add(annotation["long_answer"])
            texts.update(piece["content"] or "" for piece in annotation["knowledge"])
    texts |= {text.lower() for text in texts}
    assert len(texts) > 10_000
    wrong = [text for text in texts if ours(text) != theirs(text)]
    assert not wrong


@pytest.mark.realdata
@settings(max_examples=1500, deadline=None)
@given(st.one_of(BUILT, TEXT))
def test_any_text_is_cut_as_nltk_cuts_it(official, text):
    theirs, ours = official
    assert ours(text) == theirs(text)
    assert ours(text.lower()) == theirs(text.lower())


RUNS = [".", ". ", "a. ", ".)", "!'", "a", " ", "3. liga ", "? "]


@pytest.mark.parametrize("piece", RUNS)
def test_rules_take_time_in_proportion_to_the_text(piece):
    assert growth(Rules().split_sentences, lambda size: piece * size + "x", 5_000) < 8


# The rule before it was made linear: it looked back at the whole sentence.
STOP = re.compile(r"[.!?]+[\"')\]}\u2019\u201d\xbb]*\s+(?=\S)")


@given(BUILT)
def test_sentences_end_where_one_pattern_finds_their_marks(text):
    rules = [(match.start(), match.end()) for match in sentences._STOP.finditer(text)]
    assert rules == [(match.start(), match.end()) for match in STOP.finditer(text)]


@given(BUILT)
def test_the_last_word_is_that_of_all_words(text):
    words = text.split()
    assert sentences._last_word(text, 0, len(text)) == (words[-1] if words else "")
