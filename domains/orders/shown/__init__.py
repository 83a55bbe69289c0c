"""What the suite alone shows of `orders`: variants, published mistakes, measurements. A copy leaves it out."""
