"""The addresses of the installation: health and Wikipedia."""

from tests.access.expected import HIDDEN, MEMBERS, OK, PUBLIC, Row, answers, but, everybody

ROWS = {
    # No worker shows a sign of life, which is what healthz is for.
    "healthz": Row(get=everybody(503), post=everybody(405)),
    "livez": Row(get=PUBLIC, post=everybody(405)),
    "readyz": Row(get=PUBLIC, post=everybody(405)),
    "metrics": Row(get=PUBLIC, post=everybody(405)),  # asked from this machine
    # --- Wikipedia -----------------------------------------------------------------------------
    "wikipedia:snapshot-list": Row(get=but(HIDDEN, researcher=OK, admin=OK, staff=OK)),
    # One snapshot serves many projects: for the people of any of them.
    "wikipedia:asset": Row(
        lambda w: [w.snapshot.name, "I/a.png"], get=answers(but(MEMBERS, staff=OK), 503)
    ),
}
