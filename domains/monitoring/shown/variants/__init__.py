"""The same points under the published keys, and the design's own key with a salt."""
