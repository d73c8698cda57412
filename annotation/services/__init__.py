"""Everything that writes: keyword-only, atomic, `by=`, `now=`, the audit row in the same block."""
