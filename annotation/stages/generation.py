"""Stage one of AmbigQA: write every plausible answer, each with its question."""


class Generation:
    """Generation (A1-A35)."""

    key = "generation"
    label = "Generation"
    protocol = "ambigqa"
