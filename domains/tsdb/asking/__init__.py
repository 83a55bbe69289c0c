"""Questions: which series and hours they mean, the points read, and what is computed of them."""
