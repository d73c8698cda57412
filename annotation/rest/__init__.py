"""What every address of the API shares: members only, refusals as JSON, pages by cursor, summaries.

Views are in the rooms that they are about.
"""
