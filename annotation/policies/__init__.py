"""Permissions: `check_can_x` raises the sentence the person reads; `can_x` is for templates."""

from annotation.core.refusals import Conflict, Denied, allowed, roles_in

__all__ = ["Conflict", "Denied", "allowed", "roles_in"]
