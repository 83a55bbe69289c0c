"""What the suite alone shows of `feeds`: variants, published mistakes, measurements. A copy leaves it out."""
