"""My work: what is in hand and ready for a person, and what waits for staff."""
