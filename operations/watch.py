"""Looking at the storage of files without waiting for it: a mount may hang, a bucket be slow."""

from threading import Lock, Thread
from time import monotonic
from typing import Any

from django.core.files.storage import storages

from annotation.uploads.storage import StorageDown

WAIT_SECONDS = 3.0
# Anyone may ask for /healthz, and a bucket costs money for each question.
KEPT_SECONDS = 10.0


class Watch:
    """Asks the storage in a thread: never twice at once, and not again for some seconds."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.forget()

    def forget(self) -> None:
        """Ask anew the next time."""
        self.thread: Thread | None = None
        self.storage: Any = None
        self.asked_at = 0.0
        self.free: int | None = None
        self.problem: Exception | None = None

    def find_free_bytes(self) -> int | None:
        """Return how many bytes are free, None where that has no limit.

        Raises StorageDown if it does not answer in time, and whatever it raises.
        """
        with self.lock:
            thread = self._asking()
        thread.join(WAIT_SECONDS)
        if thread.is_alive():
            raise StorageDown(f"no answer within {WAIT_SECONDS:g} s")
        if self.problem is not None:
            raise self.problem
        return self.free

    def _asking(self) -> Thread:
        """Return the thread that asks, or has asked a moment ago."""
        storage = storages["default"]
        fresh = storage is self.storage and monotonic() - self.asked_at < KEPT_SECONDS
        if self.thread is None or not (fresh or self.thread.is_alive()):
            self.storage, self.asked_at = storage, monotonic()
            self.thread = Thread(target=self._ask, args=[storage], name="storage", daemon=True)
            self.thread.start()
        return self.thread

    def _ask(self, storage: Any) -> None:
        try:
            free, problem = storage.check_storage(), None
        except Exception as error:  # whatever it is, it is told to whoever asked
            free, problem = None, error
        self.free, self.problem = free, problem


watch = Watch()
