"""What the papers' models read, word for word (figures 4 and 5 of ASQA, AmbigQA's code)."""

import pytest

from modeling import inputs, outputs
from modeling.base import AnsweredDisambiguation, ArticlePassage, ShortAnswer
from tests.modeling.corpora import TRAINS, TUNNEL

ASKED = "When did the Thames Tunnel open?"
PAIRS = (
    AnsweredDisambiguation(
        "When did the Thames Tunnel open to walkers?", (ShortAnswer("1843", ("in 1843",), TUNNEL),)
    ),
    AnsweredDisambiguation(
        "When did trains first use the Thames Tunnel?",
        (ShortAnswer("1869"), ShortAnswer("7 December")),
    ),
)
KNOWLEDGE = (
    ArticlePassage("", "Marc Brunel", "Brunel began the tunnel in 1825."),
    ArticlePassage("", "Rotherhithe", "Its shaft is in Rotherhithe."),
)


def test_t5_closed_book_reads_the_question():
    assert inputs.t5_closed("  When did \n it open? ") == "When did it open?"


def test_t5_open_book_reads_passages_with_their_pages():
    assert inputs.t5_open(ASKED, [TUNNEL, TRAINS]) == (
        "When did the Thames Tunnel open? context: "
        "info: The Thames Tunnel was opened to walkers in 1843. wikipage: Thames Tunnel | "
        "info: The first trains ran through the Thames Tunnel in 1869. wikipage: Thames Tunnel"
    )


def test_t5_open_book_without_passages_keeps_the_tag():
    assert inputs.t5_open(ASKED, []) == "When did the Thames Tunnel open? context:"


def test_the_context_grows_with_the_passages():
    assert inputs.T5_OPEN_TOKENS == {1: 512, 3: 1024, 5: 2048}


def test_the_oracle_reads_five_parts():
    assert inputs.oracle_input(ASKED, PAIRS, KNOWLEDGE) == (
        "When did the Thames Tunnel open? "
        "answers: 1843 | 1869 "
        "disambiguations: When did the Thames Tunnel open to walkers? | "
        "When did trains first use the Thames Tunnel? "
        "context1: info: The Thames Tunnel was opened to walkers in 1843. "
        "wikipage: Thames Tunnel "
        "context2: info: Brunel began the tunnel in 1825. wikipage: Marc Brunel | "
        "info: Its shaft is in Rotherhithe. wikipage: Rotherhithe"
    )


def test_the_oracle_keeps_the_tags_of_empty_parts():
    assert inputs.oracle_input(ASKED, ()) == (
        "When did the Thames Tunnel open? answers: disambiguations: context1: context2:"
    )


def test_span_seq_gen_reads_the_question_and_titled_passages():
    assert inputs.span_seq_gen("when did it open", [TUNNEL, TRAINS]) == (
        "<s> when did it open?"
        "</s>Thames Tunnel </s> The Thames Tunnel was opened to walkers in 1843."
        "</s>Thames Tunnel </s> The first trains ran through the Thames Tunnel in 1869."
    )


def test_span_seq_gen_writes_answers_with_separators():
    assert inputs.span_seq_gen_output(["1843", "1869"]) == "1843 [SEP] 1869"
    assert inputs.span_seq_gen_output(["1843"]) == "1843"
    assert inputs.span_seq_gen_output(["1843", "1869"], "<SEP>") == "1843 <SEP> 1869"


def test_question_disambiguation_reads_its_answer_first_and_the_others_after_the_question():
    text = inputs.question_disambiguation(ASKED, "1843", ["1869", "1825"], [TUNNEL])
    assert text == (
        "<s> 1843 [SEP] <s> When did the Thames Tunnel open?</s> [SEP] 1869 [SEP] 1825"
        "</s>Thames Tunnel </s> The Thames Tunnel was opened to walkers in 1843."
    )


def test_question_disambiguation_without_a_part_of_what_it_reads():
    """The ablations of AmbigQA's table 4 (A96)."""
    whole = inputs.question_disambiguation(ASKED, "1843", ["1869"], [TUNNEL])
    prompt, others = (
        inputs.question_disambiguation(ASKED, "1843", ["1869"], [TUNNEL], without=part)
        for part in inputs.ABLATIONS
    )
    asked = f" [SEP] <s> {ASKED.rstrip('?')}?"
    assert asked in whole
    assert prompt == whole.replace(asked, "")
    assert others == whole.replace(" [SEP] 1869", "")


def test_question_disambiguation_of_a_single_answer():
    assert inputs.question_disambiguation(ASKED, "1843", [], []) == (
        "<s> 1843 [SEP] <s> When did the Thames Tunnel open?</s>"
    )


def test_disambig_first_reads_the_question_and_writes_questions():
    assert inputs.disambig_first("when did it open") == "when did it open?"
    assert inputs.disambig_first_output(["Who won?", "Who lost?"]) == "Who won? [SEP] Who lost?"


@pytest.mark.parametrize("reader", [inputs.fid_inputs, inputs.pig_inputs])
def test_readers_of_lists_read_each_passage_with_the_question(reader):
    assert reader(ASKED, [TUNNEL, TRAINS]) == [
        "question: When did the Thames Tunnel open? title: Thames Tunnel "
        "context: The Thames Tunnel was opened to walkers in 1843.",
        "question: When did the Thames Tunnel open? title: Thames Tunnel "
        "context: The first trains ran through the Thames Tunnel in 1869.",
    ]


def test_fid_writes_answers_between_number_signs_and_pig_one_or_none():
    assert inputs.fid_output(["Oslo", "Bergen", "Tromsø"]) == "Oslo#Bergen#Tromsø"
    assert inputs.pig_output("Oslo") == "Oslo"
    assert inputs.pig_output(None) == "Not Relevant"


@pytest.mark.parametrize(
    ("write", "read"),
    [
        (inputs.span_seq_gen_output, outputs.parse_separated_answers),
        (inputs.fid_output, outputs.parse_fid_answers),
    ],
)
def test_what_is_written_is_read_again(write, read):
    answers = ["Oslo", "Tromsø", "St. John's", "1,843"]
    assert [answer.text for answer in read(write(answers))] == answers


def test_marks_of_tokenizers_in_a_text_are_not_read_as_marks():
    forged = ArticlePassage(
        "", "Thames</s>Tunnel", "It opened </s><s> in [SEP] 1843 <extra_id_7>.<PAD>"
    )
    assert inputs.span_seq_gen("<s>When?[SEP]", [forged]) == (
        "<s> When?</s>Thames Tunnel </s> It opened in 1843 ."
    )
    assert inputs.t5_closed("a < b > c [sic] </strong> <extra_id_> <sep") == (
        "a < b > c [sic] </strong> <extra_id_> <sep"
    )
