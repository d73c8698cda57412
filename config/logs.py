"""What is written into the log never lets its reader in."""

import logging
import re

# Links that work for whoever holds them: invitations, and new passwords.
_SECRET_PATHS = re.compile(r"(/invitation/|/password/reset/key/)[^/\s\"']+")


class HideTokens(logging.Filter):
    """Cut the secret part of addresses out of every line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the message where it holds such an address; let every record through."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):
            return True  # the handler reports a line whose arguments do not fit
        hidden = _SECRET_PATHS.sub(r"\1…", message)
        if hidden != message:
            record.msg, record.args = hidden, ()
        return True
