"""What the suite alone shows of `changes`: variants, published mistakes, measurements. A copy leaves it out."""
