"""What the suite alone shows of `counters`: variants, published mistakes, measurements. A copy leaves it out."""
