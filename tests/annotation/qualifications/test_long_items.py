"""Items about long answers: values, files, the text staff types, figures, the page."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotation.long_answers.response import LongAnswerResponse, Piece, Wording, to_json
from annotation.long_answers.sheet import LongAnswerSheet
from annotation.models import QualificationAnswer
from annotation.protocols import registry as protocols
from annotation.qualifications import attempts
from annotation.qualifications.items import Item, item_from_json, item_json, items_from_file
from annotation.qualifications.prepared_text import read_text, write_text
from annotation.text.cleaning import ResponseError
from tests import factories
from tests.annotation.long_answers import helpers as long_answers
from tests.annotation.qualifications.helpers import (
    CROSSED,
    LONG_ANSWER,
    WALKED,
    answer_to,
    make_training,
)

HX = {"HX-Request": "true"}
BOTH = "It opened to walkers on March 25, 1843 and to trains on 7 December 1869."


def row(**fields):
    pairs = [
        {"question": "When to walkers?", "short_answers": ["1843"]},
        {"question": "When to trains?", "short_answers": ["1869"], "context": "Trains ran."},
    ]
    return {"prompt": "when did it open", "qa_pairs": pairs} | fields


class TestValues:
    def test_through_json(self):
        assert item_from_json(json.loads(json.dumps(item_json(WALKED))), kind="long_answer") == (
            WALKED
        )

    def test_asqa_s_own_shape_is_read(self):
        file = json.dumps([row(qa_pairs=long_answers.TUNNEL["qa_pairs"], part="study")])
        [item] = items_from_file(file.encode(), kind="long_answer")
        assert item.part == "study"
        assert item.inputs.disambiguations[0].context.title == "Thames Tunnel"
        assert item.inputs.disambiguations[1].context is None

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"qa_pairs": []}, "It needs at least two disambiguations"),
            ({"qa_pairs": "x"}, "qa_pairs should be a list"),
            ({"qa_pairs": [{"question": "A?"}]}, "qa_pairs 1 has no answer"),
            ({"qa_pairs": [{"short_answers": ["x"]}]}, "qa_pairs 1 has no question"),
            ({"qa_pairs": [{"question": "A?", "short_answers": ["x"], "context": 4}]}, "context"),
            ({"part": "practice"}, 'part is "study"'),
            ({"model_answer": "x" * 20_001}, "The model answer"),
            ({"model": "x"}, '"model" is not a known field'),
        ],
    )
    def test_what_cannot_be_used_is_said(self, fields, said):
        with pytest.raises(ResponseError, match=said):
            item_from_json(row(**fields), kind="long_answer")

    def test_every_problem_of_a_file_at_once(self):
        rows = [row(), row(prompt=""), row(qa_pairs=[])]
        with pytest.raises(ResponseError) as refused:
            items_from_file(json.dumps({"items": rows}).encode(), kind="long_answer")
        assert str(refused.value).splitlines() == [
            "Item 2: It has no prompt.",
            "Item 3: It needs at least two disambiguations, each with its short answers.",
        ]


def grade_of(response):
    return LongAnswerSheet().grade_response(response, WALKED)


words = st.text(st.sampled_from("abc 1?é]["), min_size=1, max_size=12).filter(str.strip)


class TestText:
    @pytest.mark.parametrize("item", [WALKED, CROSSED])
    def test_what_is_shown_is_what_is_read(self, item):
        pairs = read_text("qa_pairs", write_text("qa_pairs", item.expected))
        assert pairs == item.expected["qa_pairs"]

    @given(st.lists(st.tuples(words, words, st.one_of(st.none(), words)), min_size=1, max_size=4))
    def test_any_context_comes_back(self, rows):
        one_line = [tuple(" ".join(t.split()) if t else t for t in row) for row in rows]
        pairs = [
            {"question": question, "short_answers": [answer], "context": context, "wikipage": None}
            for question, answer, context in one_line
        ]
        assert read_text("qa_pairs", write_text("qa_pairs", {"qa_pairs": pairs})) == pairs

    def test_several_lines_of_context(self):
        text = "When? = 1843 | March 1843\n\n> [Tunnel] One line.\n> Another.\nWhere? = London"
        first, second = read_text("qa_pairs", text)
        assert first["short_answers"] == ["1843", "March 1843"]
        assert (first["context"], first["wikipage"]) == ("One line.\nAnother.", "Tunnel")
        assert (second["question"], second["context"]) == ("Where?", None)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("When did it open", "Line 1: write the question"),
            ("\n> [A] A context alone", "Line 2: put a context below"),
            (" = 1843", "Line 1: write the question"),
        ],
    )
    def test_a_line_that_cannot_be_read_is_named(self, text, said):
        with pytest.raises(ResponseError, match=said):
            read_text("qa_pairs", text)


class TestFigures:
    def test_everything_is_there(self):
        grade = grade_of(LongAnswerResponse(text=BOTH))
        assert (grade.score, grade.passed) == (1.0, None)
        assert grade.figures["words"] == 15
        assert grade.figures["support"] == pytest.approx(1 - grade_new(BOTH))

    def test_other_words_are_counted_apart(self):
        text = f"{LONG_ANSWER.text} Trains followed in the winter of 1869."
        said = (Wording(1, "the winter of 1869"),)
        figures = grade_of(LongAnswerResponse(text=text, said=said)).figures
        assert (figures["present"], figures["said"], figures["total"]) == (1, 1, 2)

    def test_nothing_written(self):
        grade = grade_of(LongAnswerResponse(knowledge=(Piece(),)))
        assert (grade.score, grade.figures["support"], grade.figures["pieces"]) == (0.0, None, 0)

    def test_rules_that_need_reading_are_not_asked(self):
        asked = {
            *[check.key for check in protocols.exam_of("long_answer").checks],
            *[check.key for check in protocols.exam_of("generation").checks],
        }
        assert not asked & {"pages-unread", "too-quick", "not-on-page"}
        assert not asked & {"long-answer-too-quick", "piece-not-found"}
        assert "missing-answer" in [check.key for check in protocols.exam_of("long_answer").checks]
        assert protocols.exam_of("validation").checks == []


def grade_new(text):
    """The share of words that neither prompt, questions, answers nor contexts have."""
    from metrics import rouge

    given = [WALKED.prompt]
    for each in WALKED.inputs.disambiguations:
        given += [each.question, *each.answers, each.context.text if each.context else ""]
    known = rouge.tokenise_and_stem(" ".join(given))
    said = rouge.tokenise_and_stem(text)
    left, new = [*known], 0
    for word in said:
        if word in left:
            left.remove(word)
        else:
            new += 1
    return new / len(said)


@pytest.mark.django_db
class TestPages:
    @pytest.fixture
    def project(self):
        return long_answers.make_project(slug="long-answers")

    @pytest.fixture
    def wilma(self, project):
        return factories.make_member(project, "annotator", name="Wilma Wood")

    @pytest.fixture
    def rita(self, project):
        return factories.make_member(project, "researcher", name="Rita Reed")

    @pytest.fixture
    def attempt(self, project, wilma, rita, now):
        exam = make_training(project, rita, now, samples=(), walk_through=False)
        return attempts.start_attempt(qualification=exam, by=wilma, now=now)

    def post(self, client, attempt, **data):
        version = answer_to(attempt).draft_version
        address = reverse("attempt-draft", args=[attempt.pk, 1])
        headers = HX if data.pop("hx", False) else {}
        return client.post(address, {"version": version} | data, headers=headers)

    def test_without_scripts(self, attempt, wilma, client_as):
        client = client_as(wilma)
        page = client.get(reverse("attempt-item", args=[attempt.pk, 1])).text
        assert "Walkers first used the tunnel on 25 March 1843." in page
        assert "Check my response" not in page
        sent = self.post(client, attempt, long_answer="It opened.", action="insert 1 0")
        assert sent["Location"].endswith("#answer-1")
        draft = answer_to(attempt).draft
        assert draft["text"] == "It opened. 25 March 1843"
        data = {"piece-0-content": "A company bought it.", "piece-0-page": "Thames Tunnel"}
        sent = self.post(client, attempt, long_answer=draft["text"], action="add-piece", **data)
        assert sent["Location"].endswith("#piece-2")
        said = {"words-2": "years later", "action": "say 2"}
        text = "It opened on 25 March 1843, and years later again."
        self.post(client, attempt, long_answer=text, **data, **said)
        assert answer_to(attempt).draft["said"] == [
            {"disambiguation": 1, "words": "years later", "at": 32}
        ]
        page = client.get(reverse("attempt-item", args=[attempt.pk, 1])).text
        assert "In your words." in page

    def test_what_is_missing_is_told_while_typing(self, attempt, wilma, client_as):
        client = client_as(wilma)
        reply = self.post(client, attempt, long_answer=LONG_ANSWER.text, hx=True,
                          touched=["long-answer"]).text  # fmt: skip
        assert 'id="answers-badge"' in reply
        assert "1 of 2" in reply
        assert "is not in your text" in reply
        quiet = self.post(client, attempt, long_answer=LONG_ANSWER.text, hx=True).text
        assert "1 of 2" in quiet
        assert "is not in your text" not in quiet

    def test_rules_that_were_not_chosen_say_nothing(self, attempt, wilma, client_as):
        type(attempt.qualification).objects.update(rules=["question-copied"])
        reply = self.post(client_as(wilma), attempt, long_answer="It opened.", hx=True,
                          touched=["long-answer"]).text  # fmt: skip
        assert "1 word" not in reply
        assert "is not in your text" not in reply

    def test_two_windows(self, attempt, wilma, client_as):
        client = client_as(wilma)
        self.post(client, attempt, long_answer="From one window.")
        address = reverse("attempt-draft", args=[attempt.pk, 1])
        other = client.post(address, {"version": 0, "long_answer": "From another."}, headers=HX)
        assert other.status_code == 409
        assert "Long answer" in other.text

    def test_form_and_file_of_items(self, project, rita, now, client_as):
        client = client_as(rita)
        new = client.post(
            reverse("qualification-list", args=[project.slug]),
            {"title": "Training", "kind": "long_answer"},
        )
        team = new["Location"]
        qualification = project.qualifications.get()
        item = {
            "part": "study",
            "prompt": WALKED.prompt,
            "qa_pairs": write_text("qa_pairs", WALKED.expected),
            "model_answer": WALKED.expected["model_answer"],
            "hint_seconds": "0",
            "explanation": WALKED.explanation,
            "pages": "Thames Tunnel",
        }
        add = reverse("qualification-item-add", args=[project.slug, qualification.pk])
        page = client.get(f"{add}?part=study")
        assert page.context["form"]["part"].value() == "study"
        assert client.post(add, item | {"qa_pairs": "When?"}).status_code == 422
        assert client.post(add, item)["Location"] == team
        stored = qualification.items.get()
        assert (stored.part, stored.expected) == ("study", WALKED.expected)
        change = reverse("qualification-item", args=[project.slug, qualification.pk, stored.pk])
        shown = client.get(change).context["form"].initial
        data = {name: shown[name] for name in item}
        assert client.post(change, data).status_code == 302
        stored.refresh_from_db()
        assert stored.expected == WALKED.expected
        file = client.get(reverse("qualification-file", args=[project.slug, qualification.pk]))
        again = reverse("qualification-import", args=[project.slug, qualification.pk])
        upload = SimpleUploadedFile("items.json", file.content)
        assert client.post(again, {"file": upload}).status_code == 302
        assert qualification.items.count() == 2
        page = client.get(team).text
        assert "Samples for self-study" in page
        assert "2 disambiguations, model answer" in page
        assert 'name="by_hand"' not in page
        assert 'name="walk_through"' in page

    def test_preview(self, project, rita, now, client_as):
        exam = make_training(project, rita, now)
        item = exam.items.get(part="exam")
        address = reverse("qualification-preview", args=[project.slug, exam.pk, item.pk])
        page = client_as(rita).get(address).text
        assert WALKED.expected["model_answer"] in page
        tried = client_as(rita).post(address, {"long_answer": "It opened.", "action": "check"})
        assert "0 of 2" in tried.text
        assert "The text has only" in tried.text or "2 words" in tried.text
        assert not QualificationAnswer.objects.exists()

    def test_an_item_costs_as_many_queries_whatever_is_in_it(
        self, attempt, wilma, client_as, django_assert_max_num_queries
    ):
        draft = to_json(
            LongAnswerResponse(
                text=LONG_ANSWER.text, knowledge=(Piece("A company.", "Tunnel"),) * 12
            )
        )
        attempts.save_draft(
            answer=answer_to(attempt), draft=draft, version=0, by=wilma, now=attempt.started_at
        )
        client = client_as(wilma)
        with django_assert_max_num_queries(6):
            client.get(reverse("attempt-item", args=[attempt.pk, 1]))


def test_an_item_without_pages_has_inputs():
    assert Item("x", WALKED.expected).inputs.pages == ()
    assert [page.title for page in WALKED.inputs.pages] == ["Thames Tunnel"]
