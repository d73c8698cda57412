"""How every part of the installation is, with what administrators may know of it."""
