"""The browser of these tests itself: no test may wait for it for ever."""


def test_another_is_started_after_one_was_killed(chromium):
    chromium.running()
    chromium.kill()
    page = chromium.running().new_page()
    assert page.evaluate("1 + 1") == 2
    page.close()


def test_a_page_that_is_loading_anew_closes(page):
    """About one in eight never did, on a busy machine one in forty."""
    for number in range(16):
        other = page.context.new_page()
        other.goto("/healthz")
        other.evaluate("() => { setTimeout(() => location.reload(), 5); }")
        other.wait_for_timeout(number * 2)
        other.close()
    assert page.context.pages == [page]
