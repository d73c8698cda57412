"""Which baselines there are. The module of one is imported when it is asked for, not before.

A baseline is a class `(corpus: Corpus | None, options: Mapping[str, str])` that fulfils
`modeling.base.Baseline`; one that reads examples has a third parameter, `ReadExamples | None`. It
checks its options when it is made; what is large it imports and loads there or later.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from modeling.base import BadOption, Baseline, Corpus, MissingModel

if TYPE_CHECKING:  # the list of baselines needs no Django
    from modeling.examples import ReadExamples


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """A baseline that can be chosen.

    path: "module:Class"; searches: whether it needs a corpus; heavy: whether it runs on the queue
    for models, because it loads weights or waits for a server; examples: whether it reads
    questions with their annotations; on_page: the "module:Class" that answers in its place where
    questions have a page of their own, and searches nothing; only_on_page: whether it answers no
    other questions; options: those it begins with, which a run can change; family: the same model
    with any number of passages, as figures name it (S49), "" where that is the key; paper: what
    `retriever=paper` stands for, the options of retrieval that are those of its paper (A88, S55),
    none where it has no paper or searches nothing.
    """

    key: str
    label: str
    path: str
    searches: bool = False
    heavy: bool = False
    examples: bool = False
    on_page: str = ""
    only_on_page: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    family: str = ""
    paper: Mapping[str, str] = field(default_factory=dict)

    def with_options(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the options of a run: those given, and its own for the others.

        Raises BadOption where those of its paper are asked for, and there are none.
        """
        options = {**self.options, **given}
        if options.get("retriever", "").strip() != PAPER:
            return options
        if not self.paper:
            raise BadOption(
                f"“{self.label}” has no retriever of its paper. Set the option “retriever” to bm25 "
                "or dense."
            )
        return {**self.paper, **options, "retriever": self.paper["retriever"]}


PAPER = "paper"
_HERE = "modeling.baselines"
_BM25 = {"retriever": "bm25"}
_DPR = {"retriever": "dense", "encoder": "dpr"}
_RERANKED = {**_DPR, "reranker": "cross-encoder"}
_JPR = {**_DPR, "reranker": "jpr"}
# What searches in the papers: AmbigQA's models (A88), ASQA's T5-O (S55), QAMPARI's (Q19). A reader
# of spans judges all 100 passages itself, so it is given them in DPR's order.
_PAPERS: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("extractive", "thresholding", "thresholding-qd", "disambig-first"), _DPR),
    **dict.fromkeys(("span-seq-gen", "span-seq-gen-qd", "ensemble", "ensemble-qd"), _RERANKED),
    **dict.fromkeys(("t5-open-1", "t5-open-3", "t5-open-5"), _JPR),
    **dict.fromkeys(("fid", "pig"), _BM25),
}
_entries: dict[str, BaselineEntry] = {}


def register(entry: BaselineEntry) -> None:
    """Add a baseline. Raises ValueError where its key is taken."""
    if entry.key in _entries:
        raise ValueError(f"There are two baselines with the key {entry.key}.")
    _entries[entry.key] = entry


def list_baselines() -> tuple[BaselineEntry, ...]:
    """Return the baselines in the order in which they were registered."""
    return tuple(_entries.values())


def get_baseline(key: str) -> BaselineEntry:
    """Return the baseline with this key. Raises MissingModel, naming the keys there are."""
    if key not in _entries:
        raise MissingModel(
            f"There is no baseline “{key[:40]}”. Choose one of {', '.join(_entries)}."
        )
    return _entries[key]


def build_baseline(
    key: str,
    corpus: Corpus | None = None,
    options: Mapping[str, str] | None = None,
    read_split: "ReadExamples | None" = None,
    *,
    own_pages: bool = False,
) -> Baseline:
    """Make the baseline with this key. Raises MissingModel where it cannot run here.

    read_split: gives the examples of a split of the project; without it, files alone are read;
    own_pages: whether the questions have a page of their own.
    """
    entry = get_baseline(key)
    module, _, name = ((own_pages and entry.on_page) or entry.path).partition(":")
    factory = getattr(import_module(module), name)
    given = (corpus, entry.with_options(options or {}))
    baseline: Baseline = factory(*given, read_split) if entry.examples else factory(*given)
    return baseline


