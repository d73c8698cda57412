"""Models with weights, run in three ways.

`plain`: transformers as its documents show it, one text at a time; `reference`: our engine on
transformers, which sorts texts into batches; `fast`: the weights converted to eight bits. Each way
runs in a process of its own, which loads, runs one text that is not counted, then all of them;
the ways take turns, and medians are given.

MiniLM has its real weights. The others are drawn at random in the shapes of BART-base, T5-base,
BERT-base and RoBERTa-base, whose own cannot be had without a hub: speed and memory do not depend on
what is in them. As FiD, T5 reads ten passages, each alone, for each text that it writes. What they
write does not end before the maximum, and no next token is much likelier than another, so that
rounding decides; of what judges pairs no score is far from the others. Peak memory is that of the
whole process. On a machine with other work take `--cores 1`: two threads then wait for each other
more than they compute.
"""

import json
import os
import random
import resource
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT, Benchmark, option, run_apart, run_benchmark
from benchmarks.timing import ratio_of, take_turns, taking

WAYS = ("plain", "reference", "fast")
TOKENS_IN = 512


@dataclass(frozen=True)
class Case:
    """One line of the table: a model and what it is given."""

    key: str
    model: str
    role: str
    texts: int
    words: tuple[int, ...]  # lengths of texts, drawn at random
    beams: int = 1
    tokens_out: int = 24
    together: int = 0  # texts that are read for one that is written

    @property
    def writes(self) -> bool:
        return self.role in ("qd", "fid")

    @property
    def unit(self) -> str:
        return {"entailment": "pairs"}.get(self.role, "tokens" if self.writes else "passages")


PREMISES = (20, 45, 70, 90)  # words of a sentence, with the two before it

CASES = (
    Case("bart-base", "bart", "qd", 8, (20, 80, 150, 300)),
    Case("bart-base, 4 beams", "bart", "qd", 4, (20, 80, 150, 300), beams=4),
    Case("t5-base", "t5", "qd", 8, (20, 80, 150, 300)),
    Case("fid, t5-small", "small-t5", "fid", 20, (60, 100, 100), together=10),
    Case("fid, t5-base", "t5", "fid", 20, (60, 100, 100), together=10),
    Case("minilm", "minilm", "passage-encoder", 128, (30, 60, 100, 100)),
    Case("bert-base reader", "reader", "reader", 24, (100, 100, 100, 60)),
    Case("entailment, 6 layers of 384", "small-roberta", "entailment", 64, PREMISES),
    Case("entailment, roberta-base", "roberta", "entailment", 32, PREMISES),
)
BY_KEY = {case.key: case for case in CASES}


def texts_of(case: Case) -> list[str]:
    """Return stretches of our own documents."""
    words = " ".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))).split()
    draw = random.Random(1)
    starts = (draw.randrange(len(words) - 400) for _ in range(case.texts))
    return [" ".join(words[start : start + draw.choice(case.words)]) for start in starts]


def group_texts(case: Case, texts: Sequence[str]) -> list[Sequence[str]]:
    """Return what is read for each text that is written."""
    size = case.together or 1
    return [texts[start : start + size] for start in range(0, len(texts), size)]


# --- Models -------------------------------------------------------------------------------------


# Of RoBERTa; that of MiniLM, which many small models of entailment have, and the base one.
SHAPES: dict[str, dict[str, int]] = {
    "small-roberta": {"hidden_size": 384, "num_hidden_layers": 6, "intermediate_size": 1536},
    "roberta": {},
}

T5_SHAPES: dict[str, dict[str, int]] = {
    "small-t5": {"d_model": 512, "d_kv": 64, "d_ff": 2048, "num_layers": 6, "num_heads": 8},
    "t5": {"d_model": 768, "d_kv": 64, "d_ff": 3072, "num_layers": 12, "num_heads": 12},
}


