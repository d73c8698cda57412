import pytest

from tests import archives, factories


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    archives.make_demo(folder)
    return folder


@pytest.fixture
def snapshot(db, settings, demo_folder):
    return archives.use(settings, demo_folder, demo_folder / "demo.zim", "demo")


@pytest.fixture
def project(snapshot):
    return factories.make_project(snapshot=snapshot)


@pytest.fixture
def assignment(project, ann):
    return factories.make_assignment(factories.make_task(project), ann)


@pytest.fixture
def others(project, ben):
    """Ben's turn at another question."""
    return factories.make_assignment(factories.make_task(project), ben)
