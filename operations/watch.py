"""Looking at what may hang without waiting for it: the storage of files, the server of e-mail."""

from abc import ABC, abstractmethod
from threading import Lock, Thread
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.core.mail import get_connection

from annotation.uploads.storage import StorageDown

WAIT_SECONDS = 3.0
# Anyone may ask for /healthz, and a bucket costs money for each question.
KEPT_SECONDS = 10.0


class Watch(ABC):
    """Asks in a thread: never twice at once, and not again for some seconds."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.forget()

    @abstractmethod
    def find_subject(self) -> Any:
        """Return what is asked; another one is asked anew."""

    @abstractmethod
    def ask_subject(self, subject: Any) -> Any:
        """Ask it, however long that takes."""

    @property
    def kept_seconds(self) -> float:
        """How long an answer is kept."""
        return KEPT_SECONDS

    @abstractmethod
    def complain_of_silence(self) -> Exception:
        """Return what is raised where no answer comes in time."""

    def forget(self) -> None:
        """Ask anew the next time."""
        self.thread: Thread | None = None
        self.subject: Any = None
        self.asked_at = 0.0
        self.answer: Any = None
        self.problem: Exception | None = None

    def find_answer(self) -> Any:
        """Return the answer. Raises what asking raised, and where none comes in time."""
        with self.lock:
            thread = self._asking()
        thread.join(WAIT_SECONDS)
        if thread.is_alive():
            raise self.complain_of_silence()
        if self.problem is not None:
            raise self.problem
        return self.answer

    def _asking(self) -> Thread:
        """Return the thread that asks, or has asked a moment ago."""
        subject = self.find_subject()
        fresh = subject == self.subject and monotonic() - self.asked_at < self.kept_seconds
        if self.thread is None or not (fresh or self.thread.is_alive()):
            self.subject, self.asked_at = subject, monotonic()
            name = type(self).__name__.lower()
            self.thread = Thread(target=self._ask, args=[subject], name=name, daemon=True)
            self.thread.start()
        return self.thread

    def _ask(self, subject: Any) -> None:
        try:
            answer, problem = self.ask_subject(subject), None
        except Exception as error:  # whatever it is, it is told to whoever asked
            answer, problem = None, error
        self.answer, self.problem = answer, problem


class StorageWatch(Watch):
    """Asks the storage of uploads."""

    def find_subject(self) -> Any:
        return storages["default"]

    def ask_subject(self, subject: Any) -> int | None:
        free: int | None = subject.check_storage()
        return free

    def complain_of_silence(self) -> Exception:
        return StorageDown(f"no answer within {WAIT_SECONDS:g} s")

    def find_free_bytes(self) -> int | None:
        """Return how many bytes are free, None where that has no limit.

        Raises StorageDown if it does not answer in time, and whatever it raises.
        """
        free: int | None = self.find_answer()
        return free


class MailWatch(Watch):
    """Signs in at the server of e-mail, as if to send one, and sends none."""

    @property
    def kept_seconds(self) -> float:
        return 60.0  # a server may count those who come and go

    def find_subject(self) -> str:
        return str(settings.EMAIL_URL)

    def ask_subject(self, subject: str) -> None:
        server = get_connection(timeout=WAIT_SECONDS)
        server.open()
        server.close()

    def complain_of_silence(self) -> Exception:
        return TimeoutError(f"no answer within {WAIT_SECONDS:g} s")


watch = StorageWatch()
mail_watch = MailWatch()
