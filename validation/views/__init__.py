"""What a validator sees."""
