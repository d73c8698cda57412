"""Sheets without a request or a row: fields declared once, and what a sheet answers ordinarily."""

from dataclasses import dataclass, field

import pytest
from django.http import QueryDict

from annotation.sheets.fields import (
    Choice,
    Form,
    Keep,
    LineField,
    ListField,
    PassageField,
    Quotes,
    SentTextField,
    TickField,
)
from annotation.sheets.many import Keeps, PartsField, SideBySide
from annotation.sheets.report import Rules
from annotation.sheets.rules import Check, RuleFinding
from annotation.sheets.sheet import Sheet
from annotation.text.cleaning import ResponseError


@dataclass(frozen=True)
class Note:
    text: str = ""
    quote: int | None = None
    more: tuple[int, ...] = ()


@dataclass(frozen=True)
class Review:
    verdict: str = "better"
    why: str = ""
    notes: tuple[Note, ...] = ()
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()


@dataclass(frozen=True)
class Known:
    settings: dict = field(default_factory=dict)


NOTES = PartsField(Note, "note", "Note", 3, {"text": LineField(20, "the words"), "quote": Quotes()})
FORM = Form(
    Review,
    {
        "verdict": Choice(("better", "worse"), "{value} is neither."),
        "why": PassageField(100, "The reason", key="reason"),
        "notes": NOTES,
        "feedback": PassageField(100, "The feedback"),
        "keeps": Keeps(NOTES, ("note",)),
    },
)
RULES = Rules(
    (
        Check(
            key="no-reason",
            level="error",
            title="There is a reason",
            about="There is none.",
            requirement="-",
            rule=lambda review, given: (
                [] if review.why else [RuleFinding("reason", "Why?", "Say why")]
            ),
        ),
        Check(
            key="short",
            level="warning",
            title="The reason is long enough",
            about="It is short.",
            requirement="-",
            rule=lambda review, given: (
                [RuleFinding("reason", "Is that all?", "Say more")]
                if 0 < len(review.why) < 5
                else []
            ),
        ),
    ),
    place=lambda finding: (0,),
    name=lambda finding: "Reason",
)


class ReviewSheet(Sheet[Review, Known]):
    page, reply, ended = "page.html", "_reply.html", "ended.html"
    form, rules, blank = FORM, RULES, Review()

    def list_field_texts(self, response):
        yield "Reason", response.why

    def summarise_response(self, response):
        return response.why


SHEET, GIVEN = ReviewSheet(), Known()


def posted(text):
    return QueryDict(text)


class TestFields:
    def test_a_post_is_read_as_declared(self):
        post = posted("verdict=worse&reason=+It+is+late%00+&note-4-text=a&note-4-quote=7+9&x=1")
        assert SHEET.read(post, GIVEN) == Review("worse", "It is late", (Note("a", 7, (9,)),))

    def test_what_is_not_sent_is_empty_or_the_first_choice(self):
        assert SHEET.read(posted(""), GIVEN) == Review()

    def test_holes_are_closed_and_kept_warnings_follow(self):
        post = posted(
            "note-2-text=b&note-9-text=c"
            "&keep-rule=r&keep-field=note-10&keep-reason=Sure"
            "&keep-rule=r&keep-field=note-1&keep-reason=Gone"
            "&keep-rule=r&keep-field=reason&keep-reason=Yes"
        )
        review = SHEET.read(post, GIVEN)
        assert [note.text for note in review.notes] == ["b", "c"]
        assert [(keep.field, keep.reason) for keep in review.keeps] == [
            ("note-2", "Sure"),
            ("reason", "Yes"),
        ]

    def test_a_draft_comes_back(self):
        review = Review("worse", "late", (Note("a", 7, (9,)), Note("b")), "hm", ())
        assert SHEET.load(SHEET.dump(review)) == review
        assert SHEET.dump(review)["notes"][0] == {"text": "a", "quote": 7, "more": [9]}

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("verdict=maybe", '"maybe" is neither.'),
            ("note-0-text=" + "w" * 21, "Note 1: the words has 21 characters"),
            ("&".join(f"note-{n}-text=a" for n in range(4)), "There are 4 notes. The maximum is 3"),
            ("note-1-quote=x", 'Note 1: "x" is not the number of a quote'),
            ("keep-rule=r", "do not line up"),
        ],
    )
    def test_what_cannot_be_read_is_said(self, text, sentence):
        with pytest.raises(ResponseError, match=sentence):
            SHEET.read(posted(text), GIVEN)

    @pytest.mark.parametrize("draft", [{"notes": 1}, {"notes": ["x"]}, {"keeps": {}}, {"why": 1}])
    def test_a_draft_of_another_shape_is_refused(self, draft):
        with pytest.raises(ResponseError):
            SHEET.load(draft)


