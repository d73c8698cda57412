import logging
import shutil
from dataclasses import replace

import pytest

from modeling import engines, llm, weights
from tests.modeling import chat as fake
from tests.modeling import tiny
from tests.modeling.fake_engines import Engines

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def chat(settings):
    """A language model on loopback, which the settings name."""
    with fake.running() as running:
        settings.LLM_URL, settings.LLM_KEY = running.url, KEY
        settings.LLM_MODEL, settings.LLM_SECONDS = "tiny-1", 5
        settings.LLM_PRICE_IN = settings.LLM_PRICE_OUT = None
        yield running


@pytest.fixture
def naps(monkeypatch):
    """Pauses between attempts pass at once and are noted."""
    slept = []
    monkeypatch.setattr(llm, "pause", slept.append)
    return slept


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """From a kind of tests.modeling.tiny to the folder of such a model, built when first wanted.

    Tests that use it belong to the group "models" of xdist, so that one process builds and loads.
    """
    folder = tmp_path_factory.mktemp("models")

    def wanted(kind):
        model = folder / kind
        if not model.exists():
            model.mkdir()
            tiny.build(kind, model)
        return model

    return wanted


@pytest.fixture
def models(monkeypatch):
    """Engines that need no weights, and weights that are nowhere."""
    fakes = Engines()
    monkeypatch.setattr(weights, "get_weights", fakes.weights)
    kinds = (
        "generator",
        "fused_generator",
        "reader",
        "page_reader",
        "box_scorer",
        "short_reader",
        "stretch_reader",
        "classifier",
        "language_model",
    )
    for kind in kinds:
        monkeypatch.setattr(engines, f"load_{kind}", fakes.engine)
    return fakes


@pytest.fixture
def warnings_of_transformers():
    """What transformers warns of, which people who run a baseline read on their screen.

    Models are loaded anew: a tokenizer warns once of what is too long.
    """
    engines.unload_engines()
    said = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())
    logger = logging.getLogger("transformers")
    logger.addHandler(handler)
    yield said
    logger.removeHandler(handler)


@pytest.fixture(scope="session")
def talkative(tiny_model, tmp_path_factory):
    """The folders of a tiny BART and a tiny T5 that write until they are stopped."""
    import torch
    from transformers import AutoModelForSeq2SeqLM

    folders = {kind: tmp_path_factory.mktemp("talkative") / kind for kind in ("bart", "t5")}
    for kind, folder in folders.items():
        shutil.copytree(tiny_model(kind), folder)
        model = AutoModelForSeq2SeqLM.from_pretrained(folder)
        end = model.config.eos_token_id
        with torch.no_grad():
            if kind == "bart":
                model.final_logits_bias[0, end] = -100.0
            else:
                model.shared.weight[end] = 0.0
        model.save_pretrained(folder)
    return folders


@pytest.fixture
def tiny_weights(tiny_model, talkative, settings, monkeypatch):
    """A tiny model for every role of readers and generators, which write a few words."""
    from modeling.baselines import bart, lists, questions, t5

    for module, name in (
        (bart, "_ANSWERS"), (bart, "_QUESTIONS"), (questions, "_LIMITS"), (lists, "_LIST"),
        (lists, "_ONE"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, replace(getattr(module, name), tokens_out=12))
    monkeypatch.setattr(t5, "_TOKENS_OUT", 12)
    engines.unload_engines()
    kinds = {"reader": "dpr-reader", "ambiguity": "classifier"}
    roles = {role: tiny_model(kind) for role, kind in kinds.items()}
    roles |= dict.fromkeys(("span-seq-gen", "qd", "disambig-first"), talkative["bart"])
    roles |= dict.fromkeys(("t5-closed", "t5-open", "oracle", "fid", "pig"), talkative["t5"])
    settings.MODELS = {role: str(folder) for role, folder in roles.items()}
    yield settings.MODELS
    engines.unload_engines()
