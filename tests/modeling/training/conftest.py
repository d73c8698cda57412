import pytest
from django.utils import timezone

from annotation.imports.services import import_questions
from modeling import engines, weights
from modeling.training import publishing, runs
from tests import factories
from tests.modeling import tiny
from tests.modeling.training import learning
from tests.validation.release.conftest import ambignq, pairs, record, single

# How many steps until a tiny model has learnt the eight questions by heart.
STEPS = {
    **{"span-seq-gen": 150, "qd": 280, "reader": 200, "reranker": 200, "fid": 120, "pig": 120},
    **{"nq-reader": 60, "decatt": 60, "doc-reader": 30, "document-qa": 60},
}

BOTH = pairs(("When to walkers?", "1843"), ("When to trains?", "1869"))


@pytest.fixture
def project(tmp_path, settings):
    """A project with twenty finished questions on train, and others on dev."""
    settings.AMBIT_DATA, settings.MODELS_ENGINE = tmp_path / "data", "reference"
    project = factories.make_project(slug="crossings")
    for split, first in (("train", 0), ("dev", 100)):
        records = [record(first + n, BOTH if n % 2 else single("1843")) for n in range(20)]
        options = {"format": "ambignq", "split": split, "finished": True, "by": None}
        import_questions(project=project, file=ambignq(*records), **options, now=timezone.now())
    engines.unload_engines()
    yield project
    engines.unload_engines()


@pytest.fixture(scope="session")
def plain_model(tmp_path_factory):
    """From a kind to the folder of such a model before any training, built when first wanted."""
    folder = tmp_path_factory.mktemp("plain")

    def wanted(kind):
        if not (folder / kind).exists():
            (folder / kind).mkdir()
            tiny.build_plain(kind, folder / kind)
        return folder / kind

    return wanted


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def base(plain_model, settings, data_folder):
    """From a role to the weights that its training begins with."""
    settings.AMBIT_DATA, settings.MODELS_ENGINE = data_folder, "reference"

    def wanted(role, kind=""):
        folder = plain_model(kind or learning.BASES[role])
        return weights.get_weights(_known(role), str(folder), may_be_fast=False)

    return wanted


@pytest.fixture
def trained(base, data_folder, monkeypatch):
    """From a role to the name of weights that have learnt the eight questions, and their figures.

    They are trained when first wanted, and shared by the tests of the session.
    """
    engines.unload_engines()
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)

    def wanted(role, kind=""):
        key = f"{role}-{kind}".strip("-")
        folder = data_folder / "runs" / key
        steps = STEPS.get(role, 80)
        result = runs.train_model(
            folder,
            learning.recipe_of(role),
            train=learning.examples_of(role),
            dev=learning.examples_of(role),
            base=base(role, kind),
            seed=0,
            max_steps=steps,
            looks=steps,
            device="cpu",
        )
        if not weights.trained_folder(key).exists():
            publishing.publish_model(folder, key)
        return f"trained:{key}", result.figures

    yield wanted
    engines.unload_engines()


def _known(role):
    return "passage-encoder" if role == "encoder" else role
