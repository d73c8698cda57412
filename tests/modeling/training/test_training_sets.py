"""Training sets of a project: what is in them, what is kept out, and the ways to take one."""

import datetime as dt
import hashlib
import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.consent.services import Agreement, give_consent
from annotation.core.consistent_view import snapshot
from annotation.core.refusals import Conflict
from annotation.imports.services import import_questions
from annotation.models import AuditEntry, Question, Suggestion, SuggestionUse
from modeling import corpus as corpora
from modeling.training.building import ExampleBuilder, ExampleChoice, list_systems
from modeling.training.recipes import RECIPES
from modeling.training.sets import start_training_set
from tests import factories
from tests.modeling.corpora import Corpus
from tests.validation import simulated
from tests.validation.release.conftest import ambignq, pairs, record, single

pytestmark = pytest.mark.django_db

TWO = pairs(
    ("When did the tunnel open to walkers?", "1843"),
    ("When did the tunnel open to trains?", "1869"),
)


class Everything(Corpus):
    """A corpus of which every question finds all."""

    def search(self, query, top):
        return list(self.passages[:top])


@pytest.fixture(autouse=True)
def bridges(monkeypatch):
    corpus = Everything()
    monkeypatch.setattr(corpora, "corpus_for", lambda wiki, label: corpus)
    return corpus


@pytest.fixture
def project():
    return factories.make_project(slug="crossings")


@pytest.fixture
def bring(project, now):
    """bring(split, records…): import them as finished."""

    def bring(split, *records, into=None):
        options = {"format": "ambignq", "split": split, "finished": True, "by": None, "now": now}
        import_questions(project=into or project, file=ambignq(*records), **options)

    return bring


def take(project, system="span-seq-gen", layout="", **fields):
    """Return the lines of a training set, and its manifest."""
    now = dt.datetime.now(dt.UTC)
    choice = ExampleChoice(system=system, **fields)
    made = start_training_set(project=project, choice=choice, layout=layout, by=None, now=now)
    data = b"".join(made.blocks())
    manifest = json.loads(made.build_manifest("file.jsonl"))
    assert manifest["sha256"] == hashlib.sha256(data).hexdigest()
    return [json.loads(line) for line in data.splitlines()], manifest


def asked(number, text, *annotations):
    return {**record(number, *annotations), "question": text}


# --- what is in them ------------------------------------------------------------------------------


def test_accepted_sets_are_lines_with_the_same_keys_and_the_same_bytes_again(project, bring):
    bring("train", record(1, TWO), record(2, single("1894")))
    lines, manifest = take(project)
    assert [line["id"] for line in lines] == ["r1", "r2"]
    assert lines[0]["target"] == "1843 [SEP] 1869"
    assert lines[1]["answers"] == [["1894"]]
    assert {tuple(line) for line in lines} == {tuple(lines[0])}
    assert lines[0]["source"] == "import"
    assert manifest["counts"] == {"questions": 2, "used": 2, "lines": 2}
    assert manifest["retrieval"]["corpus"] == "bridges"
    assert manifest["recipe"]["learning_rate"] == 5e-6
    assert take(project) == (lines, manifest)


def test_every_question_is_used_or_left_out_for_a_reason(project, bring, now):
    bring("train", record(1, TWO), record(2, single("2010")))
    factories.make_question(project, split="train")
    _, manifest = take(project)
    assert manifest["left_out"] == {"not_in_passages": 1, "unfinished": 1}
    assert manifest["counts"] == {"questions": 3, "used": 1, "lines": 1}


@pytest.mark.parametrize(
    ("system", "layout", "keys"),
    [
        ("span-seq-gen", "chat", {"id", "messages"}),
        ("fid", "", {"id", "question", "target", "answers", "ctxs"}),
        (
            "extractive",
            "",
            {
                *("dataset", "question", "answers", "positive_ctxs", "negative_ctxs"),
                "hard_negative_ctxs",
            },
        ),
        ("dense", "triplets", {"anchor", "positive", "negative"}),
    ],
)
def test_layouts_have_the_keys_that_their_programs_read(project, bring, system, layout, keys):
    bring("train", record(1, TWO))
    lines, _ = take(project, system, layout)
    assert lines
    assert all(set(line) == keys for line in lines)
    assert len({json.dumps(line) for line in lines}) == len(lines)


def test_messages_are_what_is_asked_and_the_answer(project, bring):
    bring("train", record(1, TWO))
    [line] = take(project, "disambig-first", "chat")[0]
    assert line["messages"] == [
        {"role": "user", "content": "When was bridge 1 built?"},
        {
            "role": "assistant",
            "content": "When did the tunnel open to walkers? [SEP] "
            "When did the tunnel open to trains?",
        },
    ]


