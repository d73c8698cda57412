"""Everything that writes on this floor."""
