"""What the eye and the hand need of the work page: widths, lines, keys that are listed."""

import pytest
from playwright.sync_api import expect

from tests.browser.helpers import becomes, check_axe, sign_in

TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def width(page):
    return page.locator(".desk").bounding_box()["width"]


def test_the_answer_column_can_be_widened_in_every_way_and_stays_so(page, work):
    page.set_viewport_size({"width": 1440, "height": 900})
    edge = page.get_by_role("separator", name="Width of the answer column")
    before = width(page)
    edge.focus()
    page.keyboard.press("ArrowLeft")
    assert width(page) == before + 16
    page.keyboard.press("ArrowRight")
    assert width(page) == before
    box = edge.bounding_box()
    page.mouse.click(box["x"] + 5, 600)
    assert width(page) > before
    pressed, box = width(page), edge.bounding_box()
    page.mouse.move(box["x"] + 5, 600)
    page.mouse.down()
    page.mouse.move(box["x"] + 69, 600, steps=4)
    page.mouse.up()
    assert width(page) == pressed - 64
    page.mouse.move(box["x"] - 200, 600)  # let go: nothing follows the pointer any more
    assert width(page) == pressed - 64
    page.reload()
    becomes(page, lambda: width(page), pressed - 64)
    check_axe(page)
    page.keyboard.press("Tab")
    page.set_viewport_size({"width": 900, "height": 900})
    expect(edge).to_be_hidden()


@pytest.mark.parametrize("size", [1440, 1200, 900, 760, 390, 360, 320])
def test_the_kinds_of_answer_stand_on_one_line_or_below_each_other(page, work, size):
    page.set_viewport_size({"width": size, "height": 900})
    boxes = [label.bounding_box() for label in page.locator("#kind label").all()]
    tops, lefts = ({box[key] for box in boxes} for key in ("y", "x"))
    assert len(tops) == 1 or (len(tops) == 3 and len(lefts) == 1)


def test_keys_are_listed_only_where_they_act(page, work, world):
    page.keyboard.press("?")
    listed = page.locator("#keys")
    expect(listed).to_contain_text("Search Wikipedia")
    page.keyboard.press("Escape")
    expect(listed).to_be_hidden()
    world.people["annotator"].single_keys = False
    world.people["annotator"].save()
    page.reload()
    page.keyboard.press("?")
    expect(listed).to_be_hidden()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(listed).to_contain_text("Single keys are off")
    expect(listed).not_to_contain_text("Search Wikipedia")
    page.goto("/projects/")
    expect(page.get_by_role("button", name="Keyboard shortcuts")).to_have_count(0)


def test_on_a_phone_nothing_stops_below_the_prompt(new_page, work, world):
    page = new_page(viewport={"width": 390, "height": 700})
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{work.pk}/")
    page.locator("#answer-2").evaluate("field => field.scrollIntoView()")
    page.locator("#question-2").evaluate("field => field.scrollIntoView()")
    prompt, field = (page.locator(name).bounding_box() for name in (".masthead", "#question-2"))
    assert field["y"] >= prompt["y"] + prompt["height"]


def test_at_a_great_zoom_the_prompt_leaves_room(new_page, work, world):
    page = new_page(viewport={"width": 320, "height": 256})
    sign_in(page, world.people["annotator"])
    page.goto(f"/work/{work.pk}/")
    page.locator("#question-2").evaluate("field => field.scrollIntoView()")
    assert page.locator(".masthead").bounding_box()["y"] < -100


@pytest.mark.parametrize("size", [1440, 900, 390, 320])
def test_a_longer_word_about_saving_moves_nothing(page, work, size):
    page.set_viewport_size({"width": size, "height": 800})
    before = page.locator("[data-submit]").bounding_box()
    page.locator("#save-state span").evaluate(
        "word => { word.textContent = 'Offline, kept on this device'; }"
    )
    after = page.locator("[data-submit]").bounding_box()
    assert after["x"] == before["x"]
    assert abs(after["y"] - before["y"]) <= 10  # two short lines in the place of one


def test_a_long_form_leaves_its_cross_whole(page, work):
    page.fill("#answer-1", "one hundred and forty-three " * 6)
    page.press("#answer-1", "Enter")
    box = page.locator(".chip button").first.bounding_box()
    assert min(box["width"], box["height"]) >= 24


@pytest.mark.parametrize("size", [(1440, 900), (900, 520), (390, 844), (320, 400)])
def test_what_opens_lies_whole_on_the_screen(page, work, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for name in ("keys", "settings", "more", "skip", "park", "return"):
        page.evaluate("name => document.querySelector(`[popovertarget=${name}]`).click()", name)
        box = page.locator(f"#{name}").bounding_box()
        assert 0 <= box["x"] <= size[0] - box["width"], name
        assert 0 <= box["y"] <= size[1] - box["height"], name
        page.evaluate("name => document.getElementById(name).hidePopover()", name)


@pytest.mark.parametrize("size", [(1440, 900), (390, 700)])
def test_warnings_above_leave_the_field_where_it_is(page, work, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.fill("#question-1", "Where did another tunnel open in 2015")
    page.focus("#answer-1")
    before = page.locator("#answer-1").bounding_box()["y"]
    page.locator("#messages-question-1 .warning").first.wait_for()
    page.evaluate(TWO_FRAMES)  # the browser may move things in the next
    assert abs(page.locator("#answer-1").bounding_box()["y"] - before) <= 2
