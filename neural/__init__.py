"""Text to states: parser, encoder, state tagger, training and weights."""

# The shipped model that is used unless another is named.
DEFAULT_MODEL = "base"
# The one that chooses between solutions unless another is named: `base` has no adapter for that yet.
PIQA_MODEL = "small"
