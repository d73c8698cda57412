"""Text from people to values. Forms convert and explain; they never save."""
