"""Text to states: parser, encoder, state tagger, training and weights."""

# The shipped model that is used unless another is named.
DEFAULT_MODEL = "base"
