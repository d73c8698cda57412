"""The work page of every stage in a browser: axe finds nothing, nothing scrolls sideways."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import allow_problem, check_page, sign_in
from tests.stages.scene import at_hand, make_scene, taken
from tests.stages.scene import pytest_generate_tests as pytest_generate_tests


def test_open_refused_and_submitted(page, stage, now):
    with at_hand(stage):
        check_pages(page, stage, now)


def check_pages(page, stage, now):
    allow_problem(page, "status of 422")
    scene = make_scene(stage, now)
    work = taken(scene.worker, scene.project, stage)
    sign_in(page, scene.worker)

    page.goto(work.url("page"))
    check_page(page)

    work.post("draft", scene.example.block(work.fields, "costermongers"))
    page.goto(work.url("page"))
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("There is a problem")).to_be_visible()
    check_page(page)

    work.open()
    work.post("draft", scene.example.write(work.fields, "costermongers"))
    page.goto(work.url("page"))
    page.get_by_role("button", name="Submit").click()
    expect(page).not_to_have_url(re.compile(work.url("page")))
    page.goto(work.url("page"))
    expect(page.get_by_text("costermongers").first).to_be_visible()
    check_page(page)
