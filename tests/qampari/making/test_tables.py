"""Questions from the lists of a small Wikipedia: made, checked again, imported and released."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from qampari.making import jobs, pages
from qampari.making.choices import read_choice
from qampari.making.pages import SnapshotPages
from qampari.making.record_checks import find_record_problems
from qampari.making.reviews import review_question
from qampari.models import SampledQuestion
from qampari.records import kind_of, source_of, split_of
from tests import archives, factories
from tests.qampari import paraphrasing
from tests.qampari.factories import check
from tests.qampari.making import rivers
from tests.qampari.making.conftest import DEMO
from tests.qampari.making.test_through import STAGES, submit
from validation.release.services import start_release
from wikipedia.articles.tables import list_tables
from wikipedia.demo.build import HERE
from wikipedia.wikidata.folders import open_graph

pytestmark = pytest.mark.django_db
SIZES = {"test": {"table_simple": 5, "table_composition": 5}}
SIMPLE = "What are the bridges over the Aldwater?"
COMPOSITION = "What are the bridges over the Aldwater whose engineer is Rosa Reed?"


@pytest.fixture(scope="session")
def river_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rivers")
    archive = rivers.write_archive(folder / "rivers.zim")
    archives.index(folder, archive, "rivers")
    words = [str(HERE / "wikidata.json"), "--name", "demo", "--processes", "0"]
    return folder, archive, words


@pytest.fixture
def lists(db, settings, river_files):
    """A project of lists on the small Wikipedia."""
    folder, archive, words = river_files
    snapshot = archives.use(settings, folder, archive, "rivers")
    if not (folder / "wikidata").exists():
        call_command("wikidata_graph", *words, stdout=io.StringIO(), stderr=io.StringIO())
    return factories.make_project("lists", snapshot=snapshot, protocol="qampari", policies=False)


@pytest.fixture
def make(lists, tmp_path):
    """Make questions by the command; return the records and the counts it prints."""

    def made(*words, **choices):
        path, out, file = tmp_path / "choices.json", io.StringIO(), tmp_path / "made.jsonl"
        document = {"relations": DEMO["relations"], "tables": True, "sizes": SIZES, **choices}
        path.write_text(json.dumps(document))
        given = ["--graph", "demo", "--choices", str(path), "--json", *words]
        call_command("generate_questions", "lists", "--out", str(file), *given, stdout=out)
        lines = file.read_text(encoding="utf-8").splitlines()
        return list(map(json.loads, lines)), json.loads(out.getvalue())

    return made


def test_a_list_gives_a_simple_question_and_a_composition_and_decoys_none(make):
    (simple, composed), counts = make()
    assert [simple["question_text"], composed["question_text"]] == [SIMPLE, COMPOSITION]
    assert (kind_of(simple["qid"]), kind_of(composed["qid"])) == ("simple", "composition")
    assert {source_of(each["qid"]) for each in (simple, composed)} == {"Wikipedia tables"}
    assert {split_of(each["qid"]) for each in (simple, composed)} == {"test"}
    names = [answer["answer_text"] for answer in simple["answer_list"]]
    assert names == list(rivers.BRIDGES)
    assert [answer["answer_text"] for answer in composed["answer_list"]] == names[:5]
    assert composed["making"]["queries"] == [
        ["table List_of_bridges_over_the_Aldwater", ""],
        ["table List_of_bridges_over_the_Aldwater: Engineer", "Rosa Reed"],
    ]
    assert counts["found"]["lists"] == 1 + len(rivers.DECOYS)
    assert counts["found"]["table_simple_kept"] == counts["found"]["table_composition_kept"] == 1
    assert counts["drawn"] == {"train": 0, "dev": 0, "test": 2}


def test_every_answer_has_its_cell_and_a_sentence_of_its_own_page(make, lists):
    records, _ = make()
    found = SnapshotPages(lists.snapshot)
    listed = found.find_page("List_of_bridges_over_the_Aldwater")
    (table,) = list_tables(listed.article)
    for record in records:
        for answer in record["answer_list"]:
            said = answer["table"]
            assert (said["path"], said["number"]) == (listed.path, 0)
            assert (said["revision"], said["url"]) == (rivers.REVISION, listed.url)
            assert said["caption"] == "Standing bridges"
            assert table.find_cell(said["row"], said["column"]).text == answer["answer_text"]
            own = found.find_page(said["page"])
            assert own.url == f"{answer['answer_url']}?oldid={rivers.REVISION}"
            for proof in answer["proof"]:
                place = proof["evidence"]
                assert (place["judge"], place["path"]) == ("table-words 1", own.path)
                assert (place["revision"], proof["found_in_url"]) == (own.revision, own.url)
                text = own.article.text[place["start"] : place["end"]]
                assert text == proof["proof_text"]
                assert "Aldwater" in text or place["alias"] in text
            if said["value"]:
                assert said["value"]["cell"] == "Rosa Reed"
                cell = table.find_cell(said["value"]["row"], said["value"]["column"])
                assert cell.text == "Rosa Reed"


def test_what_was_left_out_is_counted_by_reason(make):
    _, counts = make()
    of_tables = {"list_without_table": 2, "table_without_key": 4, "table_too_short": 1}
    assert counts["left_out"].items() >= (of_tables | {"title_says_little": 1, "within": 1}).items()
    assert "List of bridges in boxes" in counts["examples"]["list_without_table"]


def test_the_same_seed_makes_the_same_file_and_no_tables_none(make):
    assert make("--seed", "4") == make("--seed", "4")
    records, counts = make(tables=False)
    assert records == []
    assert "lists" not in counts["found"]


def test_only_as_many_lists_are_read_as_the_choice_says(make):
    _, counts = make(lists_read=2)
    assert (counts["found"]["lists"], counts["found"]["lists_read"]) == (9, 2)


def test_an_answer_without_its_words_is_left_out_and_the_share_decides(make, monkeypatch):
    """Three pages lose their sentences: five of eight is too few of all, unless that is enough."""
    read = SnapshotPages._read

    def without_text(self, title):
        page = read(self, title)
        if page and page.article.title in ("Fen Bridge", "Gate Bridge", "High Bridge"):
            page.__dict__["sentences"] = ()
        return page

    monkeypatch.setattr(SnapshotPages, "_read", without_text)
    (composed,), counts = make()
    assert composed["question_text"] == COMPOSITION
    examples = counts["examples"]["too_little_evidence"]
    assert f"{SIMPLE} 5 of 8 answers have evidence." in examples
    (simple, _), _ = make(share=0.6)
    assert len(simple["answer_list"]) == 5
    assert simple["making"]["unproven"] == ["Fen Bridge", "Gate Bridge", "High Bridge"]
    assert make(least=6, share=0.6)[0] == []


def verify(path):
    said, wrong = io.StringIO(), io.StringIO()
    words = ["--graph", "demo", "--verify", str(path)]
    call_command("generate_questions", "lists", *words, stdout=said, stderr=wrong)
    return said.getvalue()


def of_answer(**changes):
    return lambda record: record["answer_list"][1]["table"].update(changes)


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (of_answer(row=5), "its cell is not in its place on List of bridges over"),
        (of_answer(column=2), "its cell is not in its place"),
        (of_answer(cell="Elm Bridge"), "its cell is not in its place"),
        (of_answer(number=3), "its cell is not in its place"),
        (of_answer(path="Elm_Bridge"), "there is no list Elm_Bridge"),
        (of_answer(revision=3), "its list is another revision"),
        (of_answer(page="Elm_Bridge"), "does not lead to the page Elm_Bridge"),
        (of_answer(value={"row": 6, "column": 2, "cell": "Anna Ash"}), "its value is not in its"),
        (of_answer(value={"row": 2, "column": 3, "cell": "Lower Ford"}), "not what is asked for"),
        (of_answer(value=None), "its question does not ask for what"),
        (lambda each: each["answer_list"][1].update(answer_text="Elm"), "it is not named after"),
        (lambda each: each["answer_list"][1]["proof"].clear(), "it has no proof"),
        (lambda each: each["answer_list"][1]["proof"][0].update(proof_text="x"), "not stand at"),
        (lambda each: each["answer_list"][0]["proof"].pop(1), "no proof names its value"),
        (lambda each: each["making"]["value"].update(text="R. Reed"), "not what is asked for"),
        (lambda each: each["making"]["value"].update(text="the Rosa Reed"), "has no such name"),
        (lambda each: each.update(question_text="What are the locks?"), "does not ask for what"),
        (lambda each: each["answer_list"][1]["table"].pop("row"), "not the record of a made"),
    ],
)  # fmt: skip
def test_a_file_that_was_changed_is_named_by_line(make, tmp_path, edit, sentence):
    records, _ = make()
    assert "All answers of 2 questions are as" in verify(tmp_path / "made.jsonl")
    edit(records[1])
    (tmp_path / "changed.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    wrong = io.StringIO()
    words = ["--graph", "demo", "--verify", str(tmp_path / "changed.jsonl")]
    with pytest.raises(CommandError, match="do not agree") as refused:
        call_command("generate_questions", "lists", *words, stderr=wrong)
    assert refused.value.returncode == 1
    assert {line[:8] for line in wrong.getvalue().splitlines()} == {"Line 2: "}
    assert sentence in wrong.getvalue()


def test_a_proof_of_another_sentence_is_named(make, lists, tmp_path):
    """A sentence that stands where it says and lacks the words of the title."""
    (simple, _), _ = make()
    text, other = (
        SnapshotPages(lists.snapshot).find_page("Ashford_Bridge").article.text,
        "Rosa Reed",
    )
    (proof,) = simple["answer_list"][0]["proof"]
    proof["proof_text"] = other
    proof["evidence"].update(start=text.index(other), end=text.index(other) + len(other))
    (tmp_path / "changed.jsonl").write_text(json.dumps(simple) + "\n")
    wrong = io.StringIO()
    words = ["--graph", "demo", "--verify", str(tmp_path / "changed.jsonl")]
    with pytest.raises(CommandError):
        call_command("generate_questions", "lists", *words, stderr=wrong)
    assert "its proof lacks words of List of bridges over" in wrong.getvalue()


def test_a_wikipedia_of_another_language_is_refused(make, lists, tmp_path):
    lists.snapshot.language = "de"
    lists.snapshot.save()
    with pytest.raises(CommandError, match="English Wikipedia alone") as refused:
        make()
    assert refused.value.returncode == 2
    assert not (tmp_path / "made.jsonl").exists()


def test_pages_that_cannot_be_listed_are_refused(make, monkeypatch):
    monkeypatch.setattr(pages, "provider_for", lambda snapshot: object())
    with pytest.raises(CommandError, match="cannot say which pages it has") as refused:
        make()
    assert refused.value.returncode == 2


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"sizes": {"train": {"table_simple": 1}}}, "for dev and test alone"),
        ({"lists_read": 0}, "“lists_read” is a whole number"),
        ({"sizes": {"test": {"tables": 1}}}, "“sizes” of test has the kinds"),
        ({"tables": "yes"}, "“tables” is true or false"),
    ],
)
def test_choices_of_tables_that_cannot_be_are_a_sentence(make, choices, sentence):
    with pytest.raises(CommandError, match=sentence):
        make(**choices)


def test_from_a_list_to_a_release(lists):
    """A job adds the questions, people check and paraphrase them, and the cells are released."""
    lists.rule_settings = {"checked_percent": 0}
    lists.save()
    for stage in STAGES:
        lists.policies.create(stage=stage, split="test", people=1, minimum_seconds=0)
    ann = factories.make_member(lists, "annotator", name="Anna Ash")
    staff = factories.make_member(lists, "researcher", name="Rosa Reed")
    validator = factories.make_member(lists, "validator", name="Vera Vale")
    choice = read_choice(DEMO | {"tables": True, "sizes": {"test": {"table_simple": 1}}})
    job = jobs.start_making_job(
        project=lists, graph="demo", choice=choice, judge="words", try_only=False, by=staff,
        now=timezone.now(),
    )  # fmt: skip
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("done", "")
    question = Question.objects.get()
    assert question.text == SIMPLE
    imported = question.context["answer_list"]

    check(ann, lists, ["correct"] * 7 + ["doubtful"])
    submit(staff, lists, "qampari-team", **{"answer-0-verdict": ["doubtful"]})
    paraphrasing.draw_first(lists, ann)
    submit(ann, lists, "qampari-paraphrase", text=["Which bridges cross the Aldwater?"])
    submit(validator, lists, "qampari-verify", verdict=["same"])
    release = start_release(
        project=lists, format="qampari", split=None, by=None, now=timezone.now()
    )
    [line] = b"".join(release.blocks()).decode().splitlines()
    found = json.loads(line)
    assert found["synthetic_question"] == SIMPLE
    assert len(found["answer_list"]) == 7
    assert all(answer in imported for answer in found["answer_list"])
    assert all(answer["table"]["cell"] for answer in found["answer_list"])
    again = found | {"question_text": SIMPLE}
    with open_graph("demo") as graph:
        found = SnapshotPages(lists.snapshot)
        assert list(find_record_problems([json.dumps(again)], graph, found)) == []


def test_a_try_shows_questions_of_tables(lists):
    staff = factories.make_member(lists, "researcher")
    choice = read_choice(DEMO | {"tables": True, "sizes": SIZES})
    job = jobs.start_making_job(
        project=lists, graph="demo", choice=choice, judge="words", try_only=True, by=staff,
        now=timezone.now(),
    )  # fmt: skip
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert [each["question"] for each in job.result["shown"]["sample"]] == [SIMPLE, COMPOSITION]
    assert "9 of 9 lists" in job.log[-1][1]
    assert "no column of the table has a link of its own" in json.dumps(job.result["shown"])
    assert not Question.objects.exists()


def test_runs_follow_what_was_said_of_questions_of_tables(lists):
    """The composition is left out, the list is asked for in other words; the record says so."""
    staff = factories.make_member(lists, "researcher")

    def run(**only):
        choice = read_choice(DEMO | {"tables": True, "sizes": SIZES})
        job = jobs.start_making_job(
            project=lists, graph="demo", choice=choice, judge="words", by=staff, now=timezone.now(),
            **only,
        )  # fmt: skip
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("done", "")
        return job

    drawn = SampledQuestion.objects.filter(job=run(sample_only=True))
    assert {row.text for row in drawn} == {SIMPLE, COMPOSITION}
    for row in drawn:
        assert (row.split, len(row.answers) + len(row.others) > 4) == ("test", True)
        verdict = "wording" if row.kind == "simple" else "left_out"
        better = "What gets one over the Aldwater?" if row.kind == "simple" else ""
        review_question(
            sampled=row, verdict=verdict, text=better, seen=0, by=staff, now=timezone.now()
        )
    job = run()
    assert job.result["counts"]["left_out"]["refused"] == 1
    question = Question.objects.get()
    assert question.text == "What gets one over the Aldwater?"
    assert question.context["making"]["reworded_from"] == SIMPLE
    line = json.dumps(
        {"qid": question.external_id, "question_text": question.text, **question.context}
    )
    with open_graph("demo") as graph:
        assert list(find_record_problems([line], graph, SnapshotPages(lists.snapshot))) == []


def test_the_page_has_a_switch_for_tables_that_is_off(lists, client_as):
    client = client_as(factories.make_member(lists, "researcher"))
    address = reverse("make-questions", args=[lists.slug])
    relations = json.dumps({"relations": DEMO["relations"]}).encode()
    fields = {
        "graph": "demo", "least": 5, "most": 200, "share": 0.8, "judge": "words",
        "threshold": 0.5, "split": "strict", "seed": 0, "dev_table_simple": 3,
        **{f"{split}_{kind}": 1 for split in ("train", "dev", "test")
           for kind in ("simple", "intersection", "composition")},
    }  # fmt: skip
    shown = client.get(address).content.decode()
    assert "Use tables as well" in shown
    for switched in ({}, {"tables": "on"}):
        file = SimpleUploadedFile("choices.json", relations)
        client.post(address, fields | switched | {"relations": file, "train_table_simple": 7})
        choice = read_choice(Job.objects.latest("pk").options["choice"])
        assert choice.tables is bool(switched)
        assert choice.plan.sizes["dev"]["table_simple"] == 3
        assert choice.plan.sizes["train"]["table_simple"] == 0
        Job.objects.all().delete()
    lists.snapshot.language = "de"
    lists.snapshot.save()
    file = SimpleUploadedFile("choices.json", relations)
    refused = client.post(address, fields | {"tables": "on", "relations": file})
    assert refused.status_code == 422
    assert "tables of an English Wikipedia alone" in refused.content.decode()
    assert not Job.objects.exists()
