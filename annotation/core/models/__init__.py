"""The rows that everything stands on, with their named constraints."""
