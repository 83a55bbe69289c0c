"""Changes of stored points: compaction, correction, deletion, and what finds and mends damage."""
