"""A client in another language: Node with thriftrw, which reads happybase's Hbase.thrift as it is.

thriftrw encodes messages and leaves the transport to others: what it writes is the binary protocol, which on a socket
as it is makes the buffered transport. It sends the older form of a message unless it is told otherwise.
"""

import json
import os
import shutil
import subprocess
from importlib.resources import files

import pytest

from shared.stores import connect
from shared.stores.server.thrift_server import ThriftServer
from tests.locks import one_process_at_a_time

THRIFTRW = "thriftrw@3.12.0"

CLIENT = """
const fs = require('fs');
const net = require('net');
const bufrw = require('bufrw');
const { Thrift } = require('thriftrw');

const [idl, port, version] = process.argv.slice(2);
const { Hbase, ...structs } = new Thrift({ source: fs.readFileSync(idl, 'utf8'), strict: false });
const socket = net.connect(Number(port), '127.0.0.1');
let id = 0;

function call(name, body) {
  const { argumentsMessageRW, ArgumentsMessage, resultMessageRW } = Hbase[name];
  const message = new ArgumentsMessage({ id: ++id, version: Number(version), body });
  socket.write(bufrw.toBuffer(argumentsMessageRW, message));
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.on('data', function more(piece) {
      received = Buffer.concat([received, piece]);
      const { err, value } = bufrw.fromBufferResult(resultMessageRW, received);
      if (err && !(value && value.type === 'EXCEPTION')) return;  // the rest is to come
      socket.off('data', more);
      if (value.id !== id) reject(new Error(`reply ${value.id} to call ${id}`));
      resolve(value.body);
    });
  });
}

const bytes = (text) => Buffer.from(text);
const text = (rows) => rows.map(({ row, columns }) => [
  row.toString(), ...Object.entries(columns).map(([column, { value }]) => [column, value.toString()]),
]);

(async () => {
  const tableName = bytes('t');
  // thriftrw reads the default of the IDL, -1, as 1: a second
  const family = { name: bytes('d:'), inMemory: false, blockCacheEnabled: false, timeToLive: 2147483647 };
  await call('createTable', { tableName, columnFamilies: [new structs.ColumnDescriptor(family)] });
  const rowBatches = Array.from({ length: 2000 }, (_, row) => ({
    row: bytes(`r${row}`),
    mutations: ['a', 'b'].map((column) => new structs.Mutation({
      isDelete: false, column: bytes(`d:${column}`), value: bytes(`${column}${row}`), writeToWAL: true,
    })),
  }));
  await call('mutateRows', { tableName, rowBatches, attributes: {} });
  const row = await call('getRow', { tableName, row: bytes('r7'), attributes: {} });
  const opened = await call('scannerOpenWithScan', { tableName, scan: {}, attributes: {} });
  const scanned = await call('scannerGetList', { id: opened.success, nbRows: 5000 });
  const again = await call('createTable', { tableName, columnFamilies: [new structs.ColumnDescriptor(family)] });
  const unknown = await call('getRowOrBefore', { tableName, row: bytes('r7'), family: bytes('d') });
  const names = await call('getTableNames', {});
  console.log(JSON.stringify({
    row: text(row.success), scanned: scanned.success.length, again: again.io ? 'io' : again.exist && 'exist',
    unknown: String(unknown.message), names: names.success.map(String),
  }));
  socket.end();
})();
"""


@pytest.fixture(scope="module")
def modules(request):
    """Where thriftrw is installed: in pytest's cache."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        pytest.skip("needs node and npm")
    folder = request.config.cache.mkdir("thriftrw")
    command = [npm, "install", "--prefix", folder, "--fetch-retries=0", "--no-audit", "--no-fund", "--ignore-scripts"]
    with one_process_at_a_time():
        if not (folder / "node_modules" / "thriftrw").exists():
            installed = subprocess.run([*command, THRIFTRW], capture_output=True, text=True, check=False)
            if installed.returncode:
                pytest.skip(f"{THRIFTRW} cannot be installed: {(installed.stderr.splitlines() or ['?'])[-1]}")
    return folder / "node_modules"


@pytest.mark.parametrize(
    "version", [pytest.param(0, marks=pytest.mark.long, id="older form"), pytest.param(1, id="strict form")]
)
def test_node_creates_puts_gets_and_scans_and_is_told_its_errors(modules, tmp_path, version):
    store = connect("embedded:")
    client = tmp_path / "client.js"
    client.write_text(CLIENT)
    idl = files("happybase") / "Hbase.thrift"
    with ThriftServer(store.service) as server:
        done = subprocess.run(
            ["node", client, str(idl), str(server.port), str(version)],
            env={**os.environ, "NODE_PATH": str(modules)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "row": [["r7", ["d:a", "a7"], ["d:b", "b7"]]],
        "scanned": 2000,
        "again": "exist",
        "unknown": "Invalid method name: 'getRowOrBefore'",
        "names": ["t"],
    }
    assert store.table("t").row(b"r1999") == {b"d:a": b"a1999", b"d:b": b"b1999"}
    store.close()
