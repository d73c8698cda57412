"""May they, now? `check_can_x` raises the sentence the person reads; `can_x` is for templates."""


class Denied(Exception):
    """Somebody may not do this now. The text is the sentence they read."""

    status = 403


class Conflict(Denied):
    """What was asked for no longer fits what is there (409)."""

    status = 409