def test_a_layout_has_to_fit(project, bring):
    bring("train", record(1, TWO))
    with pytest.raises(Exception, match=r"cannot be laid out as dpr\. Choose seq2seq or chat"):
        take(project, layout="dpr")
    with pytest.raises(Exception, match="“question-x8” has no weights"):
        take(project, "question-x8")
    with pytest.raises(Exception, match=r"has no part “fid”\. Choose one of span-seq-gen, qd"):
        take(project, "span-seq-gen-qd", role="fid")


def test_systems_that_share_weights_are_known_by_their_names_in_suggestions():
    assert list_systems("span-seq-gen") == ["SpanSeqGen", "SpanSeqGen with questions"]
    assert all(list_systems(role) for role in RECIPES)


# --- what is kept out -----------------------------------------------------------------------------


def test_a_question_that_is_held_out_anywhere_is_not_learnt_from(project, bring):
    other = factories.make_project()
    factories.make_question(other, text="when did the TUNNEL open?", split="test")
    factories.make_question(other, text="when did the bridge open", split="dev")
    bring(
        "train",
        asked(1, "When did the tunnel open?", TWO),
        asked(2, "When did the bridge open?", single("1894")),
        asked(3, "Who built the tunnel?", single("1843")),
    )
    lines, manifest = take(project)
    assert [line["id"] for line in lines] == ["r3"]
    assert manifest["left_out"] == {"also_in_dev": 2}


def test_a_checkpoint_is_not_chosen_on_what_is_tested(project, bring):
    other = factories.make_project()
    factories.make_question(other, text="when did the tunnel open", split="test")
    bring("dev", asked(1, "When did the tunnel open?", TWO), asked(2, "Why?", single("1894")))
    lines, manifest = take(project, split="dev")
    assert [line["id"] for line in lines] == ["r2"]
    assert manifest["left_out"] == {"also_in_dev": 1}


def test_test_is_refused(project):
    with pytest.raises(Conflict, match="The split test is neither trained nor tuned on"):
        take(project, split="test")


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["When did it open?", "when did IT open", "Who built it?", "Why?"]),
            st.sampled_from(["train", "dev", "test"]),
            st.booleans(),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_nothing_of_dev_or_test_is_ever_in_a_training_file(drawn):
    from django.db import transaction

    from metrics.text import answer_key

    with transaction.atomic():
        here, there = factories.make_project(), factories.make_project()
        for number, (text, split, own) in enumerate(drawn):
            where = here if own else there
            options = {"format": "ambignq", "split": split, "finished": True, "by": None}
            file = ambignq(asked(number, text, single("1843")))
            now = dt.datetime.now(dt.UTC)
            import_questions(project=where, file=file, **options, now=now)
        held = {answer_key(text) for text, split, _ in drawn if split != "train"}
        builder = ExampleBuilder(here, ExampleChoice(system="span-seq-gen"))
        used = [labelled.prompt for labelled, _ in builder.iterate_examples()]
        assert held.isdisjoint(map(answer_key, used))
        assert builder.counts.used + builder.counts.left_out.total() == sum(
            own and split == "train" for _, split, own in drawn
        )
        transaction.set_rollback(True)


@pytest.fixture
def world(monkeypatch):
    """A project in which people worked; T1 on train and Q1 to Q12 on dev are finished."""
    made = simulated.make_world()
    years = " ".join(["1843", "1869", "1900", "2010", "25 March 1843", "in 1843"])
    from modeling.base import ArticlePassage

    passage = ArticlePassage("1", "Tunnel", f"It opened in {years}.")
    monkeypatch.setattr(corpora, "corpus_for", lambda wiki, label: Everything(passage))
    Question.objects.filter(project=made.project).update(text="It opened when")
    return made


def agree(project, person, now, *, may_train):
    text = project.consent_texts.latest("version")
    agreement = Agreement(text.version, of_age=True, may_train=may_train)
    give_consent(project=project, agreement=agreement, by=person, now=now)


def ask_consent(world):
    from annotation.consent.services import ConsentWords, start_with_text

    words = ConsentWords(body="What is kept.")
    start_with_text(project=world.project, words=words, by=None, now=world.now)


