"""People. What they may do in a project is a Membership, which lives beside Project (ADR 0002)."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import F, Func, Value
from django.db.models.functions import Lower
from django.db.models.lookups import Exact


class UserManager(BaseUserManager["User"]):
    """Make people by e-mail address."""

    use_in_migrations = True

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a person; without a password no one can sign in as them."""
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a person with every right, for the Django admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """One person, known by e-mail address. `key` is what pseudonyms are made from."""

    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    email = models.EmailField("e-mail address", unique=True)
    name = models.CharField(max_length=150)
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    single_keys = models.BooleanField(
        "single-key shortcuts", default=True, help_text="WCAG 2.1.4: can be switched off."
    )
    news_read_at = models.DateTimeField(
        null=True, editable=False, help_text="Up to when the news on home have been seen."
    )
    keys = models.JSONField(
        default=dict, blank=True, help_text="Shortcuts on other keys; see accounts.shortcuts."
    )

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]
    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_unique_any_case"),
            models.CheckConstraint(
                condition=Exact(
                    Func(F("keys"), function="jsonb_typeof", output_field=models.TextField()),
                    Value("object"),
                ),
                name="user_keys_object",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name.split(" ")[0]

    @property
    def initials(self) -> str:
        """One or two letters for the avatar."""
        words = (self.name or self.email).split()
        return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


class Session(AbstractBaseSession):
    """Someone's browser. `user` is in `session_data`, too; here a statement can join it."""

    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
