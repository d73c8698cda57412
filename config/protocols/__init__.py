"""The protocols of this installation, put together from the parts of every app below."""

from annotation.protocols import registry as protocols
from config.protocols.ambigqa import AMBIGQA
from config.protocols.asqa import ASQA
from config.protocols.nq import NQ
from config.protocols.qampari import QAMPARI


def register() -> None:
    """Register the protocols, in the order in which they are offered."""
    for protocol in (AMBIGQA, ASQA, NQ, QAMPARI):
        protocols.register(protocol)
