"""Text to states: parser, encoder, state tagger, training and weights."""