def make(model: str, folder: Path) -> None:
    """Save a model with random weights and a tokenizer of the right number of tokens."""
    import transformers

    transformers.set_seed(1)
    folder.mkdir(parents=True)
    if model in SHAPES:
        own = {"vocab_size": 50_265, "max_position_embeddings": 514, "type_vocab_size": 1}
        names = {"id2label": dict(enumerate(("entailment", "neutral", "contradiction")))}
        config = transformers.RobertaConfig(**own, **names, **SHAPES[model])
        transformers.RobertaForSequenceClassification(config).save_pretrained(folder)
        tokenizer = _bart_tokenizer()  # RoBERTa's is the same
        tokenizer.model_max_length = TOKENS_IN
        tokenizer.save_pretrained(folder)
        return
    if model == "reader":
        config = transformers.BertConfig()
        transformers.BertForQuestionAnswering(config).save_pretrained(folder)
        transformers.AutoTokenizer.from_pretrained(minilm()).save_pretrained(folder)
        return
    tokenizer = (_bart_tokenizer if model == "bart" else _t5_tokenizer)()
    tokenizer.save_pretrained(folder)
    if model == "bart":
        shape = {"layers": 6, "attention_heads": 12, "ffn_dim": 3072}
        sides = {f"{side}_{k}": v for side in ("encoder", "decoder") for k, v in shape.items()}
        own = transformers.BartConfig(d_model=768, vocab_size=50_265, **sides)
        bart = transformers.BartForConditionalGeneration(own)
        bart.final_logits_bias[0, :5] = -100.0  # it never ends
        bart.save_pretrained(folder)
        return
    own = transformers.T5Config(decoder_start_token_id=0, **T5_SHAPES[model])
    t5 = transformers.T5ForConditionalGeneration(own)
    t5.shared.weight.data[:3] = 0.0  # others have larger logits, so it never ends
    t5.save_pretrained(folder)


def minilm() -> Path:
    """Return the folder of MiniLM's package."""
    from modeling.weights import get_weights

    return get_weights("passage-encoder", "minilm", may_be_fast=False).folder


def _lines() -> list[str]:
    return [path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))]


def _bart_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import BartTokenizer

    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    letters = pre_tokenizers.ByteLevel.alphabet()
    trained.train_from_iterator(
        _lines(), trainers.BpeTrainer(vocab_size=8_000, special_tokens=marks,
                                      initial_alphabet=letters, show_progress=False),
    )  # fmt: skip
    model = json.loads(trained.to_str())["model"]
    own = model["vocab"]
    padded = own | {f"unused{number}": number for number in range(len(own), 50_265)}
    return BartTokenizer(vocab=padded, merges=[tuple(pair) for pair in model["merges"]])


def _t5_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import T5Tokenizer

    trained = Tokenizer(models.Unigram())
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    marks = ["<pad>", "</s>", "<unk>"]
    trained.train_from_iterator(
        _lines(), trainers.UnigramTrainer(vocab_size=4_000, special_tokens=marks,
                                          unk_token=marks[2], show_progress=False),
    )  # fmt: skip
    own = [tuple(piece) for piece in json.loads(trained.to_str())["model"]["vocab"]]
    return T5Tokenizer(vocab=own + [(f"unused{n}", -99.0) for n in range(len(own), 32_000)])


# --- Ways to run them ---------------------------------------------------------------------------

Run = Callable[[Sequence[str]], tuple[int, list[Any]]]  # from texts to a count and the outputs


