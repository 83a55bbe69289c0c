"""What the suite alone shows of `activity`: variants, published mistakes, measurements. A copy leaves it out."""
