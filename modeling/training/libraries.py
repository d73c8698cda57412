"""Whether the packages that train models are installed. Loads none of them."""

from importlib.util import find_spec

from modeling.base import MissingModel
from modeling.weights import INSTALL, check_libraries


def check_training_libraries() -> None:
    """Raise MissingModel where a package that every training needs is not installed."""
    check_libraries()
    if find_spec("accelerate") is None:
        raise MissingModel(f"accelerate is not installed here. {INSTALL}")


def find_missing_library() -> str:
    """Return what is missing here to train anything, "" where nothing is."""
    try:
        check_training_libraries()
    except MissingModel as problem:
        return str(problem)
    return ""
