"""Every page of the product as (name, persona, how to get there); tests/browser/test_axe.py says
more. How to get there is a function of the world that gives an address, or one of (page, world)
that goes there.
"""

from tests.browser.pages import (
    administration,
    benchmarks,
    claims,
    consent,
    extended_set,
    health,
    lists,
    long_answers,
    natural_questions,
    participants,
    people,
    projects,
    qualifications,
    results,
    signing_in,
    studies,
    training,
    work,
)

PARTS = (
    *(signing_in, people, consent, work, long_answers, natural_questions),
    *(projects, qualifications, training),
    *(results, benchmarks, studies, claims, participants, health, extended_set),
    *(lists, administration),
)
PAGES = [row for part in PARTS for row in part.PAGES]
