"""SQL of validators' turns."""

# Who wrote annotations, by their keys.
AUTHORS_OF_ANNOTATIONS = (
    "SELECT id, author_id FROM annotation_annotation WHERE id = ANY(%(covers)s::bigint[])"
)
