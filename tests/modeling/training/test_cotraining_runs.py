"""Co-training on a project: what is asked, what is kept, and where it goes on."""

import io
import json
import os
import pickle
import signal
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import AuditEntry, Suggestion, SuggestionUse
from modeling import corpus as corpora
from modeling import engines, weights
from modeling.base import ArticlePassage
from modeling.training import cotraining_runs
from modeling.training.cotraining_data import CotrainingChoice, CotrainingData
from modeling.training.cotraining_runs import CotrainingRun
from tests import factories
from tests.modeling.corpora import Corpus

pytestmark = [pytest.mark.django_db, pytest.mark.models, pytest.mark.xdist_group("models")]
NUMBERS = {"batch": "8", "tokens_in": "60", "tokens_out": "12", "learning_rate": "0.003"}
PASSAGE = ArticlePassage("1", "Bridge", "When was it built: 1843 and 1869 and 1894")


@pytest.fixture
def project(project, monkeypatch):
    monkeypatch.setattr(corpora, "corpus_for", lambda wiki, label: Corpus(PASSAGE))
    return project


@pytest.fixture
def ferries(project):
    """Questions of train whose known answers nobody has worked on, and others that are not used."""
    for name, split, known in [
        ("When was ferry 1 built?", "train", ["1894", "in 1894"]),
        ("When was ferry 2 built?", "train", ["1843"]),
        ("When was ferry 3 built?", "train", ["18 [SEP] 43"]),
        ("When was ferry 4 built?", "train", []),
        ("When was ferry 5 built?", "dev", ["1894"]),
        ("when was bridge 101 built", "train", ["1894"]),  # a question of dev
        ("When was Bridge 3 built", "train", ["1894"]),  # one that has all of its answers
        ("When was ferry 2 built", "train", ["1869"]),
    ]:
        factories.make_question(project, text=name, split=split, known_answers=known)


