import pytest

from modeling import llm
from tests.modeling import chat as fake

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
