"""From a question with its own page to what is learnt from it. Pure but for opening the page."""

from modeling.page_texts import read_page_text
from modeling.training.examples import PageExample
from modeling.training.reasons import NO_PAGE
from modeling.training.values import Labelled


def build_page_example(labelled: Labelled) -> PageExample | str:
    """Return the page of a question with what its annotators accepted, or why there is none.

    A question whose annotators found nothing is an example too: a model has to learn to be silent,
    and the official scorer counts it.
    """
    if labelled.open_page is None or not labelled.answers_on_page:
        return NO_PAGE
    return PageExample(
        labelled.asked.id,
        labelled.asked.question,
        read_page_text(labelled.open_page()),
        labelled.answers_on_page,
    )