for _entry in (
    BaselineEntry("question-x8", "Question, eight times", f"{_HERE}.naive:QuestionX8"),
    BaselineEntry("bm25", "Best passage (BM25)", f"{_HERE}.passages:BestPassage", searches=True),
    BaselineEntry(
        "dense",
        "Best passage (dense)",
        f"{_HERE}.passages:BestDense",
        searches=True,
        heavy=True,
        options={"retriever": "dense", "encoder": "minilm"},
    ),
    BaselineEntry(
        "dpr",
        "Best passage (DPR)",
        f"{_HERE}.passages:BestDpr",
        searches=True,
        heavy=True,
        options=_DPR,
    ),
    BaselineEntry(
        "jpr",
        "Best passage (JPR)",
        f"{_HERE}.passages:BestJpr",
        searches=True,
        heavy=True,
        options=_JPR,
    ),
    BaselineEntry(
        "first-paragraph",
        "First paragraph of the page",
        f"{_HERE}.passages:FirstParagraph",
        searches=True,
        on_page=f"{_HERE}.passages:FirstParagraphOnPage",
    ),
    BaselineEntry(
        "most-frequent",
        "Most frequent annotation of the page",
        f"{_HERE}.copying:MostFrequent",
        examples=True,
    ),
    BaselineEntry(
        "closest-question", "Closest question", f"{_HERE}.copying:ClosestQuestion", examples=True
    ),
    BaselineEntry(
        "llm",
        "Language model, closed book",
        f"{_HERE}.llm:ClosedBook",
        heavy=True,
        examples=True,
    ),
    BaselineEntry(
        "llm-reader",
        "Language model with passages",
        f"{_HERE}.llm:Reader",
        searches=True,
        heavy=True,
        examples=True,
        on_page=f"{_HERE}.llm_page:PageReader",
        paper=_BM25,
    ),
    BaselineEntry(
        "llm-plain",
        "Small language model with passages",
        f"{_HERE}.plain:PlainReader",
        searches=True,
        heavy=True,
    ),
    BaselineEntry(
        "words-in-evidence",
        "Words in one sentence (no model)",
        f"{_HERE}.verdicts:WordsInEvidence",
    ),
    BaselineEntry(
        "llm-verdicts",
        "Language model that checks answers",
        f"{_HERE}.llm_verdicts:ModelVerdicts",
        heavy=True,
    ),
):
    register(_entry)

register(
    BaselineEntry(
        "nq-reader",
        "Reader of pages (BERT-joint)",
        f"{_HERE}.page_reader:PageSpanReader",
        heavy=True,
        only_on_page=True,
    )
)

for _key, _label, _name in (
    ("decatt-docreader", "DecAtt + DocReader", "DecAttDocReader"),
    ("document-qa", "Document-QA", "DocumentQA"),
):
    register(
        BaselineEntry(
            *(_key, _label, f"{_HERE}.page_networks:{_name}"), heavy=True, only_on_page=True
        )
    )

# Those with weights that answer every question: key, label, path, and whether they search passages.
for _key, _label, _path, _searches in (
    ("smollm2", "SmolLM2 with passages", "local:LocalReader", True),
    ("extractive", "Extractive reader", "spans:Extractive", True),
    ("thresholding", "Extractive reader with a threshold", "spans:Thresholding", True),
    (
        "thresholding-qd",
        "Extractive reader with a threshold, and questions",
        "spans:ThresholdingQD",
        True,
    ),
    ("span-seq-gen", "SpanSeqGen", "bart:SpanSeqGen", True),
    ("span-seq-gen-qd", "SpanSeqGen with questions", "bart:SpanSeqGenQD", True),
    ("disambig-first", "Disambig-first", "bart:DisambigFirst", True),
    ("t5-closed", "T5 closed book", "t5:Closed", False),
    ("t5-open-1", "T5 open book, 1 passage", "t5:Open1", True),
    ("t5-open-3", "T5 open book, 3 passages", "t5:Open3", True),
    ("t5-open-5", "T5 open book, 5 passages", "t5:Open5", True),
    ("oracle", "T5 with the reference disambiguations (oracle)", "t5:Oracle", False),
    ("fid", "Fusion-in-Decoder", "lists:FusionInDecoder", True),
    ("pig", "Passage-independent generator", "lists:PassageIndependent", True),
    ("ensemble", "Ensemble that votes", "ensemble:Ensemble", True),
    ("ensemble-qd", "Ensemble that votes, and questions", "ensemble:EnsembleQD", True),
):
    register(
        BaselineEntry(
            *(_key, _label, f"{_HERE}.{_path}"),
            searches=_searches,
            heavy=True,
            family="t5-open" if _key.startswith("t5-open-") else "",
            paper=_PAPERS.get(_key, {}),
        )
    )
