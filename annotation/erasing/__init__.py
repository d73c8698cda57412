"""Erasing a person: what says who they are goes, and what they made stays under the pseudonym."""
