"""Keep secrets out of the log, so that reading it gives no access."""

import logging
import re

# Links that work for anyone who has them: invitations, and new passwords.
_SECRET_PATHS = re.compile(r"(/invitation/|/password/reset/key/)[^/\s\"']+")


class HideTokens(logging.Filter):
    """Cut the secret part of addresses out of every line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite messages that hold such an address; let every record through."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):
            return True  # the handler reports a line whose arguments do not fit
        hidden = _SECRET_PATHS.sub(r"\1…", message)
        if hidden != message:
            record.msg, record.args = hidden, ()
        return True
