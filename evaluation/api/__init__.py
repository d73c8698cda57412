"""The API of this floor."""
