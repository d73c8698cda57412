"""Say how far a model of transformers has come while it writes."""

from typing import Any

import torch
import transformers

from modeling import pace


class EveryStep(transformers.StoppingCriteria):  # type: ignore[misc]
    """Stops nothing, and says after each step that each of `texts` texts has a token more."""

    def __init__(self, texts: int) -> None:
        self._texts = texts

    def __call__(self, input_ids: torch.Tensor, scores: Any, **more: Any) -> torch.Tensor:
        pace.report_tokens(self._texts)
        return torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)
