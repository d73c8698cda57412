"""The three steps of Natural Questions."""

from tests import factories
from tests.browser.pages.steps import writes
from tests.stages.examples import EXAMPLES
from tests.stages.suggested import SUGGESTING, show
from tests.stages.window import Window


def at_step(place):
    """Return a function that finishes the steps before one, and goes to its page."""

    @writes
    def go(page, world):
        example = EXAMPLES["nq"]
        project = example.project()
        ann = world.people["annotator"]
        factories.make_member(project, "annotator", user=ann)
        example.ready(project, world.now)
        window = Window(ann, project, "nq").take()
        for fill in example.steps[:place]:
            window.post("step", fill(window.open().fields))
        page.goto(window.url("page"))
        name = ("question", "long", "short")[place]
        page.wait_for_function(f"() => document.documentElement.dataset.nq === '{name}'")

    return go


@writes
def with_suggestions(page, world):
    """A box of a model that was chosen, and another one to look at."""
    go = at_step(1)
    go(page, world)
    turn = world.people["annotator"].assignments.latest("pk")
    show(turn, *SUGGESTING["nq"].offers, now=world.now)
    page.reload()
    page.locator("[data-boxes] [data-box]").first.click()
    page.get_by_role("button", name="Choose this suggestion 1").click()
    page.get_by_text("as it was suggested").wait_for()


PAGES = [
    ("natural-questions-question", "annotator", at_step(0)),
    ("natural-questions-long", "annotator", at_step(1)),
    ("natural-questions-suggestions", "annotator", with_suggestions),
    ("natural-questions-short", "annotator", at_step(2)),
]
