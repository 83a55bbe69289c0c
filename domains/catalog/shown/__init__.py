"""What the suite alone shows of `catalog`: variants, published mistakes, measurements. A copy leaves it out."""
