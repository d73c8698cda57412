"""Drafts and presses of a long answer: what is saved, looked through and said."""

import pytest
from django.utils import timezone

from annotation.models import (
    Event,
)
from tests import factories
from tests.annotation.long_answers import helpers
from tests.annotation.long_answers.screen import (
    HX,
    WITHOUT_TRAINS,
    draft,
    form,
    part,
    reload,
    url,
    words_of,
)
from wikipedia.models import Quote


class TestDraft:
    def test_it_is_saved_and_looked_through(self, web, work):
        answer = draft(web, work, long_answer=WITHOUT_TRAINS)
        assert answer.status_code == 200
        assert reload(work).draft["text"] == WITHOUT_TRAINS
        assert "1 of 2" in words_of(answer)
        line = part(answer, "answer-1")
        at = WITHOUT_TRAINS.index("25 March 1843")
        assert f'data-start="{at}" data-words="25 March 1843"' in line
        assert "“7 December 1869” is not in your text as it is accepted." in answer.text
        assert 'value="insert 2 0"' in answer.text

    def test_a_part_of_a_longer_word_counts_and_says_so(self, client_as, project, ann, now):
        pair = {"question": "Who?", "short_answers": ["art"], "context": None, "wikipage": None}
        helpers.open_question(project, now, context={"qa_pairs": [pair], "wikipages": []})
        work = helpers.take(project, ann, timezone.now())
        answer = draft(client_as(ann), work, long_answer="There was a party in it.")
        assert "1 of 1" in words_of(answer)
        assert "Inside “party”. The score counts it, also as part of a longer word." in words_of(
            answer
        )

    @pytest.mark.parametrize("before", ["😀 ", "İİ ", "e\u0301 ", "\n\n", "ﬁ "])
    def test_places_are_code_points(self, web, work, before):
        text = f"{before}It opened on March 25, 1843."
        answer = draft(web, work, long_answer=text)
        at = reload(work).draft["text"].index("March")
        assert f'data-start="{at}" data-words="March 25, 1843"' in part(answer, "answer-1")

    def test_said_in_other_words(self, web, work):
        words = "the seventh of December 1869"
        said = {"said-1": words, "said-1-at": WITHOUT_TRAINS.index(words)}
        answer = draft(web, work, long_answer=WITHOUT_TRAINS, **said)
        assert "2 of 2" in words_of(answer)
        assert "In your words." in part(answer, "answer-2")
        assert 'value="unsay 2"' in answer.text

    def test_words_that_went_away_are_named(self, web, work):
        answer = draft(web, work, said__1="the seventh", long_answer="It opened in 1843, March.")
        assert "“the seventh”, which said it, is no longer in your text." in answer.text

    def test_how_much_can_be_checked(self, web, work):
        said = words_of(draft(web, work, long_answer="25 March 1843 zebra"))
        assert "75 % of your words are in the inputs or your evidence." in said
        assert "Once you start writing" in words_of(draft(web, reload(work), long_answer=""))

    def test_nothing_is_asked_before_a_field_was_left(self, web, work):
        few = draft(web, work, long_answer="Twice.", piece__0__page="")
        assert "say also why" not in few.text
        assert "Which page are these" not in few.text
        left = draft(web, reload(work), long_answer="Twice.", touched=["long-answer", "piece-1"])
        assert "say also why" in left.text

    def test_each_warning_shown_is_logged_once(self, web, work):
        for _ in range(2):
            draft(web, reload(work), long_answer="Twice.", touched=["long-answer"])
        shown = Event.objects.filter(assignment=work, kind="warning_shown")
        rules = sorted((each.data["rule"], each.data["field"]) for each in shown)
        assert rules == [
            ("missing-answer", "answer-1"),
            ("missing-answer", "answer-2"),
            ("text-too-short", "long-answer"),
        ]

    def test_a_quote_is_shown_where_it_was_found(self, web, work, project, ann, ben):
        mine, theirs = (factories.make_shown(project.snapshot, title=t) for t in ("Mine", "Theirs"))
        quotes = [
            Quote.objects.create(
                page=page, block_kind="paragraph", exact="25 March", start=1, end=9,
                made_by="selection", created_by=user, created_at=timezone.now(),
            )
            for page, user in ((mine, ann), (theirs, ben))
        ]  # fmt: skip
        answer = draft(web, work, piece__0__quote=quotes[0].pk)
        assert "Found in Mine" in words_of(answer)
        answer = draft(web, reload(work), piece__0__quote=quotes[1].pk)
        assert "Theirs" not in answer.text

    def test_markup_is_text(self, web, work):
        nasty = '<img src=x onerror="alert(1)"> {{ 7|add:1 }}'
        said = {"said-1": nasty, "said-1-at": "0"}
        fields = form(
            work, long_answer=nasty, piece__0__content=nasty, piece__0__page=nasty, feedback=nasty,
            **said,
        )  # fmt: skip
        assert "<img" not in web.post(url("draft", work), fields, headers=HX).text
        assert "<img src=x" not in web.get(url("page", work)).text

    def test_the_other_window_was_faster(self, web, work):
        draft(web, work, long_answer="Theirs.")
        answer = draft(web, work, long_answer="Mine.", piece__0__page="Another page")
        assert answer.status_code == 409
        said = words_of(answer)
        assert "Long answer" in said
        assert "Piece 1, page" in said
        assert reload(work).draft["text"] == "Theirs."
        kept = web.post(
            url("draft", work),
            form(work, long_answer="Mine.", action="overwrite 1"),
            headers=HX,
        )
        assert kept.status_code == 200
        assert reload(work).draft["text"] == "Mine."

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"long_answer": "x" * 20_001}, "The long answer has 20,001 characters."),
            ({"piece-0-quote": "x"}, "quote"),
            ({"keep-rule": ["a"], "keep-field": []}, "do not line up"),
            (
                {f"piece-{n}-page": "P" for n in range(60)},
                "There are 60 pieces. The maximum is 50.",
            ),
        ],
    )
    def test_what_cannot_be_read_is_named(self, web, work, changes, sentence):
        answer = web.post(url("draft", work), form(work) | changes, headers=HX)
        assert answer.status_code == 422
        assert sentence in answer.text
        assert reload(work).draft == {}