@pytest.fixture
def co_train(project, plain_model):
    """co_train(words…): what the command prints on standard output."""

    def co_train(*words, name="ours", dev=False):
        out = io.StringIO()
        given = ["--name", name, "--from", str(plain_model("plain-bart")), "--device", "cpu"]
        for number, value in NUMBERS.items():
            given += ["--set", f"{number}={value}"]
        given += ["--models", "2", "--rounds", "1", "--max-steps", "2"]
        given += [] if dev else ["--no-dev"]
        call_command("co_train", "crossings", *given, *words, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    return co_train


@pytest.fixture
def told(monkeypatch):
    """told[…]: what models answer to each question, instead of what they would."""
    answers = {}

    def answer(run, number, seed):
        assert weights.get_weights("span-seq-gen", f"trained:{run._name(number, seed)}")
        return {
            each.labelled.asked.id: answers[each.labelled.asked.question]
            for each in run.data.partial
        }

    monkeypatch.setattr(CotrainingRun, "_continue", answer)
    return answers


def test_models_are_trained_asked_and_trained_on_what_they_found(co_train, ferries, settings):
    said = json.loads(co_train("--json", dev=True))
    assert (said["full"], said["partial"]) == (20, 2)
    assert said["partial_left_out"] == {
        "also_in_dev": 1,
        "has_all_answers": 1,
        "separator_inside": 1,
        "twice": 1,
    }
    first, last = said["rounds"]
    assert [model["name"] for model in first["models"]] == ["ours-1-0", "ours-1-1"]
    assert [model["name"] for model in last["models"]] == ["ours-2-0", "ours-2-1"]
    assert first["questions"] == 20
    assert sum(first["branches"].values()) == 2
    assert last["questions"] == 20 + first["questions_added"]
    folder = settings.AMBIT_DATA / "training" / "ours-cotraining"
    assert json.loads((folder / "report.json").read_text()) == said
    given = json.loads((folder / "ours-1-1.json").read_text())
    assert sorted(answers[0] for answers in given.values()) == ["1843", "1894"]
    votes = said["votes"]
    assert votes["questions"] == 20
    assert list(votes["single"]) == ["ours-2-0", "ours-2-1"]
    assert 0 <= votes["all"] <= 1
    assert sorted(json.loads((folder / "ours-2-0-dev.json").read_text())) == sorted(
        f"r{100 + number}" for number in range(20)
    )
    assert all("F1-answer" in model["figures"] for model in last["models"])
    assert AuditEntry.objects.filter(action="weights_trained").count() == 4
    assert weights.list_trained() == ["ours-1-0", "ours-1-1", "ours-2-0", "ours-2-1"]


def test_the_last_models_learn_from_what_most_have_added(co_train, ferries, told, settings):
    told["When was ferry 1 built?"] = ["1894", "1869"]
    told["When was ferry 2 built?"] = ["1843"]
    said = json.loads(co_train("--json"))
    first, last = said["rounds"]
    assert first["branches"] == {"several": 1, "one": 1, "left_out": 0}
    assert (first["answers_added"], last["questions"]) == (1, 22)
    assert said["votes"] == {}
    run = settings.AMBIT_DATA / "training" / "ours-cotraining" / "ours-2-0"
    lines = [json.loads(line) for line in (run / "examples.jsonl").read_text().splitlines()]
    added = {line["question"]: line["targets"] for line in lines if "ferry" in line["question"]}
    assert added == {
        "When was ferry 1 built?": ["1894 [SEP] 1869"],
        "When was ferry 2 built?": ["1843"],
    }
    text = co_train()
    assert "20 questions with all answers, 2 with one known answer (left out: 1 also_in_dev" in text
    assert "Added: 1 questions with 1 further answers, 1 with the known one; left out: 0." in text
    with pytest.raises(CommandError, match="This co-training cannot go on") as refused:
        co_train("--models", "3")
    assert refused.value.returncode == 1


def test_killed_after_the_fourth_of_six_models_it_goes_on_with_the_fifth(
    co_train, ferries, monkeypatch, settings, project, plain_model, tmp_path
):
    six = ("--models", "6", "--json")
    run = CotrainingRun(
        project,
        CotrainingChoice(
            name="ours",
            models=6,
            rounds=1,
            base=str(plain_model("plain-bart")),
            changes=NUMBERS,
            max_steps=2,
            device="cpu",
            no_dev=True,
        ),
    )
    file = tmp_path / "run.pickle"
    file.write_bytes(pickle.dumps(run))
    killed = subprocess.run(
        [sys.executable, "-m", "tests.modeling.training.a_cotraining", str(file), "ours-1-4"],
        env={**os.environ, "AMBIT_DATA": str(settings.AMBIT_DATA), "AMBIT_ENGINE": "reference"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert weights.list_trained() == [f"ours-1-{seed}" for seed in range(4)]
    train = cotraining_runs.train_model

    stepped = []

    def train_on(folder, *args, report, **more):
        def step(done, total):
            stepped.append(folder.name)
            report(done, total)

        return train(folder, *args, report=step, **more)

    asked, load = [], engines.load_continuer
    monkeypatch.setattr(cotraining_runs, "train_model", train_on)
    monkeypatch.setattr(engines, "load_continuer", lambda own: asked.append(own.name) or load(own))
    said = co_train(*six)
    models = ["ours-1-4", "ours-1-5", *(f"ours-2-{seed}" for seed in range(6))]
    assert list(dict.fromkeys(stepped)) == models
    assert asked == ["trained:ours-1-4", "trained:ours-1-5"]
    stepped.clear()
    assert co_train(*six) == said
    assert stepped == []


def show_suggestion(project, question):
    """Let a person see what SpanSeqGen suggests, who then skips the question."""
    task = factories.make_task(project, question, split="train")
    person = factories.make_member(project, "annotator")
    skipped = factories.make_assignment(task, person, state="skipped")
    now = timezone.now()
    suggestion = Suggestion.objects.create(
        question=question, system="SpanSeqGen", version="1", position=0, kind="answer",
        content={"answers": ["1843"]}, created_at=now,
    )  # fmt: skip
    SuggestionUse.objects.create(assignment=skipped, suggestion=suggestion, shown_at=now)


def test_suggested_questions_are_learnt_from_where_it_is_said(co_train, ferries, told, project):
    told |= {"When was ferry 1 built?": ["1894"], "When was ferry 2 built?": ["1843"]}
    seen = project.questions.filter(split="train", external_id="r5").get()
    show_suggestion(project, seen)
    left = json.loads(co_train("--json"))
    assert left["full"] == 19
    kept = json.loads(co_train("--json", "--keep-suggested", name="kept"))
    assert kept["full"] == 20
    for name, said in (("ours-1-0", False), ("kept-1-0", True)):
        facts = json.loads((weights.trained_folder(name) / "training.json").read_text())
        assert facts["data"]["kept_suggested"] is said
        card = (weights.trained_folder(name) / "README.md").read_text()
        assert f"| kept suggested | {said} |" in card


def test_deleting_weights_takes_their_part_of_the_run(co_train, ferries, told, settings):
    told |= {"When was ferry 1 built?": ["1894"], "When was ferry 2 built?": ["1843"]}
    co_train()
    folder = settings.AMBIT_DATA / "training" / "ours-cotraining"
    (folder / "ours-1-0.json").write_text("{}")
    (folder / "ours-1-0-dev.json").write_text("{}")
    call_command("trained", "delete", "ours-1-0", stderr=io.StringIO())
    left = {path.name for path in folder.iterdir()}
    assert left == {"ours-1-1", "ours-2-0", "ours-2-1", "plan.json", "report.json"}
    for name in sorted(left - {"plan.json", "report.json"}):
        call_command("trained", "delete", name, stderr=io.StringIO())
    assert not folder.exists()  # the plan has the questions with known answers


def test_a_file_of_known_answers_is_taken_instead(ferries, project, tmp_path):
    file = tmp_path / "open.jsonl"
    lines = [
        {"question": "when was ferry 7 built", "answer": ["1843", "in 1843", "1843"]},
        {"question": "When was bridge 105 built?", "answer": ["1843"]},
        {"question": "when was pier 8 built", "answer": []},
        {"question": "qqq zzz", "answer": ["1843"]},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    data = CotrainingData(project, CotrainingChoice(name="ours", partial=file, no_dev=True))
    [partial] = data.partial
    assert partial.labelled.asked.question == "when was ferry 7 built"
    assert partial.known == ("1843", "in 1843")
    assert data.left_out == {"also_in_dev": 1, "no_answer": 1, "no_passages": 1}


def test_seeds_learn_the_answers_in_orders_of_their_own(ferries, project):
    data = CotrainingData(project, CotrainingChoice(name="ours", no_dev=True))
    targets = {
        tuple(example.targets for example in data.build_examples(data.full, seed))
        for seed in range(4)
    }
    assert len(targets) == 4
    assert data.dev == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--models", "1"), "Train 2 to 16 models, not 1"),
        (("--rounds", "0"), "Label in 1 to 5 rounds, not 0"),
        (("--name", "Ours!"), "is no name of trained weights"),
        ((), "There is no question of which one answer is known"),
        (("--partial", "/nowhere.jsonl"), "cannot be read"),
    ],
)
def test_it_refuses_with_a_sentence_before_it_trains(co_train, words, sentence, settings):
    with pytest.raises(CommandError, match=sentence) as refused:
        co_train(*words)
    assert refused.value.returncode == 2
    assert not (settings.AMBIT_DATA / "training").exists()


@pytest.mark.parametrize(
    "line", ["no JSON", "[]", '{"question": 1, "answer": []}', '{"question": "a", "answer": "b"}']
)
def test_a_file_of_something_else_is_refused_with_its_line(co_train, tmp_path, line):
    file = tmp_path / "open.jsonl"
    file.write_text(f'{{"question": "who", "answer": ["x"]}}\n\n{line}\n')
    with pytest.raises(CommandError, match="line 3: write an object with a text “question”"):
        co_train("--partial", str(file))


def test_weights_of_another_training_are_not_taken_for_its_own(co_train, ferries, told, settings):
    told |= {"When was ferry 1 built?": ["1894"], "When was ferry 2 built?": ["1843"]}
    co_train()
    published = settings.AMBIT_DATA / "models" / "trained" / "ours-2-1" / "training.json"
    facts = json.loads(published.read_text())
    published.write_text(json.dumps(facts | {"seed": 7}))
    with pytest.raises(CommandError, match="trained:ours-2-1 already, of another training") as no:
        co_train()
    assert no.value.returncode == 1