class TestSheet:
    def test_nothing_stored_is_blank(self):
        assert SHEET.load({}) is SHEET.blank

    def test_only_fields_that_were_touched_are_spoken_of(self):
        report = SHEET.check_response(Review(), GIVEN, touched=[])
        assert (report.findings, len(report.blocking)) == ((), 1)
        [finding] = SHEET.check_response(Review(why="No"), GIVEN, touched=["reason"]).findings
        assert finding.rule == "short"

    def test_a_kept_warning_does_not_block(self):
        review = Review(why="No", keeps=(Keep("short", "reason", "Enough"),))
        assert SHEET.check_response(review, GIVEN).can_submit

    def test_what_every_sheet_shows(self):
        review = Review(feedback="hm", keeps=(Keep("gone", "reason", "Sure"),))
        shown = SHEET.form_context(review, SHEET.check_response(review, GIVEN), GIVEN, posted(""))
        assert shown["blocking"] == [("Say why", "reason")]
        assert (shown["todo"], shown["feedback"]) == (1, "hm")
        assert [keep.rule for keep in shown["idle_keeps"]] == ["gone"]
        assert shown["checklist"][0].title == "There is a reason"

    def test_unknown_presses_change_nothing(self):
        assert SHEET.apply_press(Review(why="a"), "dance", GIVEN, posted("")) == Review(why="a")


# --- rows in rows ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    text: str = ""
    source: str = ""
    counts: bool = False


@dataclass(frozen=True)
class Verse:
    name: str = ""
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Poem:
    verses: tuple[Verse, ...] = ()
    words: tuple[str, ...] = ()


LINES = SideBySide(
    Line,
    "line",
    "A line",
    2,
    {
        "line": SentTextField("A line", {"maxLength": 9}, attribute="text"),
        "source": LineField(9, "the source", key="from"),
        "counts": TickField(key="count"),
    },
    uneven="These lines do not fit together.",
)
VERSES = PartsField(Verse, "verse", "Verse", 2, {"name": LineField(9, "the name"), "lines": LINES})
POEM = Form(
    Poem, {"verses": VERSES, "words": ListField(most=5, one={"type": "string"}, key="word")}
)
SENT = (
    "verse-0-line=+a&verse-0-line=b&verse-0-from=x&verse-0-from=&verse-0-count=1"
    "&verse-7-name=Last&word=c&word=d"
)
READ = Poem(
    (Verse("", (Line(" a", "x"), Line("b", "", counts=True))), Verse("Last")),
    ("c", "d"),
)


class TestRowsInRows:
    def test_a_post_is_read_as_declared(self):
        assert POEM.from_post(posted(SENT)) == READ

    def test_it_has_one_shape_in_json(self):
        assert POEM.to_json(READ)["verses"][0]["lines"] == [
            {"line": " a", "source": "x", "counts": False},
            {"line": "b", "source": "", "counts": True},
        ]
        assert POEM.from_json(POEM.to_json(READ)) == READ

    def test_its_schema_follows(self):
        schema = POEM.schema()["properties"]
        assert schema["words"] == {"type": "array", "items": {"type": "string"}, "maxItems": 5}
        lines = schema["verses"]["items"]["properties"]["lines"]
        assert lines["maxItems"] == 2
        assert lines["items"]["properties"]["line"] == {"type": "string", "maxLength": 9}
        assert lines["items"]["properties"]["counts"] == {"type": "boolean"}

    def test_a_column_that_is_not_sent_is_empty(self):
        assert POEM.from_post(posted("verse-0-line=a")).verses[0].lines == (Line("a"),)

    def test_columns_of_different_lengths_are_refused(self):
        with pytest.raises(ResponseError, match="do not fit together"):
            POEM.from_post(posted(f"{SENT}&verse-0-line=c"))

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"verses": [{"lines": 1}]}, "lines should be a list, and is 1."),
            ({"verses": [{"lines": [2]}]}, "A line should be an object, and is 2."),
            ({"verses": [{"lines": [{"line": 3}]}]}, "A line should be text, and is 3."),
            ({"verses": [{}, {}, {}]}, "There are 3 verses. The maximum is 2."),
            ({"words": "c"}, 'words should be a list, and is "c".'),
        ],
    )
    def test_json_of_another_shape_is_refused(self, data, sentence):
        with pytest.raises(ResponseError) as refused:
            POEM.from_json(data)
        assert str(refused.value) == sentence

    def test_only_true_is_a_tick(self):
        [verse] = POEM.from_json({"verses": [{"lines": [{"counts": 1}, {"counts": True}]}]}).verses
        assert [line.counts for line in verse.lines] == [False, True]
