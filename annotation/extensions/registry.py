"""The extensions of all apps, as one."""

from annotation import registration
from annotation.extensions.extension import Extension, check_names, combine_extensions

_extensions: list[Extension] = []
_all = Extension(key="all")


def register(extension: Extension) -> None:
    """Add what an app brings, once (`annotation.registration.EXTENSIONS`).

    Raises ValueError where the app, or the name of one of its parts, is there already.
    """
    if any(known.key == extension.key for known in _extensions):
        raise ValueError(f"The extension {extension.key} is registered already.")
    _use([*_extensions, extension])


def all_extensions() -> Extension:
    """Return the parts of all apps, in the order in which they were registered."""
    registration.EXTENSIONS.make()
    return _all


def _use(extensions: list[Extension]) -> None:
    global _all
    together = combine_extensions("all", extensions)
    check_names(together)
    _extensions[:], _all = extensions, together
