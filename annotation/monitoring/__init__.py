"""How each person’s writing goes, for the team to give feedback. No one is ranked."""
