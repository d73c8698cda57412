"""The browser of these tests itself: no test may wait for it for ever."""

import subprocess

import psutil


def test_another_is_started_after_one_was_killed(chromium):
    chromium.running()
    chromium.kill()
    page = chromium.running().new_page()
    assert page.evaluate("1 + 1") == 2
    page.close()


def test_a_process_that_ended_by_itself_keeps_nobody_from_another(chromium, monkeypatch):
    """Without its end being passed over, all later tests of the process met a dead browser."""
    ended = subprocess.Popen(["true"])
    gone, children = psutil.Process(ended.pid), psutil.Process.children
    ended.wait()
    monkeypatch.setattr(
        psutil.Process, "children", lambda self, recursive: [gone, *children(self, recursive)]
    )
    chromium.running()
    chromium.kill()
    assert chromium.running().is_connected()


def test_a_page_that_is_loading_anew_closes(page):
    """About one in eight never did, on a busy machine one in forty."""
    for number in range(16):
        other = page.context.new_page()
        other.goto("/healthz")
        other.evaluate("() => { setTimeout(() => location.reload(), 5); }")
        other.wait_for_timeout(number * 2)
        other.close()
    assert page.context.pages == [page]
