"""What is kept of a long page: what parsing it gives. Where it is not ours, it is parsed again."""

import hashlib
import zlib
from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest
from django.db import connection
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from annotation.core.consistent_view import snapshot
from natural_questions import parsed_pages, prepared_pages, records
from natural_questions.models import Page
from natural_questions.pages import keep_page
from natural_questions.prepared_pages import open_prepared, parse_page, prepare_page
from tests.natural_questions import page, samples
from tests.stages.examples import nq_project

ORIGINAL = samples.original()
RECORDS = {
    "html": page.RECORD,
    "original": ORIGINAL,
    "simplified": records.simplify_record(ORIGINAL),
    "empty": {},
}


@pytest.fixture(autouse=True)
def long_pages(monkeypatch):
    """Let every page be a long one, in a process that has seen none."""
    monkeypatch.setattr(prepared_pages, "LONG", 0)
    parsed_pages.LAST.clear()


@pytest.fixture
def question(db):
    return page.make_question(nq_project())


def pack(record):
    return zlib.compress(orjson.dumps(record))


def content(parsed):
    return parsed.title, parsed.address, list(parsed.tokens), parsed.boxes, parsed.html


def assert_same(packed):
    opened, parsed = open_prepared(prepare_page(packed), packed), parse_page(packed)
    assert content(opened) == content(parsed)
    assert len(opened.tokens) == len(parsed.tokens)
    assert opened.tokens[1:3] == parsed.tokens[1:3]
    assert isinstance(opened.html, SafeString)


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_what_is_kept_is_what_parsing_gives(record):
    assert_same(pack(record))


PIECES = st.sampled_from(
    [
        *("<p>", "</p>", "<table>", "<tr>", "<td colspan=2>", "</td>", "</table>", "<ul>", "<li>"),
        *("</ul>", "<script>a</script>", "<!-- x -->", "&lt;b&gt;", "“é” 😀", "\x00", '<p class="'),
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join))
def test_what_is_kept_of_any_page_is_what_parsing_gives(html):
    text = html.encode("utf-8", "replace").decode()
    assert_same(pack({"document_title": text[:9], "document_html": text}))


def test_what_is_kept_is_known_so_that_a_change_of_it_raises_the_number_of_the_parser():
    known = hashlib.sha256()
    for record in RECORDS.values():
        parsed = parse_page(pack(record))
        known.update(repr(content(parsed)).encode())
    assert (prepared_pages.PARSER, known.hexdigest()[:16]) == (1, "ea4208879091a571")


def test_the_tokens_are_found_when_one_is_asked_for(monkeypatch):
    packed = pack(page.RECORD)
    prepared, asked = prepare_page(packed), []
    monkeypatch.setattr(prepared_pages, "tokens_of", lambda record: asked.append(record) or "abc")
    opened = open_prepared(prepared, packed)
    assert (len(opened.tokens) > 3, bool(opened.tokens), len(opened.boxes)) == (True, True, 8)
    assert opened.html
    assert asked == []
    assert (opened.tokens[0], opened.tokens[2]) == ("a", "c")
    assert len(asked) == 1


@pytest.mark.parametrize("damage", ["none", "empty", "short", "every byte", "other record"])
def test_what_is_not_ours_is_not_used(damage):
    packed = pack(page.RECORD)
    prepared = prepare_page(packed)
    assert open_prepared(prepared, packed)
    if damage == "none":
        bad = [None]
    elif damage == "empty":
        bad = [b""]
    elif damage == "short":
        bad = [prepared[:size] for size in range(len(prepared))]
    elif damage == "every byte":
        bad = [
            bytes([*prepared[:at], prepared[at] ^ 1, *prepared[at + 1 :]])
            for at in range(len(prepared))
        ]
    else:
        bad = [prepare_page(pack(ORIGINAL))]
    assert [open_prepared(each, packed) for each in bad] == [None] * len(bad)


def test_what_another_parser_or_another_installation_made_is_not_used(monkeypatch, settings):
    packed = pack(page.RECORD)
    prepared = prepare_page(packed)
    monkeypatch.setattr(prepared_pages, "PARSER", prepared_pages.PARSER + 1)
    assert open_prepared(prepared, packed) is None
    monkeypatch.undo()
    assert open_prepared(prepared, packed)
    settings.SECRET_KEY = "another"
    assert open_prepared(prepared, packed) is None


def test_a_long_page_is_prepared_as_it_is_imported(
    question, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(parsed_pages, "parse_page", None)
    with django_assert_num_queries(1):
        opened = parsed_pages.parsed_of(question.pk)
    assert content(opened) == content(parse_page(pack(page.RECORD)))
    with django_assert_num_queries(1):
        assert parsed_pages.parsed_of(question.pk) is opened


def test_a_page_that_is_imported_again_is_prepared_again(question):
    keep_page(question, "original", {"document_html": "<p>Another page.</p>"})
    assert "Another page." in parsed_pages.parsed_of(question.pk).html
    stored = Page.objects.get(pk=question.pk)
    assert open_prepared(bytes(stored.prepared), bytes(stored.record))


def test_a_short_page_is_not_stored(db, monkeypatch):
    monkeypatch.setattr(prepared_pages, "LONG", 100_000)
    question = page.make_question(nq_project())
    assert Page.objects.get(pk=question.pk).prepared is None
    assert parsed_pages.parsed_of(question.pk).boxes


@pytest.mark.parametrize("stored", [None, b"", b"no signature", b"x" * 32 + zlib.compress(b"[]")])
def test_a_page_that_is_not_prepared_is_parsed(question, stored, django_assert_num_queries):
    Page.objects.filter(pk=question.pk).update(prepared=stored)
    with django_assert_num_queries(1):  # in a transaction nothing is written
        parsed = parsed_pages.parsed_of(question.pk)
    assert content(parsed) == content(parse_page(pack(page.RECORD)))


@pytest.mark.django_db(transaction=True)
class TestOutsideATransaction:
    @pytest.fixture(autouse=True)
    def not_prepared(self, transactional_db):
        self.question = page.make_question(nq_project())
        Page.objects.filter(pk=self.question.pk).update(prepared=None)

    def test_the_first_who_comes_stores_it(self, django_assert_num_queries):
        with django_assert_num_queries(2):
            parsed = parsed_pages.parsed_of(self.question.pk)
        parsed_pages.LAST.clear()
        with django_assert_num_queries(1):
            opened = parsed_pages.parsed_of(self.question.pk)
        assert opened.written == parsed.html
        assert content(opened) == content(parsed)

    def test_two_who_come_at_once_store_the_same(self):
        def come(_):
            parsed_pages.LAST.clear()
            try:
                return content(parsed_pages.parsed_of(self.question.pk))
            finally:
                connection.close()

        with ThreadPoolExecutor(4) as threads:
            first, *others = threads.map(come, range(8))
        assert others == [first] * 7
        stored = Page.objects.get(pk=self.question.pk)
        assert content(open_prepared(bytes(stored.prepared), bytes(stored.record))) == first

    def test_whoever_only_reads_stores_nothing(self):
        with snapshot():
            assert parsed_pages.parsed_of(self.question.pk).boxes
        assert Page.objects.get(pk=self.question.pk).prepared is None
