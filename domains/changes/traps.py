TRAPS = ()