def test_work_is_learnt_from_only_where_everybody_behind_it_allowed_it(world):
    project = world.project
    Question.objects.filter(project=project, split="dev").delete()
    assert take(project)[1]["left_out"]["no_consent"] == 1  # no one was asked
    ask_consent(world)
    agree(project, world.ann, world.now, may_train=False)
    assert take(project)[1]["left_out"]["no_consent"] == 1
    agree(project, world.ann, world.now, may_train=True)
    lines, manifest = take(project)
    assert [line["target"] for line in lines] == ["1843 [SEP] 1869"]
    assert manifest["sources"] == {"generators": 1}
    assert manifest["newest_work"]


def test_one_of_several_people_who_says_no_is_enough(world):
    project = world.project
    ask_consent(world)
    for person in (world.ann, world.ben):
        agree(project, person, world.now, may_train=True)
    agree(project, world.val, world.now, may_train=False)
    used = {line["id"] for line in take(project, split="dev")[0]}
    names = {question.external_id: name for name, question in world.questions.items()}
    assert {names[each] for each in used} == {"Q1", "Q2"}  # no validator was needed
    agree(project, world.val, world.now, may_train=True)
    assert len({line["id"] for line in take(project, split="dev")[0]}) > 8


def test_questions_whose_people_saw_suggestions_of_these_weights_are_left_out(world):
    project, question = world.project, world.questions["T1"]
    Question.objects.filter(project=project, split="dev").delete()
    ask_consent(world)
    agree(project, world.ann, world.now, may_train=True)
    turn = question.annotations.get().assignment
    for system, kept in (("BM25", 1), ("SpanSeqGen with questions", 0)):
        suggestion = Suggestion.objects.create(
            question=question, system=system, version="1", position=0, kind="answer",
            content={"answers": ["1843"]}, created_at=world.now,
        )  # fmt: skip
        SuggestionUse.objects.create(assignment=turn, suggestion=suggestion, shown_at=world.now)
        assert len(take(project)[0]) == kept
    assert take(project)[1]["left_out"] == {"no_answer": 1, "suggested": 1}
    lines, manifest = take(project, keep_suggested=True)
    assert (len(lines), manifest["keep_suggested"]) == (1, True)


def test_statements_do_not_grow_with_the_questions(project, bring, django_assert_max_num_queries):
    bring("train", *(record(n, TWO) for n in range(40)))
    builder = ExampleBuilder(project, ExampleChoice(system="span-seq-gen"))
    with snapshot(), django_assert_max_num_queries(18):
        assert len(list(builder.iterate_examples())) == 40


# --- ways to take one -----------------------------------------------------------------------------


def command(*words):
    out, err = io.StringIO(), io.StringIO()
    call_command("training_set", "crossings", *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_command_writes_the_file_and_its_manifest(project, bring, tmp_path):
    bring("train", record(1, TWO), record(2, single("2010")))
    target = tmp_path / "train.jsonl"
    _, said = command("--system", "span-seq-gen", "-o", str(target))
    assert "1 lines of 1 questions" in said
    assert "Left out 1 whose answers stand in none of the passages." in said
    manifest = json.loads((tmp_path / "train.jsonl.manifest.json").read_bytes())
    assert manifest["sha256"] == hashlib.sha256(target.read_bytes()).hexdigest()
    printed, _ = command("--system", "span-seq-gen", "-o", str(target), "--json")
    assert json.loads(printed)["counts"]["used"] == 1
    written, _ = command("--system", "span-seq-gen", "-o", "-")
    assert written.encode() == target.read_bytes()
    assert AuditEntry.objects.filter(action="training_set_taken").count() == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--system", "span-seq-gen", "--split", "test"), "test is neither trained nor tuned on"),
        (("--system", "none"), "There is no baseline “none”"),
        (("--system", "bm25", "--layout", "chat"), "Choose triplets or dpr"),
        (("--system", "span-seq-gen", "--option", "top=3"), "has no option “top”"),
        (("--system", "span-seq-gen", "--option", "passages=0"), "a number from 1 to 200"),
    ],
)
def test_the_command_refuses_with_a_sentence_and_writes_nothing(project, tmp_path, words, sentence):
    target = tmp_path / "train.jsonl"
    with pytest.raises(CommandError, match=sentence) as refused:
        command(*words, "-o", str(target))
    assert refused.value.returncode == 2
    assert not any(tmp_path.iterdir())


def test_an_index_that_goes_away_leaves_no_file(project, bring, bridges, tmp_path, monkeypatch):
    from modeling.base import MissingModel

    bring("train", record(1, TWO))

    def gone(query, top):
        raise MissingModel("The index is gone.")

    monkeypatch.setattr(bridges, "search", gone)
    with pytest.raises(CommandError, match=r"The index is gone\. No part of the file was kept"):
        command("--system", "span-seq-gen", "-o", str(tmp_path / "train.jsonl"))
    assert not any(tmp_path.iterdir())


