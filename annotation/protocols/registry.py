"""The protocols: the parts of a kind of project, one frozen object for each.

Code that differs by protocol asks `of(project)`, so that no page, form, service or command names
one. The objects are put together in `config.protocols`, above every app whose parts they name.
"""

import enum
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation import registration

if TYPE_CHECKING:  # the models import this module for labels
    from django.db.models import Q

    from annotation.core.models.projects import Project
    from annotation.core.models.questions import Question
    from annotation.exports.format import Format
    from annotation.exports.layouts import Layout
    from annotation.imports.adapters import ImportAdapter
    from annotation.qualifications.exams import Exam
    from annotation.sheets.report import Rules
    from annotation.sheets.rules import Check


class Feature(enum.StrEnum):
    """A feature that only some protocols have. Tabs, forms and pages ask `has`."""

    AUDITS = "audits"
    """Experts answer finished questions once more."""
    CONCERNS = "concerns"
    """Questions come with disambiguations, which can be doubted."""
    CONTEXTS = "contexts"
    """Paragraphs are looked for that writers may see next to a disambiguation."""
    DISAMBIGUATIONS = "disambiguations"
    """Its data are the disambiguations of a question, in pairs or in a long answer; agreement is
    that of AmbigQA and ASQA."""
    DISPUTES = "disputes"
    """People can dispute the outcome of their submissions."""
    EXCLUSION = "exclusion"
    """The team can exclude and restore questions, and send them back to validation."""
    INPUTS = "inputs"
    """The policy of a split says what writers are given."""
    LONG = "long"
    """Its data are long answers."""
    NO_ANSWER = "no_answer"
    """It can be accepted that no answer was found; releases leave such questions out."""
    PAIRS = "pairs"
    """Its data are pairs of a question and its answers."""
    SCORES = "scores"
    """The answers of systems are scored by automatic metrics."""
    STUDIES = "studies"
    """People judge the answers of systems, blind."""
    SUGGESTIONS = "suggestions"
    """Models can suggest answers beside the work of a stage."""
    WARNINGS = "warnings"
    """Its rules can warn, and a writer keeps the text by saying why."""


@dataclass(frozen=True)
class WaitingQuestions:
    """Excluded questions that only wait: what they are called, and a condition that finds them."""

    label: str
    which: "Q"


@dataclass(frozen=True)
class AnswerLine:
    """An answer on the page of its question: what was said of it, and whether it is accepted."""

    text: str
    said: str
    accepted: bool
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """One kind of project. `key` is stored with its projects, `label` is what people read."""

    key: str
    label: str
    about: str
    """What people do in it, for the form of a new project."""
    stages: tuple[str, ...]
    """Keys, in the order of the work."""
    measuring: frozenset[str] = frozenset()
    """The stages whose work only measures that of others, and is not data."""
    rules: "Rules[Any, Any]"
    """What writers are held to; a project sets their values."""
    guidelines: Path
    """The Markdown file that a new project starts with."""
    exams: Mapping[str, "Exam[Any, Any]"]
    """The kinds of qualification it can have."""
    feedback_tags: Mapping[str, str]
    """What the team can say of a submission with one press: words by key."""
    features: frozenset[Feature] = frozenset()
    unused_states: frozenset[str] = frozenset()
    """States that its questions never have."""
    aside: WaitingQuestions | None = None
    """Excluded questions that are listed and counted apart from the others."""
    imports: "ImportAdapter"
    """The files it takes, and what their records become."""
    exports: tuple["Format", ...]
    """What can be taken out, in the order in which it is offered."""
    layouts: tuple["Layout", ...]
    """The official layouts in which accepted work is released."""
    report: "Callable[[Project, str | None], Any]"
    """Every figure of a project, or of one split of it (`Report` of agreement)."""
    answers: "Callable[[Question], Sequence[AnswerLine]] | None" = None
    """The answers of a question with what was said of them, where these are not pairs."""
    credit: Callable[[Sequence[int]], Collection[int]]
    """From ids of questions to the ids of assignments whose work is accepted, for their pay."""
    credit_pairs: Callable[[Sequence[int]], Mapping[int, int]] | None = None
    """From ids of questions to the number of accepted pairs of each assignment, for their pay."""
    credit_matches: Callable[[Sequence[int]], Collection[int]] | None = None
    """From ids of questions to the ids of assignments whose decision an audit matches, for pay."""

    def has_feature(self, feature: Feature) -> bool:
        """Whether projects of the protocol have a feature."""
        return feature in self.features

    @property
    def data_stages(self) -> list[str]:
        """The keys of the stages whose submissions become data."""
        return [key for key in self.stages if key not in self.measuring]


_protocols: dict[str, Protocol] = {}


def register(protocol: Protocol) -> None:
    """Register a protocol under its key; a protocol with the same key is replaced."""
    _protocols[protocol.key] = protocol


def get_protocol(key: str) -> Protocol:
    """Return the protocol with a key. Raises KeyError if there is none."""
    registration.PROTOCOLS.make()
    return _protocols[key]


def protocol_of(project: "Project") -> Protocol:
    """Return the protocol of a project."""
    return get_protocol(project.protocol)


def list_protocols() -> list[Protocol]:
    """Return every protocol, in the order they were registered."""
    registration.PROTOCOLS.make()
    return list(_protocols.values())


def data_stages() -> list[str]:
    """Return the keys of the stages whose submissions become data, in any protocol."""
    return sorted({key for protocol in list_protocols() for key in protocol.data_stages})


def label_of(key: str) -> str:
    """Return the label of a protocol; its key if this installation does not have it."""
    registration.PROTOCOLS.make()
    return _protocols[key].label if key in _protocols else key


def tag_label(tag: str) -> str:
    """Return the label of a feedback tag of any protocol."""
    return next(
        (
            protocol.feedback_tags[tag]
            for protocol in list_protocols()
            if tag in protocol.feedback_tags
        ),
        tag,
    )


def exam_of(kind: str) -> "Exam[Any, Any]":
    """Return a kind of qualification of any protocol. Raises KeyError if there is none."""
    return {kind: exam for protocol in list_protocols() for kind, exam in protocol.exams.items()}[
        kind
    ]


def rule_of(key: str) -> "Check[Any, Any] | None":
    """Return the rule with a key, of any protocol; None if there is none."""
    return next((e.rules.registry[key] for e in list_protocols() if key in e.rules.registry), None)
