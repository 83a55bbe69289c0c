"""Writes what the transcripts of the command line show anew, all or those named: `transcripts own.txt`."""

import sys

from tests.shared.command_line.transcripts import FOLDER, rewritten

if __name__ == "__main__":
    for path in [FOLDER / name for name in sys.argv[1:]] or sorted(FOLDER.glob("*.txt")):
        path.write_text(rewritten(path), encoding="utf-8")