@pytest.fixture
def staff(project, client_as):
    return client_as(factories.make_member(project, "researcher"))


def test_the_page_gives_a_zip(project, bring, staff):
    bring("train", record(1, TWO))
    address = reverse("training-set", args=["crossings"])
    page = staff.get(address).content.decode()
    assert "SpanSeqGen with questions: qd" in page
    sent = staff.get(address, {"part": "span-seq-gen-qd:qd", "layout": "chat", "split": "train"})
    with zipfile.ZipFile(io.BytesIO(b"".join(sent.streaming_content))) as files:
        name = "crossings-train-qd-chat.jsonl"
        assert files.namelist() == [name, f"{name}.manifest.json"]
        assert len(files.read(name).splitlines()) == 2
    entry = AuditEntry.objects.get(action="training_set_taken")
    assert (entry.data["role"], entry.data["layout"]) == ("qd", "chat")


@pytest.mark.parametrize(
    ("asked_for", "sentence"),
    [
        ({"part": "bm25:reranker", "layout": "chat", "split": "train"}, "Choose triplets or dpr"),
        ({"part": "no:reranker", "split": "train"}, "“no:reranker” is not in the list"),
        ({"part": "bm25:reranker", "split": "test"}, "test is not trained on"),
    ],
)
def test_the_page_says_what_cannot_be_taken(project, staff, asked_for, sentence):
    page = staff.get(reverse("training-set", args=["crossings"]), asked_for)
    assert page.status_code == 422
    assert sentence in page.content.decode()


def test_the_api_gives_the_same_lines(project, bring, staff):
    bring("train", record(1, TWO))
    address = reverse("api-training-set", args=["crossings"])
    sent = staff.get(address, {"system": "span-seq-gen"})
    assert sent["Content-Type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in b"".join(sent.streaming_content).splitlines()]
    assert lines == take(project)[0]
    zipped = staff.get(reverse("api-training-set-zip", args=["crossings"]), {"system": "fid"})
    assert zipped["Content-Type"] == "application/zip"
    for given_, field in (
        ({}, "system"),
        ({"system": "fid", "layout": "dpr"}, "layout"),
        ({"system": "fid", "split": "test"}, "split"),
        ({"system": "fid", "role": "qd"}, "role"),
    ):
        refused = staff.get(address, given_)
        assert (refused.status_code, list(refused.json())) == (400, [field])


def test_where_there_is_no_index_it_says_so(project, staff, monkeypatch):
    monkeypatch.undo()
    refused = staff.get(reverse("api-training-set", args=["crossings"]), {"system": "fid"})
    assert refused.status_code == 409
    assert "has no index of" in refused.json()["detail"] or "live wiki" in refused.json()["detail"]


def test_evidence_that_people_quoted_is_what_searching_learns_from(world):
    """What a model that searches learns to find is where Ann read her answer."""
    ask_consent(world)
    agree(world.project, world.ann, world.now, may_train=True)
    question = world.questions["T1"]
    answer = question.annotations.get().pairs.first().answers.first()
    answer.quote = factories.make_proof(world.project, world.ann, exact="1843")
    answer.save()
    from modeling.training.disambiguations import read_answer_sets

    with snapshot():
        [labelled, *_] = [
            row for row in read_answer_sets(world.project, "train") if row.pk == question.pk
        ]
    assert [passage.title for passage in labelled.evidence] == ["Thames Tunnel"]
    assert "1843" in labelled.evidence[0].text


@pytest.mark.parametrize(
    ("system", "layout"),
    [
        *(("span-seq-gen", "seq2seq"), ("fid", "seq2seq"), ("fid", "fid"), ("qd", "chat")),
        *(("extractive", "dpr"), ("dense", "triplets")),
    ],
)
def test_the_library_that_trainers_read_with_reads_every_layout(
    project, bring, tmp_path, monkeypatch, system, layout
):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()
    bring("train", record(1, TWO), record(2, single("1843", "in 1843")))
    target = tmp_path / "train.jsonl"
    system, role = ("span-seq-gen-qd", "qd") if system == "qd" else (system, "")
    words = ["--system", system, "--layout", layout, "-o", str(target)]
    command(*words, *(["--role", role] if role else []))
    read = datasets.load_dataset(
        "json", data_files=str(target), cache_dir=str(tmp_path / "cache"), split="train"
    )
    lines = [json.loads(line) for line in target.read_bytes().splitlines()]
    assert [set(row) for row in read] == [set(line) for line in lines]
    assert list(read) == lines
