"""What the benchmark of passages reads of a build that goes on beside it."""

import os
import shutil

from benchmarks.passages import size


def test_a_folder_that_goes_while_it_is_measured_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "scratch" / "redirects").mkdir(parents=True)
    (tmp_path / "index").write_bytes(b"12345")
    scan = os.scandir

    def remove_first(folder):
        if str(folder).endswith("scratch"):
            shutil.rmtree(folder)
        return scan(folder)

    monkeypatch.setattr(os, "scandir", remove_first)
    assert size(tmp_path) == 5
