"""Work, concerns, submissions and claims."""

from tests import factories
from tests.access.expected import (
    MANAGERS,
    MEMBERS,
    OWNER,
    PUBLIC,
    REASON,
    SIGNED_IN,
    Row,
    answers,
    but,
    claim,
    faq,
    long_work,
    slug,
    thread,
    work,
)

ROWS = {
    # --- work ----------------------------------------------------------------------------------
    "home": Row(get=PUBLIC),
    "news-read": Row(post=answers(SIGNED_IN, 302)),
    "project-start": Row(slug, get=MEMBERS),
    "work-next": Row(
        lambda w: [w.slug, "generation"],
        post=but(MANAGERS, annotator=302, researcher=403, admin=403),
    ),
    "next-page-script": Row(get=SIGNED_IN),
    "work-page": Row(work, get=OWNER),
    "work-guidelines": Row(work, get=OWNER),
    "work-draft": Row(work, post=but(OWNER, annotator=302), data={"version": "0"}),
    "work-step": Row(work, post=but(OWNER, annotator=404), data={"version": "0"}),
    "work-submit": Row(work, post=but(OWNER, annotator=422), data={"version": "0"}),
    "work-park": Row(work, post=but(OWNER, annotator=302), data={"reason": "Which town?"}),
    "work-skip": Row(work, post=but(OWNER, annotator=302), data={"reason": "subjective"}),
    "work-extend": Row(work, post=but(OWNER, annotator=302)),
    "work-resume": Row(work, post=but(OWNER, annotator=302)),
    # The work is in hand: there is nothing to change yet.
    "work-change": Row(work, post=but(OWNER, annotator=409)),
    "work-change-leave": Row(work, post=but(OWNER, annotator=302)),
    "work-return": Row(work, post=but(OWNER, annotator=302)),
    "work-touch": Row(work, post=OWNER),
    # Fragments: without htmx they lead to the work page.
    "work-search": Row(work, get=but(OWNER, annotator=302)),
    "work-read": Row(lambda w: [w.assignment.pk, "Bridge"], get=but(OWNER, annotator=302)),
    "work-events": Row(work, post=but(OWNER, annotator=400), data={}),
    "work-quotes": Row(work, post=but(OWNER, annotator=422), data={}),
    "work-faq": Row(work, get=OWNER),
    "feedback-read": Row(work, post=but(OWNER, annotator=204)),
    "project-contexts": Row(
        lambda w: [w.long.slug],
        get=MANAGERS,
        post=answers(MANAGERS, 302),
        data={"threshold": "0.2"},
    ),
    "contexts-search": Row(lambda w: [w.long.slug], post=answers(MANAGERS, 302)),
    # --- concerns about the disambiguations of long-answer questions
    # ----------------------------------
    "work-concern": Row(long_work, get=OWNER, post=but(OWNER, annotator=302), data=REASON),
    "work-concern-withdraw": Row(long_work, post=but(OWNER, annotator=302)),
    "work-concern-read": Row(long_work, post=but(OWNER, annotator=302)),
    "concern-list": Row(lambda w: [w.long.slug], get=MANAGERS),
    "concern-raise": Row(
        lambda w: [w.long.slug, w.long.waiting_question.pk],
        post=answers(MANAGERS, 302),
        data=REASON,
    ),
    "concern-decide": Row(
        lambda w: [w.long.slug, w.long.concern.pk],
        post=answers(MANAGERS, 302),
        data={"state": "upheld", "note": "It is so."},
    ),
    # The concern of the researcher waits: there is nothing to undo, and nobody else withdraws it.
    "concern-reopen": Row(
        lambda w: [w.long.slug, w.long.team_concern.pk],
        post=but(answers(MANAGERS, 302), researcher=403),
    ),
    "concern-withdraw": Row(
        lambda w: [w.long.slug, w.long.team_concern.pk],
        post=but(answers(MANAGERS, 302), admin=403),
    ),
    # --- submissions, claims, feedback, FAQ ----------------------------------------------------
    "submission-list": Row(get=SIGNED_IN),
    "submission-view": Row(work, get=OWNER),
    "submission-page": Row(
        lambda w: [w.assignment.pk, factories.make_visit(w.assignment).pk], get=OWNER
    ),
    "submission-quote": Row(
        lambda w: [w.assignment.pk, factories.make_own_quote(w.assignment).pk], get=OWNER
    ),
    "thread-open": Row(
        work, post=but(OWNER, annotator=302), data={"kind": "question", "text": "Why?"}
    ),
    "thread-write": Row(thread, post=but(OWNER, annotator=302), data={"text": "And 1869."}),
    "thread-withdraw": Row(thread, post=but(OWNER, annotator=302)),
    "thread-read": Row(thread, post=but(OWNER, annotator=204)),
    "claim-list": Row(slug, get=MANAGERS),
    "claim-view": Row(claim, get=MANAGERS),
    "claim-answer": Row(claim, post=answers(MANAGERS, 302), data={"text": "We look."}),
    "claim-uphold": Row(claim, post=answers(MANAGERS, 302), data={"reason": "It was so."}),
    # The question of tests.world is not decided: there is nothing to change yet.
    "claim-change": Row(
        claim,
        get=answers(MANAGERS, 409),
        post=answers(MANAGERS, 409),
        data={"exclude": "yes", "reason": "So."},
    ),
    "ruling-undo": Row(lambda w: [*claim(w), w.ruling.pk], post=answers(MANAGERS, 302)),
    "claim-reopen": Row(claim, post=answers(MANAGERS, 302)),
    "claim-to-faq": Row(claim, post=answers(MANAGERS, 302)),
    "claim-read": Row(claim, post=answers(MANAGERS, 204)),
    # The assignment of tests.world is not submitted.
    "feedback-give": Row(
        lambda w: [w.slug, w.assignment.pk], post=answers(MANAGERS, 409), data={"tag": "good"}
    ),
    "feedback-take-back": Row(lambda w: [w.slug, w.feedback.pk], post=answers(MANAGERS, 409)),
    "project-faq": Row(
        slug,
        get=MEMBERS,
        post=answers(MANAGERS, 302),
        data={"question": "Why?", "answer": "So."},
    ),
    "faq-change": Row(
        faq, get=MANAGERS, post=answers(MANAGERS, 302), data={"question": "Q?", "answer": "A."}
    ),
    "faq-move": Row(faq, post=answers(MANAGERS, 302), data={"direction": "up"}),
    "faq-remove": Row(faq, post=answers(MANAGERS, 302)),
    "visit-view": Row(lambda w: [w.slug, factories.make_visit(w.assignment).pk], get=MANAGERS),
}
