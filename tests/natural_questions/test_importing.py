import gzip
import io
import zlib

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.imports.formats import MAX_RECORD, WrongFormat
from annotation.imports.services import import_questions
from annotation.models import Question
from natural_questions import pages
from natural_questions.annotation import from_json
from natural_questions.format import KEY, parse_record
from natural_questions.import_adapter import PageImportAdapter
from tests import factories
from tests.natural_questions import samples

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return factories.make_project(protocol="nq")


def bring_in(project, *records, packed=False, **options):
    data = b"\n".join(samples.line(record) for record in records)
    return bring(project, gzip.compress(data) if packed else data, **options)


def bring(project, data, **options):
    defaults = {"format": KEY, "split": "dev", "by": None, "now": timezone.now()}
    return import_questions(project=project, file=io.BytesIO(data), **defaults | options)


def counts(tally):
    return tally.created, tally.updated, tally.unchanged, tally.rejected


def test_a_question_is_imported_with_its_page_beside_it(project):
    record = samples.original()
    assert counts(bring_in(project, record)) == (1, 0, 0, 0)
    question = Question.objects.get()
    assert (question.external_id, question.text) == ("41", "when was the pump in pump lane dug")
    assert question.context["title"] == "Pump Lane"
    assert "document_html" not in question.context
    kept = pages.page_of(question)
    assert kept.form == "original"
    assert kept.record == record | {"annotations": []}
    assert pages.annotations_of([question.pk]) == {question.pk: []}
    assert len(question.context["annotations"]) == 3


def test_annotations_are_accepted_as_finished_work_each_by_itself(project):
    tally = bring_in(project, samples.original(), finished=True)
    assert counts(tally) == (1, 0, 0, 0)
    question = Question.objects.get()
    assert question.state == Question.State.ACCEPTED
    assert "annotations" not in question.context
    given = [from_json(each) for each in pages.annotations_of([question.pk])[question.pk]]
    assert [each.annotation_id for each in given] == ["7001", "7002", "7003"]


def test_the_same_file_again_changes_nothing(project):
    for finished in (True, False):
        bring_in(project, samples.original(), finished=True)
        assert counts(bring_in(project, samples.original(), finished=finished)) == (0, 0, 1, 0)


def test_further_annotations_replace_those_of_an_earlier_import(project):
    record = samples.original()
    fewer = record | {"annotations": record["annotations"][:1]}
    bring_in(project, fewer, finished=True)
    assert counts(bring_in(project, record, finished=True)) == (0, 1, 0, 0)
    assert [len(each) for each in pages.annotations_of([Question.objects.get().pk]).values()] == [3]


def test_another_page_replaces_the_first(project):
    bring_in(project, samples.original())
    longer = samples.original(document_html=samples.HTML + "<P>New.</P>")
    assert counts(bring_in(project, longer)) == (0, 1, 0, 0)
    question = Question.objects.get()
    assert pages.page_of(question).record["document_html"].endswith("New.</P>")


def test_a_page_that_someone_works_on_is_not_replaced(project):
    bring_in(project, samples.original())
    question = Question.objects.get()
    same = parse_record(samples.line(samples.original(question="what is pump lane")))
    other = parse_record(samples.line(samples.original(document_html=samples.HTML + "<P>New.</P>")))
    fitting = PageImportAdapter()
    assert (
        fitting.replacement_problem(question, parse_record(samples.line(samples.original()))) == ""
    )
    assert "has another page" in fitting.replacement_problem(question, other)
    assert "has another page" in fitting.replacement_problem(question, same)


def test_a_record_without_annotations_is_not_finished_work(project):
    tally = bring_in(project, samples.original(annotations=[]), finished=True)
    assert "nothing to accept" in tally.errors[0]["reason"]


def test_packed_files_are_read(project):
    second = samples.original(42, "how long is pump lane")
    assert counts(bring_in(project, samples.original(), second, packed=True)) == (2, 0, 0, 0)


def test_a_packed_file_that_is_cut_off_is_named(project):
    data = gzip.compress(samples.line(samples.original()) * 3)
    with pytest.raises(WrongFormat, match="damaged or cut off"):
        bring(project, data[:-20])


def test_records_longer_than_those_of_other_formats_are_read(project):
    html = samples.HTML + "<P>" + "x" * MAX_RECORD + "</P>"
    assert counts(bring_in(project, samples.original(document_html=html))) == (1, 0, 0, 0)


def test_bad_lines_are_named_and_the_others_taken(project):
    bad = samples.original(43)
    bad["annotations"][0]["yes_no_answer"] = "MAYBE"
    tally = bring_in(project, samples.original(), bad)
    assert counts(tally) == (1, 0, 0, 1)
    assert tally.errors[0]["line"] == 2
    assert "Annotation 1: “yes_no_answer” should be YES" in tally.errors[0]["reason"]


def test_files_without_pages_are_refused(project):
    with pytest.raises(Conflict, match="does not fit a project of Natural Questions"):
        bring(project, b'{"id": "1", "question": "who"}', format="jsonl")


def test_a_page_is_written_compressed(project):
    bring_in(project, samples.original())
    stored = bytes(pages.Page.objects.values_list("record", flat=True).get())
    assert zlib.decompress(stored).startswith(b'{"annotations":[],"document_html"')


@pytest.mark.realdata
def test_the_released_sample_is_imported(realdata, project):
    path = realdata / "nq/simplified_sample.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    tally = bring(project, path.read_bytes(), finished=True)
    assert tally.errors == []
    assert tally.created == 1
