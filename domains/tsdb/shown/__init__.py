"""What the suite alone shows of `tsdb`: variants, published mistakes, measurements. A copy leaves it out."""
