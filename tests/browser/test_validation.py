"""The validation page in a real browser: by keyboard alone, on a phone, in two windows."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.models import Assignment, Event, Question
from annotation.reading import services as reading_services
from annotation.sheets.answers import AnswerForm
from annotation.sheets.fields import Keep
from annotation.work import assignments, tasks
from tests import archives, factories
from tests.browser.helpers import allow_problem, becomes, check_axe, check_reflow, sign_in
from validation.models import AcceptedAnswer, Decision, Verdict

PROMPT = "When did London Bridge open?"
RENNIE, PRESENT, ARIZONA = "1831", "1973", "1971"


def several(*pairs):
    return GenerationResponse(
        pairs=tuple(WrittenPair(q, tuple(map(AnswerForm, forms))) for q, *forms in pairs)
    )


def hand_in(project, who, response, now, quote=None):
    """Answer the next question; `quote` are words of the article about London Bridge."""
    turn = assignments.take_next(project=project, stage="generation", by=who, now=now)
    if quote:
        given = {"assignment": turn, "path": "London_Bridge", "by": who, "now": now}
        reading_services.open_page(via="link", search_event=None, rank=None, **given)
        made = reading_services.save_quote(
            exact=quote, prefix="", suffix="", start=None, made_by="selection", target="1", **given
        )
        first = response.pairs[0]
        answers = (replace(first.answers[0], quote=made.pk), *first.answers[1:])
        pairs = (replace(first, answers=answers), *response.pairs[1:])
        response = replace(response, pairs=pairs)
    else:
        Event.objects.create(
            assignment=turn, kind="page_open", at=now, data={"path": "A", "title": "London Bridge"}
        )
    report = factories.report_on(turn, response, now)
    keeps = [Keep(f.rule, f.field, "Sure") for f in report.findings if f.level == "warning"]
    return assignments.submit_response(
        assignment=turn, response=replace(response, keeps=tuple(keeps)), by=who, now=now
    )


def disagreement(world, quote=None):
    """A question on which two people disagree."""
    project, now = world.project, world.now
    project.policies.update(minimum_seconds=0)
    project.policies.create(stage="validation", split="dev", people=1, minimum_seconds=0)
    Question.objects.exclude(pk=world.question.pk).update(state="excluded")
    question = factories.make_question(project, text=PROMPT)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    world.waiting_task.seats = 0
    world.waiting_task.save()
    world.task.seats = 0
    world.task.save()
    people = [factories.make_member(project, "annotator", name=n) for n in ("Gia Gall", "Hal Hook")]
    hand_in(
        project,
        people[0],
        several(
            ("When did London Bridge open to carts?", RENNIE, "August 1831"),
            ("When did the present London Bridge open?", PRESENT),
        ),
        now,
        quote=quote,
    )
    hand_in(
        project,
        people[1],
        several(
            ("When did London Bridge first open?", "1 August 1831"),
            ("When did London Bridge open in its present form?", PRESENT, "17 March 1973"),
            ("When was London Bridge dedicated in Arizona?", ARIZONA),
        ),
        now,
    )
    return question


@pytest.fixture
def question(world):
    return disagreement(world)


@pytest.fixture
def turn(world, question):
    return taken(world)


def taken(world):
    return assignments.take_next(
        project=world.project, stage="validation", by=world.people["validator"], now=world.now
    )


def validator_turn(world):
    """The validator's turn at a disagreement, for the tests that walk all pages."""
    disagreement(world)
    return taken(world)


@pytest.fixture
def page(page, turn, world):
    sign_in(page, world.people["validator"])
    page.goto(f"/work/{turn.pk}/")
    return page


def item(page, form):
    """The row whose final set has this form."""
    return page.locator("#rows > [data-row]").filter(
        has=page.locator(f'input[name$="-answer"][value="{form}"]')
    )


def saved(page):
    expect(page.locator("#save-state")).to_contain_text("Saved")


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.value")


def press(page, key):
    """Press a single key, and wait until the server's answer is in place."""
    before = page.locator("#version").get_attribute("value")
    page.keyboard.press(key)
    expect(page.locator("#version")).not_to_have_attribute("value", before)
    expect(page.locator("#rows")).not_to_have_attribute("aria-busy", "true")


def go_to(page, key):
    """Go to an answer with j and k."""
    for step in "k" * 6 + "j" * 6:
        if focused(page) == f"select-{key}":
            return
        page.keyboard.press(step)
    raise AssertionError(f"never came to {key}")


