// The explorer's Python: loads Pyodide and python.zip, brings what a browser lacks, answers requests as JSON.
//
// To the worker: {id, request}. From it: {loaded, total, doing} while it loads, then {ready} or {failed}; for each
// request {id, answer, bytes}, or {id, answer, isDead} if Python has come to its end.
const folder = new URL("./", import.meta.url);

async function fetchFile(name, options) {
  const response = await fetch(new URL(name, folder), options);
  if (!response.ok) throw new Error(`${name}: the server answers ${response.status}`);
  return response;
}

async function bytesOf(name, size, cache, tell) {
  const url = new URL(name, folder).href;
  const kept = cache && (await cache.match(url));
  if (kept) {
    const bytes = new Uint8Array(await kept.arrayBuffer());
    tell(bytes.length);
    return bytes;
  }
  const response = await fetchFile(name);
  const chunks = [];
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    tell(value.length);
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  if (bytes.length !== size) throw new Error(`${name}: must have ${size} bytes (got ${bytes.length})`);
  if (cache) await cache.put(url, new Response(bytes)).catch(() => {}); // a full disk: the next visit loads it again
  return bytes;
}

async function openCache(version) {
  if (!self.caches) return null; // a page without TLS
  try {
    for (const name of await caches.keys())
      if (name.startsWith("rowbook-explorer-") && !name.endsWith(version)) await caches.delete(name);
    return await caches.open(`rowbook-explorer-${version}`);
  } catch {
    return null;
  }
}

async function load() {
  const { version, bytes: sizes } = await (await fetchFile("files.json", { cache: "no-cache" })).json();
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  let loaded = 0;
  const tell = (size) => postMessage({ loaded: (loaded += size), total, doing: "Loading Python" });
  const cache = await openCache(version);
  const names = Object.keys(sizes).filter((name) => !name.endsWith(".mjs")); // the browser caches scripts itself
  const files = new Map();
  await Promise.all(
    names.map(async (name) => files.set(new URL(name, folder).href, await bytesOf(name, sizes[name], cache, tell))),
  );
  const fetchOthers = self.fetch;
  self.fetch = (from, options) => {
    const url = new URL(from.url ?? from, folder).href;
    if (!files.has(url)) return fetchOthers(from, options);
    const type = url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return Promise.resolve(new Response(files.get(url), { headers: { "Content-Type": type } }));
  };
  const { loadPyodide } = await import(new URL("pyodide.mjs", folder).href);
  postMessage({ loaded: total, total, doing: "Starting Python" });
  const started = performance.now();
  const python = await loadPyodide({ indexURL: folder.href });
  self.fetch = fetchOthers;
  const pyodideMs = performance.now() - started;
  const pyodideBytes = python._module.HEAPU8.length;
  postMessage({ loaded: total, total, doing: "Importing the designs' code" });
  python.unpackArchive(files.get(new URL("python.zip", folder).href), "zip", { extractDir: "/explorer" });
  python.runPython("import sys; sys.path.insert(0, '/explorer')");
  python.runPython("from site_explorer.in_browser import prepare; prepare()");
  const answer = python.runPython("from site_explorer.explorer import answer; answer");
  postMessage({ ready: { pyodideMs, pyodideBytes } });
  return { answer, bytes: () => python._module.HEAPU8.length };
}

const loading = load();
const words = (error) => String(error.message ?? error).trim().split("\n").pop(); // of a traceback, the last line
loading.catch((error) => postMessage({ failed: words(error) }));

self.onmessage = async ({ data: { id, request } }) => {
  try {
    const { answer, bytes } = await loading;
    const text = answer(JSON.stringify(request)); // JavaScript would round long ints
    if (typeof text !== "string") throw new Error("Python has ended");
    postMessage({ id, answer: text, bytes: bytes() });
  } catch (error) {
    const isDead = error.name !== "PythonError"; // but a stack overflow, after which nothing runs
    postMessage({ id, answer: JSON.stringify({ failed: words(error) }), isDead });
  }
};
