"""The core that every design uses; it knows no domain."""
