"""The protocols of this installation, put together from the parts of every app below."""

from annotation.protocols import registry as protocols
from config.protocols.ambigqa import AMBIGQA
from config.protocols.asqa import ASQA
from config.protocols.for_models import FOR_MODELS
from config.protocols.nq import NQ
from config.protocols.qampari import QAMPARI
from modeling import for_models


def register() -> None:
    """Register the protocols, in the order in which they are offered."""
    for protocol in (AMBIGQA, ASQA, NQ, QAMPARI):
        protocols.register(protocol)
        for_models.register(protocol.key, FOR_MODELS[protocol.key])
