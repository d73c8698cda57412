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
    monkeypatch.setattr(weights, "find", fakes.weights)
    for kind in ("generator", "fused", "reader", "classifier"):
        monkeypatch.setattr(engines, kind, fakes.engine)
    return fakes


@pytest.fixture
def tiny_weights(tiny_model, settings):
    """A tiny model for every role of readers and generators."""
    engines.forget()
    kinds = {"reader": "dpr-reader", "ambiguity": "classifier"}
    kinds |= dict.fromkeys(("span-seq-gen", "qd", "disambig-first"), "bart")
    kinds |= dict.fromkeys(("t5-closed", "t5-open", "oracle", "fid", "pig"), "t5")
    settings.MODELS = {role: str(tiny_model(kind)) for role, kind in kinds.items()}
    return settings.MODELS
