"""What every design stands on; it knows no domain."""
