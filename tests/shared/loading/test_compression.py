"""Compressed files are read as what they hold, whatever their names; what cannot be read is said in one line."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
import zipfile

import pytest
from backports import zstd

from shared.loading import UnreadableFile, read_lines, read_records
from shared.loading.compression import without_suffix
from tests.shared.loading.sales import HEADER, LINE, SALE, Sale, lines, refusal

TEXT = (HEADER + LINE * 5000).encode()


def zipped(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, "" if name.endswith("/") else TEXT)
    return file.getvalue()


PACKED = {
    "gz": gzip.compress(TEXT),
    "bz2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zst": zstd.compress(TEXT),
    "zip": zipped("sales/", "sales/sales.csv", "__MACOSX/sales/._sales.csv"),
}


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("name", ["sales.csv", "sales.csv.{}", "sales.csv.gz"])
def test_a_compressed_file_is_read_whatever_its_name(tmp_path, name, suffix):
    path = tmp_path / name.format(suffix)
    path.write_bytes(PACKED[suffix])
    assert [*read_records(path, Sale)] == [SALE] * 5000
    assert read_lines(path, Sale).size_bytes == len(PACKED[suffix])


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
def test_files_that_were_compressed_apart_and_joined_are_read_as_one(tmp_path, suffix):
    path = tmp_path / "sales"
    parts = [HEADER.encode(), LINE.encode(), b"", LINE.encode()]
    pack = {"gz": gzip, "bz2": bz2, "xz": lzma, "zst": zstd}[suffix].compress
    path.write_bytes(b"".join(map(pack, parts)))
    assert [*read_records(path, Sale)] == [SALE] * 2


@pytest.mark.parametrize("suffix", PACKED)
def test_a_pipe_may_bring_a_compressed_file_byte_by_byte(tmp_path, suffix):
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write():
        with path.open("wb", buffering=0) as pipe:
            for at in range(20):
                pipe.write(PACKED[suffix][at : at + 1])
            pipe.write(PACKED[suffix][20:])

    writer = threading.Thread(target=write)
    writer.start()
    assert [*read_records(path, Sale)] == [SALE] * 5000
    writer.join()


READ = """
import sys
from shared.loading import read_lines
from tests.shared.loading.sales import Sale
print(sum(1 for line in read_lines("-", Sale) if line.record))
"""


@pytest.mark.parametrize("suffix", PACKED)
def test_the_standard_input_may_be_compressed_and_is_read_from_where_it_stands(tmp_path, suffix):
    path = tmp_path / "sales"
    path.write_bytes(b"cut" + PACKED[suffix])
    with path.open("rb", buffering=0) as file:
        file.seek(3)
        done = subprocess.run([sys.executable, "-c", READ], stdin=file, capture_output=True, check=True, text=True)
    assert done.stdout == "5000\n"


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("cut", [20, 60])
def test_a_file_that_is_cut_is_an_error_of_one_line(tmp_path, suffix, cut):
    path = tmp_path / "sales"
    path.write_bytes(PACKED[suffix][:-cut])
    with pytest.raises(UnreadableFile) as caught:
        [*read_records(path, Sale)]
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", PACKED)
def test_a_text_whose_name_says_that_it_is_compressed_is_refused(tmp_path, suffix):
    path = tmp_path / f"sales.{suffix}"
    path.write_text(HEADER + LINE)
    assert refusal(path).endswith("file, as its name says: give it another name to load it as text")
    path.write_text("")
    assert refusal(path) == "is empty"


def test_a_text_that_only_starts_like_a_compressed_file_is_text(written):
    assert lines(written(f"BZh1,{HEADER}x,{LINE}")) == [(2, SALE)]


def test_a_zip_holds_one_file(tmp_path):
    path = tmp_path / "sales"
    path.write_bytes(zipped("a", "b", "c", "d"))
    assert refusal(path) == "is a zip of 4 files ('a', 'b', 'c', ...); must hold one: unzip it first"
    path.write_bytes(zipped())
    assert refusal(path) == "is a zip of 0 files; must hold one: unzip it first"
    path.write_bytes(PACKED["zip"][:500])
    assert refusal(path) == "is a zip that cannot be read: File is not a zip file"


def test_without_the_package_zstd_is_refused_with_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "sales"
    path.write_bytes(PACKED["zst"])
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    wanted = "is compressed by zstd, which needs the package backports.zstd: pip install 'rowbook[zstd]'"
    assert refusal(path) == wanted


def test_the_name_of_what_is_in_a_compressed_file():
    assert [without_suffix(name) for name in ("a.csv.gz", "a.csv.zst", "a.csv", "gz")] == ["a.csv"] * 3 + ["gz"]
