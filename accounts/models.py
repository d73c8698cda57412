"""People. What they may do in a project is a Membership, which lives beside Project (ADR 0002)."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Lower
from django.db.models.lookups import Exact

# The host in the addresses of people who were erased; no e-mail ever leaves for it (RFC 2606).
NOWHERE = "erased.invalid"


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
    erased_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When name and address were erased. The work stays, under the pseudonym.",
    )
    is_participant = models.BooleanField(
        "participant",
        default=False,
        db_default=False,
        help_text="Came by a link of a crowd platform: has no address and no password.",
    )

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]
    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_unique_any_case"),
            # People are found by their address in lower case.
            models.CheckConstraint(condition=Q(email=Lower("email")), name="user_email_lower_case"),
            models.CheckConstraint(
                condition=Exact(
                    Func(F("keys"), function="jsonb_typeof", output_field=models.TextField()),
                    Value("object"),
                ),
                name="user_keys_object",
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True)
                | Q(
                    is_active=False,
                    is_staff=False,
                    is_superuser=False,
                    last_login__isnull=True,
                    email__endswith=f"@{NOWHERE}",
                ),
                name="user_erased_is_nobody",
            ),
            # Django marks a password that no one can sign in with by a first "!".
            models.CheckConstraint(
                condition=Q(is_participant=False)
                | Q(password__startswith="!", is_staff=False, is_superuser=False),  # noqa: S106
                name="user_participant_signs_in_by_link",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    def clean(self) -> None:
        """Write the address in lower case, as addresses are compared."""
        super().clean()
        self.email = self.email.lower()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the person, and close the ways in that a new password or address ends."""
        if not self._state.adding:
            fields = kwargs.get("update_fields")
            # First: should the rest fail, no token has outlived a password.
            if fields is None or "password" in fields:
                self._end_tokens()
            if fields is None or "email" in fields:
                self._forget_former_addresses()
        super().save(*args, **kwargs)

    def _end_tokens(self) -> None:
        """End the API tokens if the password was changed or switched off, as sessions end.

        Whoever changes it because it leaked wants every way in closed, however it is changed.
        """
        from knox.models import AuthToken  # which is about this model

        tokens = AuthToken.objects.filter(user=self)
        # Django's own note that a password was set and is not stored yet.
        if self._password is not None:  # type: ignore[attr-defined]
            tokens.delete()
        elif not self.has_usable_password():
            tokens.exclude(user__password__startswith="!").delete()  # noqa: S106

    def _forget_former_addresses(self) -> None:
        """Delete the addresses that allauth wrote down, which would still open the account."""
        from allauth.account.models import EmailAddress  # which is about this model

        EmailAddress.objects.filter(user=self).exclude(email=self.email).delete()

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
