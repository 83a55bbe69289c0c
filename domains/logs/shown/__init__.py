"""What the suite alone shows of `logs`: variants, published mistakes, measurements. A copy leaves it out."""
