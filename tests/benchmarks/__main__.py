"""Run every benchmark beside this file, each in a fresh process, with the options given here (`--quick`)."""

import subprocess
import sys
from pathlib import Path

for script in sorted(Path(__file__).parent.glob("*.py")):
    if script.name != "__main__.py":
        print(f"== {script.stem}", flush=True)
        code = subprocess.run([sys.executable, script, *sys.argv[1:]], check=False).returncode
        if code:
            sys.exit(code)
