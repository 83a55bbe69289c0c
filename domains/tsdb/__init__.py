"""OpenTSDB's tables, byte for byte: series of points under UIDs, an hour in a row."""
