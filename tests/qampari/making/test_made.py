"""Questions made from the demo's graph and articles, by the command, as people run it."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.imports.services import import_questions
from annotation.models import Question
from modeling import engines, weights
from modeling.weights import Weights
from qampari.making.pages import SnapshotPages
from qampari.records import parse_record
from tests.qampari.making.conftest import CHOICES, DEMO

THAMES = "Q900000032"
CROSSINGS = {
    "London Bridge",
    "Tower Bridge",
    "Millennium Bridge",
    "Blackwall Tunnel",
    "Greenwich Foot Tunnel",
    "Thames Tunnel",
}
RELATIONS = [each for each in DEMO["relations"] if each["property"] != "P206"]


@pytest.fixture
def make(project, tmp_path):
    """Make questions by the command; return the records and the counts it prints."""

    def made(*words, **choices):
        path, out = tmp_path / "choices.json", io.StringIO()
        path.write_text(json.dumps({"relations": RELATIONS, **choices}))
        given = ["--graph", "demo", "--choices", str(path), "--json", *words]
        file = tmp_path / "made.jsonl"
        call_command("generate_questions", "lists", "--out", str(file), *given, stdout=out)
        lines = file.read_text(encoding="utf-8").splitlines()
        return list(map(json.loads, lines)), json.loads(out.getvalue())

    return made


def make_all(make, *words):
    """Make every question, in whichever split."""
    return make(*words, sizes={"train": {"simple": 9}, "dev": {"simple": 0}, "test": {"simple": 9}})


def test_the_crossings_of_the_thames_are_one_question_with_six_answers(make, project):
    (record,), counts = make_all(make)
    assert record["question_text"] == "Which bridges and tunnels cross the River Thames?"
    assert {answer["answer_text"] for answer in record["answer_list"]} == CROSSINGS
    pages = SnapshotPages(project.snapshot)
    for answer in record["answer_list"]:
        (said,) = answer["wikidata"]
        assert (said["item"], said["property"], said["value"]) == (answer["aid"], "P177", THAMES)
        assert said["statement"].upper().startswith(f"{answer['aid']}$")
        (proof,) = answer["proof"]
        place = proof["evidence"]
        page = pages.find_page(place["path"])
        assert page.article.text[place["start"] : place["end"]] == proof["proof_text"]
        assert page.article.block_at(place["start"]).kind == "paragraph"
        assert place["alias"] in proof["proof_text"]
        assert (place["judge"], place["score"], place["snapshot"]) == ("words 2", 1.0, "demo")
    assert counts["found"]["simple"] == 2  # seven spacecraft of NASA, of which no page says so
    assert counts["found"]["simple_kept"] == 1
    assert counts["left_out"] == {"too_few": 1}


def test_no_question_rests_on_an_infobox(make, project, monkeypatch):
    """What the infobox says alone does not count: without its sentence a bridge is no answer."""
    own = SnapshotPages._read

    def without_running_text(self, title):
        page = own(self, title)
        if page and page.article.title == "Tower Bridge":
            text = page.article.text
            assert "Crosses" in text
            page.__dict__["sentences"] = ()
        return page

    monkeypatch.setattr(SnapshotPages, "_read", without_running_text)
    (record,), _ = make_all(make)
    tower = [one for one in record["answer_list"] if one["answer_text"] == "Tower Bridge"]
    # The river's own page still names it in a list, without a word that says it crosses.
    assert tower == []
    assert len(record["answer_list"]) == 5


def test_the_same_seed_makes_the_same_file_and_another_one_another(make):
    first, turned = make_all(make, "--seed", "4")[0], make_all(make, "--seed", "4")[0]
    assert first == turned
    assert first[0]["making"]["seed"] == 4


def test_what_is_made_is_imported_as_it_is(make, project, tmp_path):
    (record,), _ = make_all(make)
    (tmp_path / "one.jsonl").write_text(json.dumps(record) + "\n")
    parsed = parse_record(json.dumps(record).encode())
    assert parsed.split == record["qid"].rpartition("__")[2]
    with (tmp_path / "one.jsonl").open("rb") as file:
        import_questions(
            project=project, file=file, format="qampari", split=None, by=None, now=timezone.now()
        )
    (question,) = Question.objects.filter(project=project)
    assert question.context["answer_list"][0]["wikidata"]
    assert question.context["making"]["queries"] == [["P177/Q900000003", THAMES]]
    again, counts = make_all(make)
    assert again == []
    assert counts["left_out"]["same_question"] == 1


def verify(path):
    said, wrong = io.StringIO(), io.StringIO()
    words = ["--graph", "demo", "--verify", str(path)]
    call_command("generate_questions", "lists", *words, stdout=said, stderr=wrong)
    return said.getvalue(), wrong.getvalue()


def change(path, record, edit):
    changed = json.loads(json.dumps(record))
    edit(changed["answer_list"][1])
    path.write_text(json.dumps(record) + "\n" + json.dumps(changed) + "\n")


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda answer: answer["wikidata"].clear(), "it has no statement"),
        (lambda answer: answer["proof"].clear(), "it has no proof"),
        (lambda answer: answer["wikidata"][0].update(statement="Q1$2"), "no statement Q1"),
        (lambda answer: answer["wikidata"][0].update(value="Q900000071"), "has no statement Q9"),
        (lambda answer: answer["proof"][0].update(proof_text="So it is."), "does not stand at"),
        (lambda answer: answer["proof"][0]["evidence"].update(start=0), "does not stand at"),
        (lambda answer: answer["proof"][0]["evidence"].update(path="No"), "there is no page No"),
        (lambda answer: answer.pop("proof"), "not the record of a made"),
    ],
)
def test_a_file_that_was_changed_is_named_by_line(make, tmp_path, edit, sentence):
    (record,), _ = make_all(make)
    assert "All answers of 1 questions" in verify(tmp_path / "made.jsonl")[0]
    change(tmp_path / "changed.jsonl", record, edit)
    wrong = io.StringIO()
    words = ["--graph", "demo", "--verify", str(tmp_path / "changed.jsonl")]
    with pytest.raises(CommandError, match="1 answers or lines") as refused:
        call_command("generate_questions", "lists", *words, stderr=wrong)
    assert refused.value.returncode == 1
    assert wrong.getvalue().startswith("Line 2: ")
    assert sentence in wrong.getvalue()


class Follows:
    """A model of entailment that knows a few sentences, and remembers what it was asked."""

    def __init__(self):
        self.pairs = []

    def score_entailments(self, pairs):
        self.pairs += pairs
        return [0.9 if "Thames" in premise.rpartition(". ")[2] else 0.3 for premise, _ in pairs]


def test_a_model_of_entailment_can_judge(make, monkeypatch):
    engine = Follows()
    monkeypatch.setattr(weights, "get_weights", lambda *_, **__: Weights("", "", None, "abc"))
    monkeypatch.setattr(engines, "load_entailer", lambda own: engine)
    (record,), counts = make_all(make, "--judge", "entailment", "--seed", "1")
    assert len(record["answer_list"]) == 6
    said = {proof["evidence"]["judge"] for one in record["answer_list"] for proof in one["proof"]}
    assert said == {"entailment abc"}
    assert counts["sentences"] == len(engine.pairs)
    assert {hypothesis for _, hypothesis in engine.pairs} >= {
        "Tower Bridge crosses the River Thames."
    }
    again = make_all(make, "--judge", "entailment", "--seed", "1")[0]
    assert again == [record]


def test_without_the_model_nothing_is_judged(project, tmp_path, settings):
    settings.MODELS = {"entailment": "/nowhere"}
    words = ["--graph", "demo", "--judge", "entailment", "--dry-run"]
    with pytest.raises(CommandError, match=r"entailment|not installed") as refused:
        call_command("generate_questions", "lists", *words, stdout=io.StringIO())
    assert refused.value.returncode == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--graph", "demo"], "Name the file to write with --out"),
        (["--graph", "none", "--dry-run"], "There is no graph “none” here"),
        (["--graph", "demo", "--dry-run", "--seed", "-1"], "“seed” is a whole number"),
        (["--graph", "demo", "--dry-run", "--choices", "/nowhere.json"], "nowhere.json"),
    ],
)
def test_what_cannot_be_is_a_sentence(project, words, sentence):
    with pytest.raises(CommandError, match=sentence) as refused:
        call_command("generate_questions", "lists", *words, stdout=io.StringIO())
    assert refused.value.returncode == 2


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"relations": [RELATIONS[0] | {"question": "Which?"}]}, "needs {subject} once"),
        ({"relations": RELATIONS[:1]}, "at least two relations"),
        ({"relations": {}}, "list of objects"),
        ({"least": 0}, "“least” is a whole number from 1 to 200"),
        ({"share": 2}, "“share” is a number from 0 to 1"),
        ({"split": "random"}, "“split” is strict or paper"),
        ({"sizes": {"train": {"bridge": 3}}}, "“sizes” of train has the kinds"),
        ({"day": "yesterday"}, "“day” is a date"),
        ({"half": 1}, "There is no “half”"),
    ],
)
def test_choices_that_cannot_be_are_a_sentence(make, choices, sentence, tmp_path):
    with pytest.raises(CommandError, match=sentence) as refused:
        make(**choices)
    assert refused.value.returncode == 2
    assert not (tmp_path / "made.jsonl").exists()


def test_the_demo_makes_questions_as_its_guide_says(project, tmp_path):
    file = tmp_path / "made.jsonl"
    words = ["--graph", "demo", "--choices", str(CHOICES), "--out", str(file)]
    said = io.StringIO()
    call_command("generate_questions", "lists", *words, stdout=said)
    assert "Found: 3 simple, 1 simple kept." in said.getvalue()
    assert "no model was asked" in said.getvalue()
    assert len(file.read_text().splitlines()) == 1
