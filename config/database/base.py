"""The connection of each thread."""

import select
import time

from django.db.backends.postgresql import base

IDLE_SECONDS = 60.0


class DatabaseWrapper(base.DatabaseWrapper):
    """Asks "SELECT 1" only where an answer is in doubt, not before the work of each request.

    A server that ends a connection says so, so something can be read from the socket. Only a
    connection that was cut without a word is silent: firewalls do that to idle ones.
    """

    health_check_enabled: bool
    health_check_done: bool
    looked_at = 0.0

    def connect(self) -> None:
        super().connect()
        self.looked_at = time.monotonic()

    def close_if_health_check_failed(self) -> None:
        """Close a connection that no longer stands; Django then opens another."""
        if self.connection is None or not self.health_check_enabled or self.health_check_done:
            return
        now = time.monotonic()
        was_idle, self.looked_at = now - self.looked_at > IDLE_SECONDS, now
        if was_idle or self._has_something_to_say():
            super().close_if_health_check_failed()
        else:
            self.health_check_done = True

    def _has_something_to_say(self) -> bool:
        poll = select.poll()
        try:
            poll.register(self.connection.fileno(), select.POLLIN)
        except self.Database.InterfaceError:
            return True  # closed on our side
        return bool(poll.poll(0))