def runner(case: Case, way: str, folder: Path) -> Run:
    """Return what runs texts through the model: it counts tokens written, or texts read."""
    from modeling import engines, weights
    from modeling.base import ArticlePassage
    from modeling.engines.base import Limits

    if way == "plain":
        return (_plain_writer if case.writes else _plain_reader)(case, folder)
    have = weights.get_weights(case.role, str(folder), may_be_fast=way == "fast")
    assert bool(have.fast) == (way == "fast")

    def write(texts: Sequence[str]) -> tuple[int, list[Any]]:
        limits = Limits(TOKENS_IN, case.tokens_out, case.beams)
        written = engines.load_generator(have).generate(texts, limits)
        return sum(own.tokens_out for own in written), [own.text for own in written]

    def fuse(texts: Sequence[str]) -> tuple[int, list[Any]]:
        engine = engines.load_fused_generator(have)
        limits = Limits(TOKENS_IN, case.tokens_out)
        written = engine.generate(group_texts(case, texts), limits)
        return sum(own.tokens_out for own in written), [own.text for own in written]

    def encode(texts: Sequence[str]) -> tuple[int, list[Any]]:
        return len(texts), engines.load_encoder(have).encode(texts).tolist()

    def read(texts: Sequence[str]) -> tuple[int, list[Any]]:
        passages = [ArticlePassage("", "", text) for text in texts]
        spans = engines.load_reader(have).find_spans(QUESTION, passages, 5)
        return len(texts), [(span.passage, span.text) for span in spans]

    def judge(texts: Sequence[str]) -> tuple[int, list[Any]]:
        pairs = [(text, STATEMENT) for text in texts]
        return len(texts), engines.load_entailer(have).score_entailments(pairs)

    runs = {"qd": write, "fid": fuse, "reader": read, "entailment": judge}
    return runs.get(case.role, encode)


STATEMENT = "An answer was accepted by the validator."
QUESTION = "Who decides which of two answers is accepted?"


def _plain_writer(case: Case, folder: Path) -> Run:
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    model.generation_config.forced_eos_token_id = None

    def join(rows: Sequence[Any]) -> dict[str, Any]:
        states = torch.cat([model.get_encoder()(**row).last_hidden_state for row in rows], dim=1)
        read = transformers.modeling_outputs.BaseModelOutput(states)
        return {"encoder_outputs": read, "attention_mask": torch.ones(states.shape[:2])}

    def write(texts: Sequence[str]) -> tuple[int, list[Any]]:
        count, outputs = 0, []
        for group in group_texts(case, texts):
            rows = [
                tokenizer(text, truncation=True, max_length=TOKENS_IN, return_tensors="pt")
                for text in group
            ]
            with torch.inference_mode():
                (out,) = model.generate(
                    **(join(rows) if case.together else rows[0]),
                    max_new_tokens=case.tokens_out, num_beams=case.beams,
                    do_sample=False, early_stopping=case.beams > 1,
                )  # fmt: skip
            count += len(out) - 1
            outputs.append(tokenizer.decode(out, skip_special_tokens=True).strip())
        return count, outputs

    return write


def _plain_reader(case: Case, folder: Path) -> Run:
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    answers, judges = case.role == "reader", case.role == "entailment"
    kind = transformers.AutoModelForQuestionAnswering if answers else transformers.AutoModel
    kind = transformers.AutoModelForSequenceClassification if judges else kind
    model = kind.from_pretrained(folder).eval()
    limit = 512 if answers or judges else 256  # as our engines have it

    def read(texts: Sequence[str]) -> tuple[int, list[Any]]:
        outputs: list[Any] = []
        for text in texts:
            given = (QUESTION, text) if answers else (text, STATEMENT) if judges else (text,)
            rows = tokenizer(*given, truncation=True, max_length=limit, return_tensors="pt")
            with torch.inference_mode():
                out = model(**rows)
            if answers:
                outputs.append((int(out.start_logits.argmax()), int(out.end_logits.argmax())))
                continue
            if judges:
                outputs.append(float(out.logits.softmax(-1)[0, 0]))
                continue
            mean = out.last_hidden_state[0].mean(0)
            outputs.append((mean / mean.norm()).tolist())
        return len(texts), outputs

    return read


