"""The demo's Wikipedia: made once, and again when this version cannot read its index."""

import json

from config.demo import SLUG, _snapshot
from wikipedia.index import FORMAT, POINTER
from wikipedia.providers import forget_providers
from wikipedia.providers.zim import index_dir
from wikipedia.queries import index_problem


def test_an_index_of_another_version_is_built_again(db, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path
    forget_providers()
    said = []
    snapshot = _snapshot(said.append)
    assert said == ["Building the demo Wikipedia", "Indexing the demo Wikipedia"]
    _snapshot(said.append)
    assert len(said) == 2
    pointer = index_dir(SLUG) / POINTER
    pointer.write_text(json.dumps(json.loads(pointer.read_text()) | {"format": FORMAT - 1}))
    assert "another version" in index_problem(snapshot)
    _snapshot(said.append)
    assert said[2:] == ["Indexing the demo Wikipedia"]
    assert index_problem(snapshot) is None