def test_a_disagreement_is_validated_by_keyboard_alone(page, turn, question, world):
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the skip link leads to the answers
    rennie, other, arizona = (
        item(page, form).get_attribute("data-row") for form in (RENNIE, "1 August 1831", ARIZONA)
    )
    for key in (rennie, other):
        go_to(page, key)
        page.keyboard.press("Space")
    expect(page.locator("#selected")).to_have_text("2 selected")
    press(page, "c")
    expect(page.locator("#rows > [data-row]")).to_have_count(3)
    expect(page.locator(".toast")).to_contain_text("Combined")
    becomes(page, lambda: focused(page).startswith("cluster-"), True)
    expect(page.locator("#selected")).to_have_text("Tick answers to combine them")
    go_to(page, arizona)
    press(page, "x")
    expect(page.locator(f"#row-{arizona}-why")).to_be_focused()
    page.keyboard.type("It was not in London then")
    page.keyboard.press("Enter")
    saved(page)
    expect(page.locator("#preview")).to_contain_text("Ready to submit")
    for form in ("1831", "August 1831", "1 August 1831", "1973", "17 March 1973"):
        expect(page.locator("#preview")).to_contain_text(form)
    expect(page.locator("#preview")).not_to_contain_text(ARIZONA)
    page.keyboard.press("Control+Enter")
    expect(page).not_to_have_url(re.compile(f"/work/{turn.pk}/"))
    expect(page.locator("#messages")).to_contain_text("Submitted.")
    decision = Decision.objects.get(question=question)
    assert (decision.outcome, decision.change) == ("edited", "edit")
    [accepted] = decision.accepted.all()
    texts = sorted(a.text for pair in accepted.pairs.all() for a in pair.answers.all())
    assert texts == ["1 August 1831", "17 March 1973", "1831", "1973", "August 1831"]
    verdicts = dict(Verdict.objects.values_list("author__name", "correct"))
    assert verdicts == {"Gia Gall": True, "Hal Hook": False}
    assert "It was not in London then" in str(Assignment.objects.get(pk=turn.pk).draft)
    page.goto(f"/work/{turn.pk}/")
    expect(page.locator("main")).to_contain_text("What you decided")
    check_axe(page, label="decided")


def test_j_and_k_never_type_into_a_field(page):
    row = item(page, ARIZONA).get_attribute("data-row")
    go_to(page, row)
    press(page, "x")
    why = page.locator(f"#row-{row}-why")
    expect(why).to_be_visible()
    page.locator("#write-title").evaluate("(title) => { title.tabIndex = -1; title.focus(); }")
    places = set()
    for key in "kkkkkjjjjj":
        page.keyboard.press(key)
        places.add(page.evaluate("document.activeElement.closest('[data-row]')?.dataset.row ?? ''"))
        assert not page.evaluate("document.activeElement.matches('[type=text], .why input')")
    assert row in places
    assert len(places) == page.locator("#rows > [data-row]").count()
    expect(why).to_have_value("")


def test_the_underlined_step_is_the_one_on_show(page):
    steps = page.get_by_role("navigation", name="Steps")
    marked = steps.locator("[aria-current]")
    expect(marked).to_have_text("1 Answers and questions")
    steps.get_by_text("2 Result").click()
    expect(marked).to_have_text("2 Result")
    expect(page.locator("#preview")).to_be_in_viewport()
    page.locator("#answer").evaluate("(panel) => { panel.scrollTop = 0; }")
    expect(marked).to_have_text("1 Answers and questions")
    page.set_viewport_size({"width": 1440, "height": 3000})  # both are whole on this screen
    steps.get_by_text("2 Result").click()
    expect(marked).to_have_text("2 Result")
    steps.get_by_text("1 Answers").click()
    expect(marked).to_have_text("1 Answers and questions")


