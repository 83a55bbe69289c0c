// The key explorer and the editable examples of a page. It shows what worker.js answers; it encodes nothing itself.
(() => {
  const folder = new URL("./", document.currentScript.src);
  const HASH = "#explorer=";
  const MAX_RANGES = 8; // of a question that are shown
  const WHY = new URL("../../shared/keys/index.html#text-joined-with-a-delimiter-loses-rows", folder);

  // ---- elements

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (typeof value === "boolean") made.toggleAttribute(name, value);
      else if (value != null) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child != null));
    return made;
  }

  function choice(label, options, chosen, onchange, attributes = {}) {
    const select = element("select", { "aria-label": label, onchange: () => onchange(select.value), ...attributes });
    for (const [value, text] of options) select.append(element("option", { value, selected: value === chosen }, text));
    return select;
  }

  const spaced = (hex) => hex.replace(/..(?=.)/g, "$& ");
  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  // ---- Python, one worker for all of a page: a button starts it first, a request starts it again

  const STOPPED = "stopped";
  const python = { worker: null, ready: null, reject: null, info: null, bytes: 0 };
  const requests = { waiting: new Map(), last: 0 };
  const watching = new Set();

  // A promise that Python runs.
  function start() {
    if (python.ready) return python.ready;
    const ready = new Promise((resolve, reject) => {
      python.reject = reject;
      if (location.protocol === "file:") throw new Error("serve this folder, such as by python -m http.server");
      python.worker = new Worker(new URL("worker.js", folder), { type: "module" });
      python.worker.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
      python.worker.onmessage = ({ data }) => {
        if (data.ready) resolve((python.info = data.ready));
        else if (data.failed) reject(new Error(data.failed));
        else if (data.id === undefined) for (const watch of watching) watch(data);
        else receive(data);
      };
    });
    python.ready = ready;
    ready.catch((error) => python.ready === ready && stop(error.message));
    return ready;
  }

  function receive({ id, answer, bytes, isDead }) {
    python.bytes = bytes ?? python.bytes;
    requests.waiting.get(id)?.(answer);
    requests.waiting.delete(id);
    if (isDead) stop(STOPPED);
  }

  function stop(reason) {
    python.worker?.terminate();
    python.worker = python.ready = null;
    python.reject?.(new Error(reason)); // without effect if Python runs
    for (const resolve of requests.waiting.values()) resolve(JSON.stringify({ failed: reason }));
    requests.waiting.clear();
  }

  // The answer to a request; it is asked again if Python was stopped meanwhile, unless it runs a program.
  async function ask(call, given) {
    const answer = JSON.parse(await send(call, given));
    return answer.failed === STOPPED && call !== "run" ? ask(call, given) : answer;
  }

  async function send(call, given) {
    try {
      await start();
    } catch (error) {
      return JSON.stringify({ failed: `Python did not start: ${error.message}` });
    }
    return new Promise((resolve) => {
      const id = ++requests.last;
      requests.waiting.set(id, resolve);
      python.worker.postMessage({ id, request: { call, ...given } });
    });
  }

  function startButton(text, ready) {
    const bar = element("progress", { max: 1, value: 0, "aria-label": "Loading" });
    const says = element("span", { role: "status" });
    const button = element("button", { type: "button", class: "x-start" }, text);
    const box = element("div", { class: "x-bar" }, button, says);
    if (typeof WebAssembly !== "object" || typeof Worker !== "function") {
      button.disabled = true;
      says.textContent = "This browser has no WebAssembly, so nothing runs here. The pictures of this page show the keys.";
      return box;
    }
    const watch = ({ loaded, total, doing }) => {
      bar.max = total;
      bar.value = loaded;
      says.textContent = `${doing} (${(loaded / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB)`;
    };
    button.onclick = async () => {
      button.disabled = true;
      box.append(bar);
      says.textContent = "Loading Python";
      watching.add(watch);
      try {
        await start();
        box.remove();
        ready();
      } catch (error) {
        says.textContent = `Python did not start: ${error.message}`;
        bar.remove();
        button.disabled = false;
      } finally {
        watching.delete(watch);
      }
    };
    return box;
  }

  // ---- the explorer

  class Explorer {
    constructor(root) {
      this.root = root;
      this.design = root.dataset.design;
      root.setAttribute("role", "region");
      root.setAttribute("aria-label", `Key explorer of ${this.design}`);
      const button = startButton("Start the key explorer", () => this.open());
      root.replaceChildren(
        element("p", { class: "x-lead" }, "Change this key: see its bytes, what each question reads, and where new rows land."),
        button,
      );
      if (!location.hash.startsWith(HASH)) return;
      button.querySelector("button").click(); // whoever opens such a link asks for its key
      const scroll = () => root.scrollIntoView();
      if (document.readyState === "complete") scroll();
      else addEventListener("load", scroll); // pictures have their places then
    }

    async open() {
      const described = await ask("describe", { design: this.design });
      if (!described.tables) return this.root.append(refusal(described));
      this.described = described;
      this.left = new Map(); // the state of each table that a reader has left
      this.live = element("p", { class: "x-hidden", role: "status", "aria-live": "polite" });
      this.top = element("div", { class: "x-bar" });
      this.parts = element("ol", { class: "x-parts", "aria-label": "Parts of the key, from left to right" });
      this.prefix = element("div", { class: "x-bar" });
      this.bytes = element("div", { class: "x-row" });
      this.questionBox = element("div", { class: "x-bar x-fields" });
      this.planBox = element("div", { "aria-live": "polite" });
      this.heatBox = element("div");
      this.addBox = element("div", { class: "x-bar" });
      this.faults = element("div", { "aria-live": "polite" });
      this.names = element("div", { class: "x-bar x-fields" });
      this.pythonBox = element("div");
      const title = (text) => element("p", { class: "x-title" }, text);
      const names = element("p", {}, "Rename the record and the parts. An empty field keeps the name.");
      this.root.append(
        ...[this.live, this.top, this.parts, this.prefix, this.bytes, this.addBox, this.faults],
        element("details", {}, element("summary", {}, "As Python, with names of your own"), names, this.names, this.pythonBox),
        ...[title("What a question reads"), this.questionBox, this.planBox, title("Where new rows land"), this.heatBox],
      );
      addEventListener("hashchange", () => this.fromLink());
      if (!this.fromLink()) this.choose(this.firstTable, "table");
    }

    // Shows what the address carries; false if it carries nothing.
    fromLink() {
      if (!location.hash.startsWith(HASH)) return false;
      try {
        this.set(this.checked(JSON.parse(decodeURIComponent(location.hash.slice(HASH.length)))));
      } catch {
        this.state = null;
        this.left.clear();
        this.choose(this.firstTable);
        this.top.append(element("p", { class: "x-refused", role: "alert" }, "The link is damaged; this is the declared key."));
      }
      return true;
    }

    get firstTable() {
      return (this.described.tables.find((table) => table.parts.length > 1) ?? this.described.tables[0]).name;
    }

    // The state of a link, if it is one of this page.
    checked({ table, changes = {}, values = {}, asked = {}, rows = [], names = {}, question }) {
      const isMapping = (value, isValue) =>
        value !== null && typeof value === "object" && !Array.isArray(value) && Object.values(value).every(isValue);
      const isText = (value) => typeof value === "string";
      const parts = this.tableNamed(table).parts.map((part) => part.name);
      const { order = parts, codecs = {}, descending = {}, prefix = null, ...others } = changes;
      const isPrefix = ({ kind, of, number, ...more }) =>
        kind in this.described.prefixes && parts.includes(of) && Number.isFinite(number) && !Object.keys(more).length;
      if (
        !(Array.isArray(order) && [...order].sort().join() === [...parts].sort().join()) ||
        !(isMapping(codecs, isText) && isMapping(descending, (value) => typeof value === "boolean")) ||
        !(prefix === null || isPrefix(prefix)) ||
        Object.keys(others).length ||
        ![values, asked, names].every((texts) => isMapping(texts, isText)) ||
        !(Array.isArray(rows) && rows.every((row) => isMapping(row, isText) && parts.every((part) => part in row)))
      )
        throw new TypeError("a link of this page has other values");
      const questions = this.questions(table);
      const { number } = questions.find((one) => one.number === question) ?? questions[0];
      return { table, changes, values, question: number, asked, rows, names };
    }

    // Shows a table, as a reader left it.
    choose(name, focus) {
      if (this.state) this.left.set(this.state.table, this.state);
      if (this.left.has(name)) return this.set({ ...this.left.get(name), names: this.state.names }, focus);
      const [question] = this.questions(name);
      const values = Object.fromEntries(this.tableNamed(name).parts.map((part) => [part.name, part.value]));
      const names = this.state?.names ?? {};
      const asked = sampleOf(question);
      this.set({ table: name, changes: {}, values, question: question.number, asked, rows: [], names }, focus);
    }

    reset() {
      const { table } = this.state;
      this.state = null;
      this.left.delete(table);
      this.choose(table, "reset");
    }

    set(state, focus) {
      this.state = state;
      this.show(focus);
    }

    tableNamed = (name) => this.described.tables.find((table) => table.name === name);
    questions = (name) => this.described.questions.filter((question) => question.table === name);
    get table() {
      return this.tableNamed(this.state.table);
    }
    get order() {
      return this.state.changes.order ?? this.table.parts.map((part) => part.name);
    }

    change(changes, focus) {
      this.state.changes = { ...this.state.changes, ...changes };
      this.show(focus);
    }

    move(name, to) {
      const order = this.order.filter((other) => other !== name);
      order.splice(to, 0, name);
      this.live.textContent = `${name} is now part ${to + 1} of ${order.length}`;
      this.change({ order }, `${name} move`);
    }

    show(focus) {
      this.showTop();
      this.showParts();
      this.showPrefix();
      this.showAdded();
      this.showNames();
      this.showQuestion();
      if (focus) {
        const same = [...this.root.querySelectorAll(`[data-focus="${focus}"]`)].filter((one) => !one.disabled);
        same[this.focusLast ? same.length - 1 : 0]?.focus();
      }
      this.refresh();
    }

    showTop() {
      const tables = this.described.tables.map((table) => [table.name, table.name]);
      const reset = { type: "button", "data-focus": "reset", onclick: () => this.reset() };
      const choose = (name) => this.choose(name, "table");
      const link = () => {
        this.keepInAddress();
        return location.href;
      };
      this.top.replaceChildren(
        element("label", {}, "Table ", choice("Table", tables, this.state.table, choose, { "data-focus": "table" })),
        element("button", reset, "Reset"),
        copyButton("Copy link", link),
      );
    }

    showParts() {
      const { changes, values } = this.state;
      const order = this.order;
      this.byteTexts = new Map();
      this.parts.replaceChildren(
        ...order.map((name, place) => {
          const part = this.table.parts.find((one) => one.name === name);
          const codec = changes.codecs?.[name] ?? part.codec;
          const isDescending = changes.descending?.[name] ?? part.descending;
          const bytes = element("code", { class: `x-bytes ${part.role}` });
          this.byteTexts.set(name, bytes);
          const mover = (text, words, to, isLast) =>
            element(
              "button",
              {
                ...{ type: "button", "aria-label": `Move ${name} ${words}`, title: `Move ${words}`, "data-focus": `${name} move` },
                disabled: to < 0 || to >= order.length,
                onclick: () => {
                  this.focusLast = isLast;
                  this.move(name, to);
                },
              },
              text,
            );
          const handle = element(
            "div",
            { class: "x-handle", draggable: "true", title: part.meaning },
            element("strong", {}, part.title),
          );
          handle.ondragstart = (event) => event.dataTransfer.setData("text/plain", name);
          const item = element(
            "li",
            { class: "x-part" },
            element("div", { class: "x-head" }, handle, mover("◀", "left", place - 1, false), mover("▶", "right", place + 1, true)),
            element("input", {
              ...{ value: values[name] ?? "", "aria-label": `${name}: ${part.meaning}`, spellcheck: "false" },
              oninput: (event) => {
                values[name] = event.target.value;
                this.refreshBytes();
                this.refreshPython();
              },
            }),
            bytes,
            choice(
              `Codec of ${name}`,
              part.codecs.map(({ name: text, loses_rows }) => [text, loses_rows ? `${text} (loses rows)` : text]),
              codec,
              (text) => this.change({ codecs: { ...changes.codecs, [name]: text } }, `${name} codec`),
              { "data-focus": `${name} codec` },
            ),
            element(
              "label",
              {},
              element("input", {
                ...{ type: "checkbox", checked: isDescending, "data-focus": `${name} descending` },
                onchange: ({ target }) =>
                  this.change({ descending: { ...changes.descending, [name]: target.checked } }, `${name} descending`),
              }),
              " descending",
            ),
          );
          item.ondragover = (event) => event.preventDefault();
          item.ondrop = (event) => {
            event.preventDefault();
            const dragged = event.dataTransfer.getData("text/plain");
            if (order.includes(dragged) && dragged !== name) this.move(dragged, place);
          };
          return item;
        }),
      );
    }

    showPrefix() {
      const declared = this.table.prefixes.join(" and ");
      const given = this.state.changes.prefix;
      const kinds = [
        ...(declared ? [["declared", declared]] : []),
        ["none", "none"],
        ...Object.keys(this.described.prefixes).map((kind) => [kind, kind]),
      ];
      const chosen = given === undefined ? (declared ? "declared" : "none") : (given?.kind ?? "none");
      const choose = (kind) => {
        const { prefix: _, ...rest } = this.state.changes;
        this.state.changes = rest;
        if (kind === "declared" || (kind === "none" && !declared)) return this.show("prefix");
        const part = kind === "TimeBucket" || kind === "Modulo" ? this.table.parts.find((one) => one.type === "int") : null;
        const of = (part ?? this.table.parts[0]).name;
        const prefix = kind === "none" ? null : { kind, of, number: this.described.prefixes[kind][1] };
        this.change({ prefix }, "prefix");
      };
      const line = [element("label", {}, "Prefix ", choice("Prefix", kinds, chosen, choose, { "data-focus": "prefix" }))];
      if (given) {
        const parts = this.table.parts.map((part) => [part.name, part.name]);
        const of = (name) => this.change({ prefix: { ...given, of: name } }, "prefix of");
        const number = ({ target }) => this.change({ prefix: { ...given, number: Number(target.value) } }, "prefix number");
        const value = { type: "number", min: 1, value: given.number, "data-focus": "prefix number", onchange: number };
        line.push(element("label", {}, "of ", choice("Part", parts, given.of, of, { "data-focus": "prefix of" })));
        line.push(element("label", {}, `${this.described.prefixes[given.kind][0]} `, element("input", value)));
      }
      this.prefix.replaceChildren(...line);
    }

    // Rows that a reader adds to those of the samples.
    showAdded() {
      const { rows, values } = this.state;
      const set = (rows) => {
        this.state.rows = rows;
        this.show("added");
      };
      const put = () => set([...rows.filter((row) => !isSame(row, values)), { ...values }]);
      const add = { type: "button", class: "x-add", "data-focus": "added", onclick: put };
      const remove = { type: "button", onclick: () => set([]) };
      this.addBox.replaceChildren(
        element("button", add, "Add this key to the rows"),
        ...(rows.length ? [`${count(rows.length, "row")} of your own`, element("button", remove, "Remove")] : []),
      );
    }

    showNames() {
      const { names } = this.state;
      const field = (name) =>
        element(
          "label",
          {},
          `${name} `,
          element("input", {
            ...{ value: names[name] ?? "", spellcheck: "false", "aria-label": `Your name for ${name}` },
            oninput: ({ target }) => {
              names[name] = target.value;
              this.refreshPython();
            },
          }),
        );
      this.names.replaceChildren(...this.described.names.map(field));
    }

    showQuestion() {
      const questions = this.questions(this.state.table);
      const question = questions.find((one) => one.number === this.state.question);
      const names = questions.map((one) => [String(one.number), one.question]);
      const choose = (number) => {
        const chosen = questions.find((one) => String(one.number) === number);
        this.state.question = chosen.number;
        this.state.asked = sampleOf(chosen);
        this.show("question");
      };
      const hint = ({ name, is_needed }) => {
        if (question.number !== null) return is_needed ? "needed" : "any";
        return name.endsWith("_ms") ? "2026-01-12..2026-01-13; empty: any" : "a value, a..b or a*; empty: any";
      };
      const fields = question.fields.map((field) =>
        element(
          "label",
          {},
          `${field.name} `,
          element("input", {
            ...{ value: this.state.asked[field.name] ?? "", spellcheck: "false" },
            placeholder: hint(field),
            oninput: ({ target }) => {
              this.state.asked[field.name] = target.value;
              this.refreshPlan();
            },
          }),
        ),
      );
      const select = choice("Question", names, String(this.state.question), choose, { "data-focus": "question" });
      this.questionBox.replaceChildren(select, ...fields);
    }

    get given() {
      return { design: this.design, table: this.state.table, changes: this.state.changes };
    }

    async refresh() {
      await Promise.all([this.refreshBytes(), this.refreshPlan(), this.refreshLanding(), this.refreshPython()]);
      this.root.dataset.shown = JSON.stringify(this.state); // tests wait for it
    }

    keepInAddress() {
      history.replaceState(null, "", HASH + encodeURIComponent(JSON.stringify(this.state)));
    }

    get isChanged() {
      return Object.keys(this.state.changes).length > 0;
    }

    // The answer to the latest request of its kind; null if a later one has been sent.
    async latest(call, given) {
      this.sent = { ...this.sent, [call]: (this.sent?.[call] ?? 0) + 1 };
      const mine = this.sent[call];
      const state = JSON.stringify(this.state);
      this.first ??= location.hash.startsWith(HASH) ? "" : state; // a reader who changed nothing keeps the address
      if (state !== this.first || location.hash.startsWith(HASH)) this.keepInAddress();
      const answer = await ask(call, { ...this.given, ...given });
      return mine === this.sent[call] ? answer : null;
    }

    // The same answer for the declared key; null if nothing is changed.
    async declaredAnswer(call, given = {}) {
      return this.isChanged ? ask(call, { ...this.given, changes: {}, ...given }) : null;
    }

    async refreshBytes() {
      const answer = await this.latest("encode", { values: this.state.values });
      if (!answer) return;
      this.reason = answer.refused; // of a layout that cannot be: not shown again below
      for (const add of this.addBox.querySelectorAll(".x-add")) add.disabled = !answer.row;
      for (const text of this.byteTexts.values()) text.textContent = "–";
      for (const old of this.parts.querySelectorAll(".x-prefix")) old.remove();
      const role = (name) => this.table.parts.find((part) => part.name === name)?.role ?? "salt";
      const box = (part) => element("code", { class: `x-bytes ${role(part.name)}` }, spaced(part.bytes));
      const prefixes = [];
      for (const part of answer.parts ?? []) {
        const text = this.byteTexts.get(part.name);
        if (text) text.textContent = spaced(part.bytes) || "(no bytes)";
        else prefixes.push(element("li", { class: "x-prefix" }, part.name, box(part)));
      }
      this.parts.prepend(...prefixes);
      const named = answer.variant ? `${answer.key}, the key of ${answer.variant}` : answer.key;
      const whole = answer.row && element("span", { class: "x-whole" }, ...answer.parts.map(box));
      this.bytes.replaceChildren(
        ...(answer.row ? [named, element("br"), whole, ` ${count(answer.row_bytes, "byte")}`] : [refusal(answer)]),
      );
    }

    async refreshPlan(cursor = null, page = 1, isFocused = false) {
      const { question, asked, rows } = this.state;
      const answer = await this.latest("plan", { question, values: asked, rows, cursor });
      if (!answer) return;
      const sent = this.sent.plan;
      const plan = answer.narrowed ?? answer;
      this.planBox.replaceChildren();
      this.faults.replaceChildren();
      if (answer.narrowed) this.planBox.append(element("p", {}, `Ranges alone cannot answer this: ${answer.refused}`));
      else if (answer.refused || answer.failed) this.planBox.append(refusal(answer));
      if (!plan.ranges) return;
      const work = [
        plan.compared.length && `the client filters by ${plan.compared.join(" and ")}`,
        plan.filtered.length && `a server-side filter checks ${plan.filtered.join(" and ")}`,
      ].filter(Boolean);
      const declared = await this.declaredAnswer("plan", { question, values: asked, rows });
      if (this.sent.plan !== sent) return;
      const found = faults(plan).map((text) => element("p", { class: "x-refused" }, text));
      const why = element("p", {}, element("a", { href: WHY }, "Why, and what to do instead"));
      this.faults.replaceChildren(...found, ...(found.length ? [why] : []));
      this.planBox.append(
        element(
          "p",
          {},
          "The whole answer reads ",
          element("strong", {}, sizeOf(plan)),
          plan.page ? `; ${plan.matching.toLocaleString("en")} match` : "",
          work.length ? `; ${work.join(", ")}.` : ".",
          declared?.ranges || declared?.narrowed ? ` The declared key: ${sizeOf(declared.narrowed ?? declared)}.` : "",
        ),
        rangesOf(plan),
        ...(plan.page ? this.pageOf(plan, page) : []),
      );
      const button = (name) => this.planBox.querySelector(`.${name}:enabled`);
      if (isFocused) (button("x-next") ?? button("x-first"))?.focus();
    }

    get askedAsText() {
      const { table, changes, question, asked, rows } = this.state;
      return JSON.stringify([table, changes, question, asked, rows]);
    }

    // A page of the rows that a question reads, in the order in which the store returns them.
    pageOf(plan, page) {
      const asked = this.askedAsText; // a cursor belongs to one question
      const goBack = () => this.refreshPlan(null, 1, true);
      const goOn = () => (this.askedAsText === asked ? this.refreshPlan(plan.cursor, page + 1, true) : goBack());
      const next = { type: "button", class: "x-next", disabled: !plan.cursor, onclick: goOn };
      const first = { type: "button", class: "x-first", disabled: page === 1, onclick: goBack };
      const cells = (key) => this.order.map((name) => element("td", {}, key[name]));
      return [
        element(
          "p",
          {},
          `Page ${page}, in ${plan.is_reverse ? "reverse " : ""}key order, reads `,
          element("strong", {}, `${count(plan.page_read, "row")} in ${count(plan.page_rpcs, "RPC")}`),
          ` and returns ${plan.page.length.toLocaleString("en")}.`,
        ),
        element("p", { class: "x-note" }, "An RPC opens a scanner, fetches rows from it, or closes it."),
        wide("Rows of this page", this.order, plan.page.map((key) => element("tr", {}, ...cells(key)))),
        element("div", { class: "x-bar" }, element("button", first, "First page"), element("button", next, "Next page")),
      ];
    }

    async refreshLanding() {
      const answer = await this.latest("landing", {});
      if (!answer) return;
      if (!answer.moments) return this.heatBox.replaceChildren(...(answer.refused === this.reason ? [] : [refusal(answer)]));
      const cell = (text) => element("td", { style: `--share: ${text || "0%"}`, class: "x-heat" }, text);
      const row = (title, shares) => element("tr", {}, element("th", { scope: "row" }, title), ...shares.map(cell));
      const heads = ["Moment", ...answer.shares.map((_, place) => String(place + 1))];
      const rows = [...answer.moments.map((shares, place) => row(String(place + 1), shares)), row("All", answer.shares)];
      const sent = this.sent.landing;
      const declared = await this.declaredAnswer("landing");
      if (this.sent.landing !== sent) return;
      const before = declared?.verdict ? element("p", {}, `The declared key: ${declared.verdict}`) : null;
      const of = `an even share is ${answer.even}; counted: the newer half of the samples' ${count(answer.writes, "write")}`;
      this.heatBox.replaceChildren(
        element("p", {}, element("strong", {}, answer.verdict), ` (${of})`),
        ...(before ? [before] : []),
        wide("Shares of new rows by moment and range", heads, rows),
        element("p", { class: "x-note" }, this.described.legend),
      );
    }

    async refreshPython() {
      const answer = await this.latest("python", { values: this.state.values, names: this.state.names });
      if (!answer) return;
      const then = ", then put your key into its keys.py";
      if (!answer.python) return this.pythonBox.replaceChildren(refusal(answer));
      this.pythonBox.replaceChildren(
        element("pre", { tabindex: "0" }, answer.python),
        copyButton("Copy", () => answer.python),
        element("p", { class: "x-note" }, "If rowbook is installed, import from rowbook.keys instead of shared.keys."),
        element("p", {}, `Copy the whole design into a package of your own${this.isChanged && !answer.variant ? then : ""}:`),
        element("pre", { tabindex: "0" }, answer.command),
        copyButton("Copy", () => answer.command),
      );
    }
  }

  function copyButton(text, getText) {
    const says = element("span", { role: "status" });
    const copy = async () => {
      const isCopied = await navigator.clipboard?.writeText(getText()).then(() => true, () => false);
      says.textContent = isCopied ? "Copied" : "The browser does not let this page copy: select the text";
    };
    return element("span", { class: "x-bar" }, element("button", { type: "button", onclick: copy }, text), says);
  }

  const sampleOf = (question) =>
    Object.fromEntries(question.fields.filter((field) => field.value !== null).map((field) => [field.name, field.value]));

  const refusal = (answer) =>
    element("p", { class: "x-refused", role: "alert" }, answer.refused ?? answer.failed ?? "no answer");

  const isSame = (row, values) => Object.keys(row).every((name) => row[name] === values[name]);

  const sizeOf = (plan) =>
    `${plan.read.toLocaleString("en")} of ${count(plan.rows, "row")}, in ${count(plan.ranges.length, "range")}`;

  // What a plan tells of a key that loses rows or their order.
  const faults = (plan) =>
    [
      plan.lost.length && `${count(plan.lost.length, "row")} lost: ${plan.lost[0]}`,
      plan.misread.length && `${count(plan.misread.length, "row")} read back wrongly: ${plan.misread[0]}`,
      plan.disordered && `The rows are not in the order of their values: ${plan.disordered}`,
    ].filter(Boolean);

  function wide(label, heads, rows) {
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
    return element("div", { class: "x-wide", tabindex: "0", role: "group", "aria-label": label }, table);
  }

  function rangesOf(plan) {
    const shown = plan.ranges.slice(0, MAX_RANGES);
    const code = (text) => element("td", {}, element("code", {}, text));
    const rows = shown.map(({ start, stop, words }) =>
      element(
        "tr",
        {},
        code(spaced(start) || "the first row"),
        code(stop === null ? "the end" : spaced(stop)),
        element("td", { class: "x-words" }, words),
      ),
    );
    const more = plan.ranges.length > shown.length ? `and ${count(plan.ranges.length - shown.length, "more range")}` : "";
    return element("div", {}, wide("Ranges", ["start (included)", "stop (excluded)", "rows"], rows), more);
  }

  // ---- editable examples

  function editable(root) {
    const pre = root.querySelector("pre");
    if (!pre) return;
    const original = pre.textContent.replace(/\n+$/, "\n");
    root.append(startButton("Edit and run this example", () => open()));

    function open() {
      const area = element("textarea", { "aria-label": "Python", spellcheck: "false", rows: original.split("\n").length });
      area.value = original;
      const out = element("pre", { class: "x-output", tabindex: "0", role: "group", "aria-label": "Output" });
      const says = element("span", { role: "status" });
      const run = element("button", { type: "button" }, "Run");
      const putBack = () => {
        area.value = original;
        area.focus();
      };
      const reset = element("button", { type: "button", onclick: putBack }, "Reset");
      let running = null; // what stands for the present run
      run.onclick = async () => {
        if (running) return halt();
        const mine = (running = {});
        run.textContent = "Stop";
        says.textContent = "Running";
        const roots = [...document.querySelectorAll(".editable")];
        const before = roots.slice(0, roots.indexOf(root)).map(codeOf); // what this example may need
        const answer = await ask("run", { code: area.value, before });
        if (running !== mine) return; // it was stopped
        running = null;
        run.textContent = "Run";
        out.textContent = answer.output ?? answer.failed ?? answer.refused;
        const isFailed = answer.is_failed !== false;
        out.classList.toggle("x-refused", isFailed);
        const expected = expectedOf(root);
        const isSame = expected !== null && area.value === original && answer.output?.trim() === expected.trim();
        says.textContent = isSame ? "Same output as on this page" : isFailed ? "Failed" : "Done";
      };
      async function halt() {
        running = null;
        run.textContent = "Run";
        says.textContent = "Stopped. Restarting Python";
        stop(STOPPED);
        const isStarted = await start().then(() => true, () => false);
        if (!running) says.textContent = isStarted ? "Stopped" : "Stopped. Python did not start: Run tries again";
      }
      (pre.closest("[class*=highlight-]") ?? pre).hidden = true; // as Sphinx wraps it
      const ofPage = expectedOf(root) === null ? null : element("p", { class: "x-note" }, "The output on this page:");
      root.append(area, element("div", { class: "x-bar" }, run, reset, says), out, ...(ofPage ? [ofPage] : []));
      area.focus();
      area.setSelectionRange(0, 0);
      area.scrollTop = 0;
    }
  }

  // The code of an example, as a reader left it.
  const codeOf = (root) => root.querySelector("textarea")?.value ?? root.querySelector("pre").textContent;

  // The output that the page shows after an example: the block of text that follows it, if one does.
  function expectedOf(root) {
    const next = root.nextElementSibling;
    return next?.matches(".highlight-text") ? next.querySelector("pre").textContent : null;
  }

  function begin() {
    document.head.append(element("link", { rel: "stylesheet", href: new URL("explorer.css", folder) }));
    for (const root of document.querySelectorAll(".explorer[data-design]")) new Explorer(root);
    for (const root of document.querySelectorAll(".editable")) editable(root);
    window.rowbookExplorer = { python, send }; // for tests
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
