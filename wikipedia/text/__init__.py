"""Words as plain strings: compared, measured and cut into passages.

Pure functions: nothing here may import Django or another room.
"""
