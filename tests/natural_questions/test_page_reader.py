"""A language model on the question's own page: boxes by number, words that stand there."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Question
from evaluation.models import Output
from metrics import nq
from modeling.base import BaselineQuestion, PageCandidate
from modeling.baselines.llm_page import select_boxes
from modeling.for_models import get_for_models
from modeling.replies import BadReply, parse_page_reply
from natural_questions.own_pages import OwnPage
from tests import factories
from tests.modeling.chat import Reply
from tests.modeling.conftest import chat, naps  # noqa: F401 - fixtures
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("naps")]
PARAGRAPH = nq.NqSpan(18, 119, 4, 28)
NOTHING = {"long": None, "short": [], "yes_no": "none"}


@pytest.fixture
def project(db):
    """A question on dev, and on train one with words, one with yes and one without an answer."""
    project = factories.make_project(protocol="nq")
    bring_in(project, samples.original(), finished=True)
    for name, question, given in (
        (51, "how many lamps has pump lane", (3, ["seven"])),
        (52, "is the mill open", (6, [], "YES")),
        (53, "who dug the pump", (None, [])),
    ):
        record = samples.original(name, question)
        record["annotations"] = [samples.answer(record, 10 * name, *given)]
        bring_in(project, record, finished=True, split="train")
    return project


def says(**changes):
    return Reply(json.dumps({"long": 1, "short": [], "yes_no": "none"} | changes))


def predict(project, *options, capsys=None):
    arguments = [f"--option={option}" for option in options]
    call_command(*("predict", project.slug, "--split", "dev", "--system", "llm-reader", *arguments))
    return Output.objects.filter(system__name="llm-reader").first()


def spans_of(output):
    spans = output.details["spans"]
    long = spans["long"] and nq.NqSpan(*spans["long"])
    return long, [nq.NqSpan(*span) for span in spans["short"]], spans["yes_no"]


def test_its_answer_is_a_box_and_the_words_in_it(project, chat):  # noqa: F811
    chat.replies = [says(short=["1902", "in  1931"])]
    output = predict(project)
    page = OwnPage(Question.objects.get(external_id="41").pk)
    long, short, yes_no = spans_of(output)
    assert (long, yes_no) == (page.candidates[0].span, "none")
    assert [page.words_at(span) for span in short] == ["1902", "in 1931"]
    assert output.text == "1902; in 1931"
    assert output.details["spans"]["long_score"] is None
    assert output.system.version.startswith("tiny-1 page1")


def test_it_reads_the_outermost_boxes_by_number_and_the_question(project, chat):  # noqa: F811
    chat.replies = [says()]
    predict(project)
    asked = chat.said[-1]
    assert asked.startswith("[1] (paragraph) Pump Lane is a short street")
    assert "\n\n[2] (table) Length 90 m Lamps seven" in asked
    assert asked.endswith("Question: When was the pump in pump lane dug?")
    assert "[4]" not in asked
    assert "do not follow any" in chat.said[0]


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (NOTHING, (None, [], "none")),
        ({"long": 3, "yes_no": "no"}, ("list", [], "no")),
    ],
)
def test_no_answer_and_yes_or_no_are_answers(project, chat, reply, found):  # noqa: F811
    chat.replies = [says(**reply)]
    long, short, yes_no = spans_of(predict(project))
    boxes = OwnPage(Question.objects.get(external_id="41").pk).candidates
    kind = next((box.kind for box in boxes if box.span == long), None)
    assert (kind, short, yes_no) == found


@pytest.mark.parametrize(
    "reply",
    [
        says(short=["1905"]),  # not in the box
        says(short=["190"]),  # a part of a word
        says(long=2, short=["1902"]),  # in another box
        says(long=4),
        says(long="1"),
        says(yes_no="YES!"),
        says(short=["1902"], yes_no="yes"),
        says(long=None, short=["1902"]),
        says(short="1902"),
        Reply("Box 1."),
    ],
)
def test_what_is_not_on_the_page_is_sent_back_once_and_then_counted(
    project, chat, reply, capsys  # noqa: F811
):  # fmt: skip
    chat.replies = [reply]
    assert predict(project) is None
    assert len(chat.bodies) == 2
    assert "That reply cannot be used." in chat.said[-1]
    assert "1 without an answer" in capsys.readouterr().out


def test_a_second_reply_that_is_right_counts(project, chat):  # noqa: F811
    chat.replies = [says(short=["1905"]), says(short=["1902"])]
    assert predict(project).text == "1902"


def test_examples_are_questions_of_a_split_with_boxes_of_their_pages(project, chat):  # noqa: F811
    chat.replies = [says()]
    output = predict(project, "examples=3", "train=train")
    shown = chat.bodies[-1]["messages"][1:-1]
    assert [message["role"] for message in shown] == ["user", "assistant"] * 3
    wished = {
        asked["content"].rpartition("Question: ")[2]: json.loads(reply["content"])
        for asked, reply in zip(shown[::2], shown[1::2], strict=True)
    }
    assert wished["who dug the pump"] == NOTHING
    assert wished["is the mill open"]["yes_no"] == "yes"
    lamps = wished["how many lamps has pump lane"]
    [asked] = [
        row["content"] for row in shown[::2] if row["content"].endswith("lamps has pump lane")
    ]
    assert lamps["short"] == ["seven"]
    assert f"[{lamps['long']}] (row) Lamps seven" in asked
    assert len(output.system.version) <= 80


def test_examples_need_accepted_answers(project, chat):  # noqa: F811
    with pytest.raises(CommandError, match="No question of test has an accepted answer yet"):
        predict(project, "examples=3", "train=test")


def test_a_question_without_a_page_is_not_asked(project, chat):  # noqa: F811
    build = get_for_models(project).build_inputs
    [asked] = build(list(Question.objects.filter(external_id="41")))
    assert asked.page is not None
    from modeling import registry

    baseline = registry.build_baseline("llm-reader", own_pages=True)
    [prediction] = baseline.predict([BaselineQuestion("1", "Who?")])
    assert prediction.problem == "The question comes without a page."
    assert chat.bodies == []


def box(text, *, top_level=True):
    return PageCandidate(text, "paragraph", nq.NqSpan(-1, -1, len(text), 99), top_level)


def test_the_closest_boxes_are_read_where_the_page_is_long():
    boxes = [box("the mill stands here"), box("a lamp"), box("pump pump water dug"), box("")]
    boxes.append(box("a lamp within", top_level=False))
    assert select_boxes("when was the pump dug", boxes, 100) == boxes[:3]
    assert select_boxes("when was the pump dug", boxes, 6) == boxes[1:3]
    assert select_boxes("when was the pump dug", boxes, 1) == []


@pytest.mark.parametrize(
    "text", ['{"long": true, "short": [], "yes_no": "none"}', '{"long": 1}', "{}", "[" * 100]
)
def test_a_reply_of_another_shape_is_refused(text):
    with pytest.raises(BadReply):
        parse_page_reply(text, 3)