def prepare(key: str, folder: str) -> None:
    """Make and convert the model of a case, unless that is done."""
    set_up(folder)
    from modeling import weights
    from modeling.engines.converting import convert_weights

    case = BY_KEY[key]
    model = folder_of(case, folder)
    if not model.exists():
        make(case.model, model)
    convert_weights(weights.get_weights(case.role, str(model), may_be_fast=False))


def run_way(key: str, way: str, folder: str) -> dict[str, Any]:
    """Run one way in this process."""
    set_up(folder)
    case = BY_KEY[key]
    texts = texts_of(case)
    run = runner(case, way, folder_of(case, folder))
    run(texts[:1])
    with taking() as taken:
        count, outputs = run(texts)
    return {
        "clock": taken.seconds / count,
        "processor": taken.processor / count,
        "count": count,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "outputs": outputs,
    }


def set_up(folder: str) -> None:
    """Let our engines work without a database."""
    from django.conf import settings

    settings.configure(AMBIT_DATA=Path(folder) / "data", MODELS={}, MODELS_ENGINE="fast")


def folder_of(case: Case, folder: str) -> Path:
    """Return where the weights are."""
    return minilm() if case.model == "minilm" else Path(folder) / case.model


# --- The table ----------------------------------------------------------------------------------


def likeness(case: Case, plain: list[Any], other: list[Any]) -> str:
    """Return how much two lists of outputs are the same."""
    if case.role == "passage-encoder":
        cosines = [
            sum(a * b for a, b in zip(*row, strict=True)) for row in zip(plain, other, strict=True)
        ]
        return f"cosine {statistics.fmean(cosines):.4f}, lowest {min(cosines):.4f}"
    if case.role == "entailment":
        apart = max(abs(a - b) for a, b in zip(plain, other, strict=True))
        return f"scores from {min(plain):.2f} to {max(plain):.2f}, {apart:.3f} apart at most"
    if not case.writes:
        return "–"  # spans of all passages together, which plain transformers does not give
    same = sum(a == b for a, b in zip(plain, other, strict=True))
    return f"{same} of {len(plain)} equal"


@dataclass
class Inference(Benchmark):
    """How fast, and in how much memory, do three ways run the same weights on this processor?"""

    rounds: int = option(3)
    only: tuple[str, ...] = option(tuple(BY_KEY), choices=tuple(BY_KEY))
    cores: int = option(len(os.sched_getaffinity(0)))

    def measure(self) -> Iterator[dict[str, Any]]:
        """Yield a line for each way to run each model."""
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: self.cores])
        with tempfile.TemporaryDirectory() as folder:
            for key in self.only:
                yield from self._measure_case(BY_KEY[key], folder)

    def _measure_case(self, case: Case, folder: str) -> Iterator[dict[str, Any]]:
        apart = partial(run_apart, TOKENIZERS_PARALLELISM="false")
        apart(prepare, case.key, folder)
        runs: dict[str, list[dict[str, Any]]] = take_turns(
            {way: partial(apart, run_way, case.key, way, folder) for way in WAYS}, self.rounds
        )
        counts = {run["count"] for every in runs.values() for run in every}
        assert len(counts) == 1, counts  # else one way wrote less
        plain = runs["plain"]
        for way, every in runs.items():
            clocks, processors = ([run[unit] for run in every] for unit in ("clock", "processor"))
            yield {
                "model": case.key,
                "way": way,
                f"{case.unit} a second": round(1 / statistics.median(clocks), 1),
                "ratio": round(ratio_of([run["clock"] for run in plain], clocks), 1),
                "processor ms each": round(1000 * statistics.median(processors), 1),
                "processor ratio": round(
                    ratio_of([run["processor"] for run in plain], processors), 1
                ),
                "peak MB": round(max(run["mb"] for run in every)),
                "outputs": likeness(case, plain[0]["outputs"], every[0]["outputs"]),
            }


if __name__ == "__main__":
    run_benchmark("inference")
