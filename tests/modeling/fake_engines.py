"""Engines without weights: what each role writes, finds or says is set by the test."""

from collections import defaultdict
from pathlib import Path

from modeling.engines.base import AnswerSpan, FoundWords, GeneratedText, PageAnswer
from modeling.llm import Completion
from modeling.weights import Weights

# What the models write to any input, until a test says otherwise.
WRITE = {
    "span-seq-gen": "1843 [SEP] 1869",
    "qd": "When did it open?",
    "disambig-first": "When did it open to walkers? [SEP] When did it open to trains?",
    "t5-closed": "It opened in 1843.",
    "t5-open": "It opened in 1843 and in 1869.",
    "oracle": "Walkers came in 1843, trains in 1869.",
    "fid": "1843#1869",
    "pig": "1843",
    "language-model": "1843",
}


class Engines:
    """The engines of all roles.

    write: from role to a text, to a function from an input to one, or to a dict from the name of
    the weights to either; find: from a question and
    its passages to spans; ambiguous: how likely each question is ambiguous. `read` holds, by role,
    the inputs of each call, and `limits` those it was given.
    """

    def __init__(self):
        self.write = dict(WRITE)
        self.find = lambda question, passages: [
            AnswerSpan(passage.text.split()[-1].rstrip("."), place, 0.6 / 3**place)
            for place, passage in enumerate(passages)
        ]
        self.ambiguous = lambda question: 0.9
        self.read, self.limits = defaultdict(list), {}
        self.named = {}

    def weights(self, role, name=""):
        self.named[role] = name
        return Weights(role, name, Path("/nowhere"), f"{role[:6]}{name[-6:]:0>6}")

    def engine(self, weights):
        return _Engine(self, weights)


class _Engine:
    def __init__(self, engines, weights):
        self.engines, self.role, self.name = engines, weights.role, weights.name

    def write_reply(self, messages, most_tokens):
        self.engines.read[self.role].append(messages)
        return Completion(self.engines.write[self.role], 10, 2, cut=False)

    def generate(self, inputs, limits, allowed=None):
        self.engines.read[self.role].append(list(inputs))
        self.engines.limits[self.role] = limits
        write = self.engines.write[self.role]
        if isinstance(write, dict):
            write = write[self.name]
        texts = [write(text) if callable(write) else write for text in inputs]
        return [GeneratedText(text, 10, 2) for text in texts]

    def find_spans(self, question, passages, top):
        self.engines.read[self.role].append((question, len(passages), top))
        spans = self.engines.find(question, passages)
        return sorted(spans, key=lambda span: -span.likelihood)[:top]

    def read_pages(self, asked):
        """Answer with the first word of the last box of each page that has one."""
        return [
            PageAnswer(page.boxes[-1][:1], len(page.boxes) - 1, False, 0.5) if page.boxes else None
            for page in asked
        ]

    def score_boxes(self, question, boxes):
        """Score boxes by their length."""
        return [float(len(words)) for words in boxes]

    def find_words(self, question, words):
        """Answer with the first word."""
        return FoundWords(0, range(1), -0.5)

    def find_stretch(self, question, boxes):
        """Answer with the first word of the last box, which is likely enough for the paper."""
        return FoundWords(len(boxes) - 1, range(1), 4.0) if boxes else None

    def predict_likelihoods(self, texts):
        self.engines.read[self.role].append(list(texts))
        return [self.engines.ambiguous(text) for text in texts]
