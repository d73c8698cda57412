"""SQL of labelling."""

# Conditions on task `t` for the person `{user}`: they have read as an item what is accepted for its
# question, or what systems answered. Readers by label_reader_once.
HAS_READ_AS_ITEM = """EXISTS (
        SELECT 1 FROM evaluation_labelreader reader
        WHERE reader.question_id = t.question_id AND reader.user_id = {user})"""
