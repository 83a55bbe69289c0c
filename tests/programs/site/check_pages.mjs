// Opens pages of the served site in Chromium and prints what is wrong; `__main__.py` starts it with what to open.
// Each page: no errors, nothing from another host, no sideways scrolling, links that lead somewhere, and nothing that
// axe-core calls serious. Then: search finds each design, also without a server; the home page works without scripts.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const { url, pages, designs, browser: executablePath } = JSON.parse(process.argv[2]);
const WIDTHS = [390, 1024, 1600];
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const SITE = new URL("../site/", import.meta.url);
const problems = new Set();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

async function newPage(options, name = { of: "" }) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const say = (words) => problems.add(`${name.of}: ${words}`);
  page.on("console", (message) => message.type() === "error" && say(message.text()));
  page.on("pageerror", (error) => say(error.message));
  page.on("response", (response) => response.status() >= 400 && say(`${response.status()} ${response.url()}`));
  page.on("request", (request) => request.url().startsWith(url) || request.url().startsWith("data:")
    || say(`asks another host: ${request.url()}`));
  return page;
}

// ids of each page, and the links of all pages that lead into the site
const ids = new Map();
const links = new Map();

async function checkPage(page, path, scheme) {
  await page.goto(url + path, { waitUntil: "load" });
  const found = await page.evaluate(() => ({
    ids: [...document.querySelectorAll("[id]")].map((element) => element.id),
    links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
    broken: [...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src),
  }));
  ids.set(new URL(path, url).pathname.replace(/\/$/, "/index.html"), new Set(["", ...found.ids]));
  for (const link of found.links) if (link.startsWith(url)) links.set(link, path);
  for (const source of found.broken) problems.add(`${path}: no picture ${source}`);
  await page.addScriptTag({ path: AXE });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await page.evaluate(() => Math.max(...["html", ".content"] // the theme lets a narrow content scroll
      .map((name) => document.querySelector(name)).map((element) => element.scrollWidth - element.clientWidth)));
    if (wide > 0) problems.add(`${path}: ${wide} pixels too wide at ${width}`);
    if (width === 1024 || (width === 390 && scheme === "dark")) continue; // axe finds the same as at another width
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    for (const { id, impact, nodes } of violations)
      if (["serious", "critical"].includes(impact))
        problems.add(`${path}: ${scheme}, ${width}: ${id}: ${nodes.length}, such as ${nodes[0].html.slice(0, 150)}`);
  }
}

for (const colorScheme of ["light", "dark"]) {
  const name = { of: "" };
  const page = await newPage({ colorScheme, bypassCSP: true }, name);
  for (name.of of pages) await checkPage(page, name.of, colorScheme);
  await page.context().close();
}
for (const [link, path] of links) {
  const target = new URL(link);
  const id = decodeURIComponent(target.hash.slice(1));
  const file = target.pathname.replace(/\/$/, "/index.html");
  const known = ids.get(file);
  if (known ? !known.has(id) : !existsSync(new URL(file.slice("/site/".length), SITE)))
    problems.add(`${path}: leads nowhere: ${link}`);
}

async function search(page, base, words, wanted) {
  await page.goto(`${base}search.html?q=${words}`);
  await page.waitForSelector("#search-results li a", { timeout: 30_000 }).catch(() => {});
  const found = await page.$$eval("#search-results li a", (results) => results.map((result) => result.href));
  const place = found.findIndex((href) => href.split(/[?#]/)[0].endsWith(wanted));
  if (place) problems.add(`search for ${words} on ${base}: ${wanted} must be result 1 (got ${place + 1}, 0 for none)`);
}

const searching = await newPage({}, { of: "search" });
for (const design of designs) await search(searching, url, design, `/domains/${design}/index.html`);
const offline = await browser.newPage(); // its console has an error for each page that it cannot fetch
await search(offline, SITE.href, designs[0], `/domains/${designs[0]}/index.html`);

const plain = await newPage({ javaScriptEnabled: false }, { of: "without scripts" });
await plain.goto(url);
for (const design of designs)
  if (!await plain.locator(`.finder a[href^="domains/${design}/"]`).count()) problems.add(`finder: lacks ${design}`);
await plain.locator("details:has(img) summary").first().click();
if (!await plain.locator("details[open] img").first().isVisible()) problems.add("finder: opens only with scripts");

await browser.close();
for (const problem of problems) console.log(problem);
console.log(`${pages.length} pages, ${links.size} links, ${problems.size} problems`);
process.exitCode = problems.size ? 1 : 0;
