import json

import pytest
from django.utils import timezone

from annotation.models import Question
from metrics.inputs import nq as scorer
from natural_questions import pages
from natural_questions.annotation import PageAnnotation, PageSpan, to_json
from natural_questions.models import Page
from tests import factories
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture
from tests.natural_questions import page, samples
from tests.natural_questions.test_importing import bring, bring_in
from validation.release.services import start_release

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return factories.make_project(protocol="nq")


def released(project, form, **options):
    release = start_release(
        project=project, format=f"nq-{form}", split=None, by=None, now=timezone.now(), **options
    )
    return b"".join(release.blocks()), release


def test_the_original_form_comes_out_as_it_went_in(project):
    records = [samples.original(), samples.original(42, "how long is pump lane")]
    bring_in(project, *records, finished=True)
    data, release = released(project, "original")
    assert data == b"".join(samples.line(record) + b"\n" for record in records)
    assert release.file_name.endswith("nq-original.jsonl")
    assert b"-1" not in data.replace(b'"candidate_index": -1', b"").replace(
        json.dumps(samples.NOWHERE)[1:-1].encode(), b""
    )


def test_the_simplified_form_of_an_original_record_has_no_bytes_and_goes_round(project):
    bring_in(project, samples.original(), finished=True)
    data, _ = released(project, "simplified")
    assert b"byte" not in data
    other = factories.make_project(protocol="nq", slug="other")
    bring(other, data, finished=True)
    assert released(other, "simplified")[0] == data
    assert b'"start_byte": -1' in released(other, "original")[0]


def test_our_scorer_reads_a_release_as_gold(project, tmp_path):
    bring_in(project, samples.original(), finished=True)
    for form in ("original", "simplified"):
        path = tmp_path / f"{form}.jsonl"
        path.write_bytes(released(project, form)[0])
        [gold] = scorer.read_references(path).values()
        assert [bool(each.long) for each in gold] == [True, True, False]
        assert [len(each.short) for each in gold] == [2, 0, 0]
        assert gold[0].long.start_token == 4


def test_questions_that_are_not_accepted_are_left_out_and_counted(project):
    bring_in(project, samples.original(), finished=True)
    bring_in(project, samples.original(42, "how long is pump lane"))
    data, release = released(project, "simplified")
    assert [json.loads(line)["example_id"] for line in data.splitlines()] == [41]
    manifest = json.loads(release.build_manifest("data.jsonl"))
    assert manifest["counts"]["annotations_by_path"] == {
        "bad": 0,
        "no-long": 1,
        "long-only": 1,
        "yes-no": 0,
        "short": 1,
    }
    assert manifest["left_out"]["questions"]["unfinished"] == 1
    card = release.build_card("data.jsonl").decode()
    assert "1 have a long answer and a short answer" in card
    assert "1 question not yet answered by everyone" in card


def test_tables_hold_the_words(project):
    bring_in(project, samples.original(), finished=True)
    _, release = released(project, "original", tables="json")
    [table] = release.list_tables()
    assert table.split == "dev"
    release.close()


@pytest.mark.realdata
def test_the_released_sample_comes_out_byte_for_byte(realdata, project, tmp_path):
    path = realdata / "nq/simplified_sample.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    bring(project, path.read_bytes(), finished=True)
    assert Question.objects.get().state == Question.State.ACCEPTED
    data, _ = released(project, "simplified")
    assert data == path.read_bytes()
    again = tmp_path / "again.jsonl"
    again.write_bytes(data)
    assert scorer.read_references(again) == scorer.read_references(path)


def test_a_page_of_html_alone_is_released_as_a_whole_record(project):
    question = page.make_question(project, state=Question.State.ACCEPTED)
    one = PageAnnotation(good=True, long=PageSpan(0, 3, 0, 9), candidate=0, yes_no="YES")
    pages.keep_annotations({question.pk: [to_json(one)]})
    data, _ = released(project, "original")
    record = json.loads(data)
    html = record["document_html"].encode()
    first = record["long_answer_candidates"][0]
    words = html[first["start_byte"] : first["end_byte"]].decode()
    assert words.startswith("<p>The <b>Quillhaven Lighthouse</b> stands")
    assert [each["top_level"] for each in record["long_answer_candidates"]] == [
        *[True, True, False, False, True, False, False, True]
    ]
    assert Page.objects.get().kinds == "ptrrliip"
    assert json.loads(released(project, "simplified")[0])["document_text"].split(" ")[0] == "<H1>"


@pytest.mark.usefixtures("same_each_time")
def test_no_file_changes_by_a_byte(project):
    project.policies.create(stage="nq", split="dev", people=5)
    bring_in(project, samples.original(), samples.original(42, "how long is it"), finished=True)
    bring_in(project, samples.original(43, "how many lamps"), split="train", finished=True)
    bring_in(project, samples.original(44, "who dug it"))
    one = PageAnnotation(good=True, long=PageSpan(0, 3, 0, 9), candidate=0, yes_no="YES")
    for split in ("test", "dev"):
        question = page.make_question(project, state=Question.State.ACCEPTED, split=split)
        pages.keep_annotations({question.pk: [to_json(one)]})
    page.make_question(project, state=Question.State.EXCLUDED)
    check_digests("nq", project)
