"""What the suite alone shows of `monitoring`: variants, published mistakes, measurements. A copy leaves it out."""
