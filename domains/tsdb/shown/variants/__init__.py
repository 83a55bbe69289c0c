"""Other layouts of the same points: OpenTSDB's own options."""