class TestPresses:
    @pytest.mark.parametrize(
        ("press", "fields", "expected", "anchor"),
        [
            ("insert 2", {}, {"text": f"{WITHOUT_TRAINS} 7 December 1869"}, "answer-2"),
            ("insert 1 1", {}, {"text": f"{WITHOUT_TRAINS} March 25, 1843"}, "answer-1"),
            ("insert 1 7", {}, {"text": WITHOUT_TRAINS}, "answer-1"),
            ("insert 9", {}, {"text": WITHOUT_TRAINS}, "answer-9"),
            ("insert x", {}, {"text": WITHOUT_TRAINS}, "write"),
            (
                "say 2",
                {"words-2": " the seventh "},
                {
                    "said": [
                        {
                            "disambiguation": 1,
                            "words": "the seventh",
                            "at": WITHOUT_TRAINS.index("the seventh"),
                        }
                    ]
                },
                "answer-2",
            ),
            ("unsay 2", {"said-1": "the seventh", "said-1-at": "1"}, {"said": []}, "answer-2"),
            ("save", {}, {"text": WITHOUT_TRAINS}, "write"),
            ("rm -rf", {}, {"text": WITHOUT_TRAINS}, "write"),
        ],
    )
    def test_press(self, web, work, press, fields, expected, anchor):
        answer = web.post(
            url("draft", work), form(work, long_answer=WITHOUT_TRAINS, action=press) | fields
        )
        assert answer.status_code == 302
        assert answer.url == f"{url('page', work)}#{anchor}"
        saved = reload(work).draft
        assert {name: saved[name] for name in expected} == expected

    def test_pieces_come_and_go_with_their_reasons(self, web, work):
        fields = form(work, action="add-piece", piece__4__content="Second.", piece__4__page="P")
        fields |= {
            "keep-rule": ["piece-not-found"] * 2,
            "keep-field": ["piece-1", "piece-5"],
            "keep-reason": ["One.", "Two."],
        }
        answer = web.post(url("draft", work), fields)
        assert answer.url.endswith("#piece-3")
        saved = reload(work).draft
        assert [each["content"] for each in saved["knowledge"]] == [
            helpers.KNOWLEDGE[0].content, "Second.", "",
        ]  # fmt: skip
        fields = form(reload(work), action="delete-piece 0")
        fields |= {"piece-1-content": "Second.", "piece-1-page": "P"}
        fields |= {
            "keep-rule": ["piece-not-found"] * 2,
            "keep-field": ["piece-1", "piece-2"],
            "keep-reason": ["One.", "Two."],
        }
        answer = web.post(url("draft", work), fields)
        assert answer.url.endswith("#piece-1")
        saved = reload(work).draft
        assert [each["content"] for each in saved["knowledge"]] == ["Second."]
        assert [(k["field"], k["reason"]) for k in saved["keeps"]] == [("piece-1", "Two.")]

    @pytest.mark.parametrize("place", ["7", "x", "-1", ""])
    def test_a_piece_that_is_not_there(self, web, work, place):
        web.post(url("draft", work), form(work, action=f"delete-piece {place}"))
        assert len(reload(work).draft["knowledge"]) == 1

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            ("in 1900", "Disambiguation 2: “in 1900” is not in your text."),
            ("", "Disambiguation 2: write the words of your text that say it."),
        ],
    )
    def test_words_that_say_nothing_are_refused(self, web, work, words, sentence):
        fields = form(work, action="say 2") | {"words-2": words}
        assert sentence in web.post(url("draft", work), fields, headers=HX).text
        answer = web.post(url("draft", work), fields, follow=True)
        assert sentence in answer.text

    def test_no_room_for_more(self, web, work):
        full = {f"piece-{n}-page": "P" for n in range(50)}
        fields = form(work, action="add-piece") | full
        answer = web.post(url("draft", work), fields, headers=HX)
        assert "There are 51 pieces. The maximum is 50." in answer.text
        fields = form(work, action="insert 2", long_answer="x" * 19_990)
        answer = web.post(url("draft", work), fields, headers=HX)
        assert "The long answer would have 20,006 characters." in answer.text
