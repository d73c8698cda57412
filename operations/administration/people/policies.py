"""What may be done to an account. Only administrators of the installation come here."""

from accounts.models import User
from annotation.core.refusals import Conflict, Denied
from annotation.people.admins import check_stays_administered


def check_administers(by: User) -> None:
    """Refuse anyone but administrators of the installation."""
    if not by.is_superuser:
        raise Denied("Only administrators of this installation can do this.")


def check_has_account(user: User) -> None:
    """Refuse people who have no way to sign in that could be changed."""
    if user.erased_at:
        raise Conflict("This person was erased, so there is no account to change.")
    if user.is_participant:
        raise Conflict("Participants come by a link of their platform and have no account.")


def check_can_be_let_in(user: User) -> None:
    """Refuse a link for a new password where it would not open anything."""
    check_has_account(user)
    if not user.is_active:
        raise Conflict("This account is deactivated. Activate it first.")


def check_can_deactivate(by: User, user: User) -> None:
    """Refuse to switch off one's own account, and the last administrator's."""
    check_administers(by)
    check_has_account(user)
    if by.pk == user.pk:
        raise Conflict("You cannot deactivate yourself. Ask another administrator to do it.")
    check_stays_administered(user)


def check_can_take_administration(by: User, user: User) -> None:
    """Refuse to take the installation's last administrator away."""
    check_administers(by)
    if not user.is_superuser:
        raise Conflict(f"{user} is not an administrator.")
    check_stays_administered(user)