def test_undo_from_the_toast_and_from_the_button(page, turn):
    row = item(page, ARIZONA)
    row.locator("button[value^='exclude ']").click()
    expect(page.locator(".cluster.excluded")).to_have_count(1)
    page.click(".toast >> text=Undo")
    expect(page.locator(".cluster.excluded")).to_have_count(0)
    expect(page.locator("#tool-undo")).to_be_focused()
    item(page, PRESENT).locator("button[value^='separate ']").click()
    expect(page.locator("#rows > [data-row]")).to_have_count(5)
    expect(page.locator("#rows")).to_contain_text("Kept apart by you from")
    page.click("#tool-reset")
    expect(page.locator("#rows > [data-row]")).to_have_count(4)
    expect(page.locator(".toast")).to_contain_text("Started over")
    page.click("#tool-undo")
    expect(page.locator("#rows > [data-row]")).to_have_count(5)


def test_typing_goes_on_while_replies_come(page, turn):
    page.clock.install()
    key = item(page, ARIZONA).get_attribute("data-row")
    box = page.locator(f"#row-{key}-question-1")
    box.fill("")
    for word in ["When", "did", "London", "Bridge", "open", "again", "in", "Arizona?"]:
        page.keyboard.type(f"{word} ")
        with page.expect_response("**/draft/"):
            page.clock.run_for(900)
    expect(box).to_be_focused()
    assert box.input_value().strip() == "When did London Bridge open again in Arizona?"
    saved(page)
    expect(page.locator(f"#diff-row-{key}-question-1 ins")).to_contain_text("again in Arizona")
    expect(page.locator(f"#asks-{key}")).to_contain_text("Edited by you")
    page.click(f"#asks-{key} >> text=words")
    expect(page.locator(f"#row-{key}-question-1")).to_have_value(
        "When was London Bridge dedicated in Arizona?"
    )


def test_a_form_is_edited_in_place_and_keeps_its_origin(page, turn, question):
    """The form 1971 becomes in 1971; an undo takes it back, and a second try is submitted."""
    key = item(page, ARIZONA).get_attribute("data-row")
    chip = page.locator(f"#row-{key}-form-0")
    box = chip.bounding_box()
    expect(chip).to_have_value("1971")
    chip.fill("in 1971")
    assert chip.bounding_box()["width"] > box["width"]
    page.keyboard.press("Enter")
    saved(page)
    page.locator("#feedback").focus()
    expect(page.locator(f"#item-{key}")).to_contain_text("wrote “1971”")
    page.click("#tool-undo")
    expect(page.locator(f"#row-{key}-form-0")).to_have_value("1971")
    page.locator(f"#row-{key}-form-0").fill("in 1971")
    page.locator(f"#row-{key}-answer").fill("the year 1971")
    page.keyboard.press("Enter")
    saved(page)
    page.locator("#feedback").focus()
    expect(page.locator(f"#row-{key}-form-1")).to_have_value("the year 1971")
    for number in (1, 2):
        page.locator(f"#verdict-{number}-correct").check(force=True)
    expect(page.locator("#preview")).to_contain_text("in 1971 · the year 1971")
    expect(page.locator("#preview")).to_contain_text("Ready to submit")
    page.click("[data-submit]")
    expect(page).not_to_have_url(re.compile(f"/work/{turn.pk}/"))
    texts = {
        each.text: each
        for each in AcceptedAnswer.objects.filter(pair__accepted__decision__question=question)
    }
    assert (texts["in 1971"].source.text, texts["in 1971"].edited) == ("1971", True)
    assert texts["the year 1971"].source is None
    assert not texts["17 March 1973"].edited


def test_the_reasons_of_kept_warnings_are_read_where_they_belong(page, turn):
    row = item(page, ARIZONA)
    expect(row.locator(".cell .hint").first).to_contain_text("They kept the warning “Every answer")
    expect(row.locator(".cell .hint q").first).to_have_text("Sure")
    for name in ("Gia Gall", "Hal Hook"):
        expect(page.locator("body")).not_to_contain_text(name)


def test_the_reason_for_an_exclusion_reaches_its_author(page, turn, new_page):
    row = item(page, ARIZONA)
    key = row.get_attribute("data-row")
    row.locator("button[value^='exclude ']").click()
    page.fill(f"#row-{key}-why", "It was not in London then.")
    saved(page)
    page.click("[data-submit]")
    expect(page).not_to_have_url(re.compile(f"/work/{turn.pk}/"))
    own = Assignment.objects.get(user__name="Hal Hook")
    author = new_page()
    sign_in(author, own.user)
    author.goto(f"/submissions/{own.pk}/")
    expect(author.locator("main")).to_contain_text("The validator judged your annotation incorrect")
    pairs = author.get_by_role("region", name=re.compile(r"Pair \d"))
    reason = "Not accepted: “It was not in London then.”"
    expect(pairs.filter(has_text=ARIZONA)).to_contain_text(reason)
    expect(pairs.filter(has_text="Not accepted")).to_have_count(1)
    check_axe(author, label="reasons")


