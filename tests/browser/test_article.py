"""How an article looks: its pictures come, its tables do not break numbers."""

from playwright.sync_api import expect

from tests import archives
from tests.browser.helpers import allow_problem, sign_in
from tests.browser.test_reading import (  # noqa: F401 - fixtures
    demo_folder,
    give,
    open_result,
    search,
    work,
)
from tests.wikipedia.archives.zims import write_zim


def test_a_picture_that_was_refused_for_now_comes_later(work):  # noqa: F811
    refused = []

    def answer(route):
        if route.request.url in refused:
            return route.continue_()
        refused.append(route.request.url)
        return route.fulfill(status=503, headers={"Retry-After": "3"}, body="Many people read.")

    work.route("**/wikipedia/*/files/**", answer)
    allow_problem(work, "503")
    search(work, "thames tunnel")
    open_result(work, "Thames Tunnel")
    picture = work.locator(".article-text img").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("naturalWidth", 320, timeout=15_000)
    assert refused


CHRONOLOGY = (
    "<p>An album of 1972.</p><table class='infobox'><tr>"
    "<td>What I Say, <span>(1959)</span></td>"
    "<td>Through the Eyes of Love, <span>(1972)</span></td>"
    "<td>Jazz Number Two <span>(1973)</span></td></tr></table>"
    + "<p>It was recorded in one week and sold in all countries.</p>"
    * 8
)


def test_an_infobox_is_beside_the_lead_and_breaks_no_number(world, page, settings, tmp_path):
    archive = write_zim(tmp_path / "albums.zim", {"Album": ("Album", CHRONOLOGY)}, ())
    archives.index(tmp_path, archive, "albums")
    give(world, settings, tmp_path, archive, "albums")
    sign_in(page, world.people["annotator"])
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/work/{world.assignment.pk}/read/Album")
    years = page.locator(".infobox span")
    lines = years.evaluate_all("all => all.map((one) => one.getClientRects().length)")
    assert lines == [1, 1, 1]
    box, lead = (
        page.locator(which).first.bounding_box() for which in (".infobox", ".article-text p")
    )
    assert abs(box["y"] - lead["y"]) < 30  # no hole: the lead begins where the box does
    assert lead["x"] < box["x"]
