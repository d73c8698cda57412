"""The rules on a long answer (S10, S42). Almost all are warnings, and none judges the style.

Fields: `long-answer`; `answer-<n>`, the line of a disambiguation, n from 1; `knowledge`;
`piece-<n>`, n from 1; `time`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from annotation.contexts.inputs import Inputs
from annotation.long_answers.covering import DisambiguationCoverage, evaluate_coverage
from annotation.long_answers.response import LongAnswerResponse, Piece, quotes_in
from annotation.sheets.parts import OwnQuotes, no_quotes
from annotation.sheets.report import Rules
from annotation.sheets.rules import (
    Check,
    Finding,
    RuleFinding,
    Setting,
    format_count,
    get_setting,
    shorten_text,
)
from annotation.suggestions.values import SuggestionOffers
from metrics import asqa, rouge
from metrics.sentences import Rules as Sentences
from metrics.text import comparison_form

# Whether a text is on the page with this title; None if that is unknown.
OnPage = Callable[[str, str], bool | None]

NEW_WORDS = Setting(
    key="new_words",
    label="New words that ask for evidence, in percent",
    type="int",
    default=30,
    minimum=5,
    maximum=100,
    help="If evidence is not asked for sentence by sentence: without a piece of knowledge, a long "
    "answer with more words than this that are in no input gets a warning. Words are counted as "
    "ROUGE counts them.",
)
EACH_SENTENCE = Setting(
    key="evidence_for_each",
    label="Ask for evidence sentence by sentence",
    type="bool",
    default=1,
    minimum=0,
    maximum=1,
    help="As in ASQA, each piece of information that is brought in needs its evidence: a sentence "
    "gets a warning if most of its words, and five or more, are in no input and no piece of "
    "knowledge.",
)
FEWEST_WORDS = Setting(
    key="fewest_words",
    label="Shortest long answer, in words",
    type="int",
    default=20,
    minimum=1,
    maximum=500,
    help="A shorter one gets a warning. In ASQA's development set 1.7 % are shorter than 20.",
)
MOST_WORDS = Setting(
    key="most_words",
    label="Longest long answer, in words",
    type="int",
    default=150,
    minimum=20,
    maximum=2000,
    help="A longer one gets a warning. In ASQA's development set 0.9 % are longer than 150.",
)
_COPIED_WORDS = 4  # a shorter question is easily repeated by chance
_NEW_WORDS, _NEW_SHARE = 5, 0.5  # fewer only connect what is known
_SENTENCES = Sentences()


@dataclass(frozen=True)
class Context:
    """What the rules know besides the response.

    `quotes` gives the writer's own among some ids; `suggestions` are those of a model, None where
    none are shown.
    """

    inputs: Inputs
    seconds_on_task: int = 0
    minimum_seconds: int = 0
    quotes: OwnQuotes = no_quotes
    on_page: OnPage = lambda page, text: None
    settings: Mapping[str, object] = field(default_factory=dict)
    suggestions: SuggestionOffers | None = None

    @property
    def seconds_left(self) -> int:
        """Seconds after which the page checks again, where only time is missing (A17)."""
        return max(1, self.minimum_seconds - self.seconds_on_task)


def response_coverage(
    response: LongAnswerResponse, context: Context
) -> tuple[DisambiguationCoverage, ...]:
    """Return the outcome of each disambiguation that the writer is given."""
    return evaluate_coverage(response.text, context.inputs.disambiguations, response.said)


def supported_share(response: LongAnswerResponse, context: Context) -> float | None:
    """Return the share of the answer's words that its inputs and evidence have, from 0 to 1.

    ROUGE-1 recall against the support document (ASQA, section 3.3; S42). None for an answer
    without words.
    """
    share = rouge.rouge_1(response.text, _support_of(response, context)).recall
    return share if share or rouge.tokenise_and_stem(response.text) else None


def _support_of(response: LongAnswerResponse, context: Context) -> str:
    """Return the prompt with the support document of the answer."""
    question = asqa.Question(
        [disambiguation.pair for disambiguation in context.inputs.disambiguations], []
    )
    pieces = [piece.content for piece in response.knowledge if piece.content]
    annotation = asqa.AsqaAnnotation(response.text, pieces)
    document = asqa.support_document(question, annotation)
    return f"{context.inputs.prompt}\n{document}"


def nothing_written(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    if response.text:
        return []
    return [RuleFinding("long-answer", "Write the long answer first.", "The long answer is empty")]


def too_quick(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    left = context.minimum_seconds - context.seconds_on_task
    if left <= 0:
        return []
    seconds = format_count(left, "second")
    sentence = (
        f"A long answer needs {format_count(context.minimum_seconds, 'second')}. {seconds} left."
    )
    more = format_count(left, "more second", "more seconds")
    return [RuleFinding("time", sentence, f"Take {more}")]


def missing_answer(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    if not response.text:
        return []
    return [
        RuleFinding(outcome.disambiguation.field, *_missing(outcome))
        for outcome in response_coverage(response, context)
        if outcome.state == "missing"
    ]


def _missing(each: DisambiguationCoverage) -> tuple[str, str]:
    answers = each.disambiguation.answers
    name = f"“{shorten_text(answers[0], 40)}”" if answers else "This answer"
    summary = f"Answer {each.disambiguation.number}: say {name}, or say why it is not there"
    if each.gone:
        return f"“{shorten_text(each.gone)}”, which said it, is no longer in your text.", summary
    forms = "in any accepted form" if len(answers) > 1 else "as it is accepted"
    return f"{name} is not in your text {forms}.", summary


def new_words(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    share = supported_share(response, context)
    has_evidence = any(not piece.empty for piece in response.knowledge)
    if share is None:
        return []
    if not context.inputs.full and not has_evidence:
        sentence = "Nothing shows yet where this comes from. Add the sentences that say so."
        return [RuleFinding("knowledge", sentence, "Add evidence, or say why there is none")]
    if get_setting(context, EACH_SENTENCE):
        return _new_sentences(response, context)
    new = round(100 * (1 - share))
    if has_evidence or new <= get_setting(context, NEW_WORDS):
        return []
    sentence = (
        f"{new} % of your words are in none of the inputs. If they add facts, add the sentences "
        f"that support them."
    )
    return [
        RuleFinding("knowledge", sentence, "Add evidence for what is new, or say why there is none")
    ]


def _new_sentences(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    """Ask for evidence of the sentences that bring in something (S6)."""
    support = _support_of(response, context)
    new = []
    for sentence in _SENTENCES.split_sentences(response.text):
        words = len(rouge.tokenise_and_stem(sentence))
        unknown = words * (1 - rouge.rouge_1(sentence, support).recall)
        if unknown > _NEW_SHARE * words and round(unknown) >= _NEW_WORDS:
            new.append(sentence)
    if not new:
        return []
    others = len(new) - 1
    more = f" and {format_count(others, 'more sentence', 'more sentences')}" if others else ""
    return [
        RuleFinding(
            "knowledge",
            f"“{shorten_text(new[0])}”{more}: what is new here is in none of the inputs, and in no "
            "piece of knowledge. Add the sentences of a page that say so.",
            "Add evidence for what is new, or say why there is none",
        )
    ]


def question_copied(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    text = f" {comparison_form(response.text)} "
    questions = [context.inputs.prompt, *(d.question for d in context.inputs.disambiguations)]
    for question in sorted(questions, key=len, reverse=True):  # a longer one may hold the prompt
        words = comparison_form(question)
        if len(words.split()) >= _COPIED_WORDS and f" {words} " in text:
            sentence = (
                f"The text repeats “{shorten_text(question)}” word for word. "
                "Write a statement instead."
            )
            return [RuleFinding("long-answer", sentence, "The text repeats a question")]
    return []


def too_short(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    words, least = len(response.text.split()), get_setting(context, FEWEST_WORDS)
    if not words or words >= least:
        return []
    sentence = (
        f"{format_count(words, 'word')}: say also why the question has several answers and how "
        "they belong together."
    )
    return [
        RuleFinding("long-answer", sentence, f"The text has only {format_count(words, 'word')}")
    ]


def too_long(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    words, most = len(response.text.split()), get_setting(context, MOST_WORDS)
    if words <= most:
        return []
    sentence = (
        f"{words:,} words are a lot for one paragraph. Leave out anything that answers nothing."
    )
    return [RuleFinding("long-answer", sentence, f"The text has {words:,} words")]


def piece_incomplete(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    findings = []
    for number, piece in enumerate(response.knowledge, start=1):
        if piece.empty or (piece.content and piece.page):
            continue
        what = (
            ("Which page are these sentences on?", "name its page")
            if piece.content
            else ("Which sentences of the page say so?", "add its sentences")
        )
        findings.append(RuleFinding(f"piece-{number}", what[0], f"Piece {number}: {what[1]}"))
    return findings


def piece_not_found(response: LongAnswerResponse, context: Context) -> list[RuleFinding]:
    own = context.quotes(quotes_in(response))
    return [
        RuleFinding(
            f"piece-{number}",
            f"These words were not found on “{shorten_text(piece.page)}” as you read it. "
            "Copy them from the page, or correct its name.",
            f"Piece {number}: copy the words from the page, or say why they differ",
        )
        for number, piece in enumerate(response.knowledge, start=1)
        if _lost(piece, own, context)
    ]


def _lost(piece: Piece, own: Collection[int], context: Context) -> bool:
    if not (piece.content and piece.page):
        return False
    if any(quote in own for quote in piece.quotes):
        return False
    return context.on_page(piece.page, piece.content) is False


CHECKS: tuple[Check[LongAnswerResponse, Context], ...] = (
    Check(
        key="nothing-written",
        level="error",
        title="The long answer is written",
        about="the long answer is empty",
        requirement="S5",
        rule=nothing_written,
        detail=lambda response, context: (
            format_count(len(response.text.split()), "word") if response.text else ""
        ),
    ),
    Check(
        key="long-answer-too-quick",
        level="error",
        title="You took your time",
        about="less active time was spent than the policy's minimum",
        requirement="A17",
        rule=too_quick,
        titled=lambda context: "You took your time" if context.minimum_seconds else "",
        in_exams=False,
    ),
    Check(
        key="missing-answer",
        level="warning",
        title="Every short answer is in the text",
        about="no accepted form of a short answer is in the text as STR-EM looks for it, and no "
        "other words are marked as saying it",
        requirement="S10, S11",
        rule=missing_answer,
    ),
    Check(
        key="new-words",
        level="warning",
        title="What you added has evidence",
        about="more words than set of a sentence are in no input and no piece of knowledge; or, if "
        "the project asks so, of the whole answer where it has no piece",
        requirement="S6, S42",
        rule=new_words,
        settings=(NEW_WORDS, EACH_SENTENCE),
    ),
    Check(
        key="question-copied",
        level="warning",
        title="The text repeats no question",
        about=f"the prompt or a disambiguated question of {_COPIED_WORDS} words or more appears "
        "in the text word for word",
        requirement="S8",
        rule=question_copied,
    ),
    Check(
        key="text-too-short",
        level="warning",
        title="The text is long enough to explain",
        about="the long answer has fewer words than set",
        requirement="S8",
        rule=too_short,
        settings=(FEWEST_WORDS,),
    ),
    Check(
        key="text-too-long",
        level="warning",
        title="The text is one paragraph",
        about="the long answer has more words than set",
        requirement="S8",
        rule=too_long,
        settings=(MOST_WORDS,),
    ),
    Check(
        key="piece-incomplete",
        level="warning",
        title="Each piece has its sentences and its page",
        about="a piece of knowledge has sentences without a page, or a page without sentences",
        requirement="S6",
        rule=piece_incomplete,
    ),
    Check(
        key="piece-not-found",
        level="warning",
        title="Each piece is on its page",
        about="the sentences of a piece are not a quote, and are not on the named page as it was "
        "read",
        requirement="S6",
        rule=piece_not_found,
        in_exams=False,
    ),
)

_FIRST = {"time": 0, "long-answer": 1, "knowledge": 3}


def _place(finding: Finding) -> tuple[int, ...]:
    name, _, number = finding.field.rpartition("-")
    row = int(number) if number.isdigit() else 0
    group = _FIRST.get(finding.field, {"answer": 2, "piece": 4}.get(name, 5))
    return (group, row, finding.level == "warning")


def _name(finding: Finding) -> str:
    names = {"time": "Time", "long-answer": "Long answer", "knowledge": "Knowledge"}
    return names.get(finding.field) or finding.field.replace("-", " ").capitalize()


RULES: Rules[LongAnswerResponse, Context] = Rules(CHECKS, _place, _name)


def insert_answer(text: str, answer: str) -> str:
    """Return the text with an answer added at its end, as the button does without scripts."""
    return f"{text} {answer}".strip()