def test_buttons_to_exclude_say_what_they_exclude(page, turn):
    for name in ("Exclude question", "Exclude ticked answers x"):
        expect(page.get_by_role("button", name=name, exact=True).first).to_be_visible()
    expect(page.get_by_role("button", name="Exclude this answer: A", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Exclude", exact=True)).to_have_count(0)


def test_the_guidelines_open_at_the_edge(page, turn):
    page.click("[data-guidelines]:visible")
    panel = page.locator("#guidelines")
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box["x"] + box["width"] > page.viewport_size["width"] - 20


def test_the_last_question_stays(page, turn):
    row = item(page, PRESENT)
    boxes = row.locator("[data-keeps] input[type=checkbox]")
    boxes.nth(0).uncheck()
    boxes.nth(1).click()
    expect(boxes.nth(1)).to_be_checked()
    expect(page.locator(".toast.problem")).to_contain_text("At least one question must stay.")
    saved(page)
    row.locator("details.edit > summary").click()
    row.locator("textarea").first.press_sequentially(" now")  # no error: it has no diff of its own
    row.locator("textarea").last.fill("When did the newest London Bridge open?")
    page.locator("#feedback").focus()
    expect(item(page, PRESENT).locator("[data-keeps] input")).to_have_count(3)
    expect(item(page, PRESENT).locator("details.edit")).to_have_attribute("open", "")


def test_a_verdict_is_chosen_and_follows_again(page, turn):
    item(page, ARIZONA).locator("button[value^='exclude ']").click()
    first = page.locator("#verdict-1")
    expect(first).to_contain_text("Set automatically.")
    page.locator("#verdict-1-correct").check(force=True)
    assert "Set automatically" not in first.inner_text()  # said at once, before any reply
    expect(first).to_contain_text("Chosen by you.")
    expect(page.locator("#verdict-1-correct")).to_be_focused()
    expect(page.locator("#preview")).to_contain_text("As annotator 1 wrote it")
    page.get_by_role("button", name="Set automatically").click()
    expect(first).to_contain_text("Set automatically.")


def test_everything_that_is_missing_is_said_at_once(page, turn):
    allow_problem(page, "status of 422")
    page.keyboard.press("Control+Enter")
    summary = page.locator("#problems")
    expect(summary).to_be_focused()
    expect(summary.locator("li")).to_have_count(2)
    check_axe(page, label="problems")
    summary.locator("a").first.click()
    expect(page.locator("#verdict-1")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(summary.locator("li")).to_have_count(1)


def test_the_question_is_excluded(page, turn, question):
    page.get_by_role("button", name="Exclude question", exact=True).first.click()
    page.fill("#exclude-why", "Not a proper question")
    page.click("button[value=exclude-question]")
    expect(page.locator("#preview")).to_contain_text("from the data: “Not a proper question”")
    page.click("[data-submit]")
    expect(page.locator("#messages")).to_contain_text("Submitted.")
    assert Decision.objects.get(question=question).outcome == "excluded"


def test_text_of_this_device_is_put_back(page, turn):
    allow_problem(page, "ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    page.fill("#feedback", "Kept here.")
    expect(page.locator("#save-state")).to_contain_text("kept on this device")
    page.evaluate(
        "() => { window.fetch = XMLHttpRequest.prototype.send = () => new Promise(() => {}); }"
    )
    page.close()
    page = page.context.new_page()
    page.context.set_offline(False)
    page.goto(f"/work/{turn.pk}/")
    page.get_by_role("button", name="Put it back").click()
    expect(page.locator("#feedback")).to_have_value("Kept here.")


def test_two_windows_keep_mine_or_theirs(page, new_page, turn, world):
    allow_problem(page, "status of 409")
    other = new_page()
    sign_in(other, world.people["validator"])
    other.goto(f"/work/{turn.pk}/")
    item(other, ARIZONA).locator("button[value^='exclude ']").click()
    expect(other.locator(".cluster.excluded")).to_have_count(1)
    key = item(page, PRESENT).get_attribute("data-row")
    page.fill(f"#row-{key}-answer", "March 1973")
    conflict = page.locator("#conflict")
    expect(conflict).to_contain_text("in another window")
    conflict.locator("summary").click()
    expect(conflict).to_contain_text("excluded")
    check_axe(page, label="conflict")
    conflict.get_by_role("button", name="Keep this one").click()
    saved(page)
    expect(conflict).to_have_count(0)
    assert "March 1973" in str(Assignment.objects.get(pk=turn.pk).draft["rows"])
    page.reload()
    page.click("#tool-undo")
    expect(page.locator(".cluster.excluded")).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_and_narrow_screens(page, turn, theme):
    page.emulate_media(color_scheme=theme)
    item(page, ARIZONA).locator("button[value^='exclude ']").click()
    expect(page.locator(".cluster.excluded")).to_have_count(1)
    for details in page.locator("details").all():
        details.evaluate("(node) => { node.open = true; }")
    for width in (1440, 900, 390):
        page.set_viewport_size({"width": width, "height": 900})
        check_axe(page, label=f"{theme}, {width} px")
    check_reflow(page)


def test_on_a_phone(new_page, turn, world, question):
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    sign_in(page, world.people["validator"])
    page.goto(f"/work/{turn.pk}/")
    item(page, RENNIE).locator("[name=select]").tap()
    item(page, "1 August 1831").locator("[name=select]").tap()
    page.locator("#tool-combine").tap()
    expect(page.locator("#rows > [data-row]")).to_have_count(3)
    page.locator(".switcher a[href='#checks']").tap()
    expect(page.locator("#preview")).to_be_visible()
    expect(page.locator("#rows")).to_be_hidden()
    page.locator(".switcher a[href='#write']").tap()
    expect(page.locator("#rows")).to_be_visible()
    small = page.evaluate(
        """() => [...document.querySelectorAll("main :is(a, button, input, summary, textarea)")]
          .filter((node) => node.checkVisibility())
          .filter((node) => !node.closest("label, .segmented, .visually-hidden"))
          .map((node) => [node.outerHTML.slice(0, 90), node.getBoundingClientRect()])
          .filter(([, box]) => box.width && (box.height < 24 || box.width < 20))
          .map(([html, box]) => `${html} ${box.width}x${box.height}`)"""
    )
    assert not small, small
    page.locator("[data-submit]").tap()
    expect(page.locator("#messages")).to_contain_text("Submitted.")
    assert Decision.objects.get(question=question).outcome == "edited"


def test_a_quote_of_a_generator_is_one_click_away(new_page, world, settings, tmp_path_factory):
    """The article opens beside the answers, at the quoted words; search and find work there."""
    folder = tmp_path_factory.mktemp("demo")
    archives.make_demo(folder)
    settings.AMBIT_DATA = folder
    archives.forget_providers()
    type(world.snapshot).objects.filter(pk=world.snapshot.pk).update(
        name="demo", archive=str(folder / "demo.zim")
    )
    world.project.snapshot.refresh_from_db()
    disagreement(world, quote="opened it on 1 August 1831")
    turn = taken(world)
    page = new_page(viewport={"width": 1440, "height": 900})
    sign_in(page, world.people["validator"])
    page.goto(f"/work/{turn.pk}/")
    expect(page.locator("#read")).to_be_hidden()
    chip = item(page, RENNIE).locator("a[data-quote]")
    expect(chip).to_have_text("London Bridge, Rennie's bridge")
    chip.click()
    expect(page.locator("#article-title")).to_have_text("London Bridge")
    expect(page.locator("#announcer")).to_contain_text("Shown in the article: opened it on 1 Aug")
    shown = page.evaluate("[...(CSS.highlights.get('quote') ?? [])].map(String)")
    assert shown == ["opened it on 1 August 1831"]
    event = Event.objects.filter(assignment=turn, kind="page_open").get()
    assert event.data["via"] == "validator_chip"
    check_axe(page, label="article beside")
    page.get_by_role("button", name="Close the article").click()
    expect(page.locator("#read")).to_be_hidden()
    page.keyboard.press("/")
    page.locator("#query").fill("tower bridge")
    page.keyboard.press("Enter")
    page.locator("#results .result a").first.click()
    expect(page.locator("#article-title")).to_have_text("Tower Bridge")
    check_axe(page, label="after a search")
    page.reload()
    expect(page.locator("#article-title")).to_be_visible()
    archives.forget_providers()
