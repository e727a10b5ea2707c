// The list of predictions: rows, filter, order, what is open; and the pieces that a folder keeps beside the page.
const byId = (id) => document.getElementById(id);
const head = JSON.parse(byId("head").textContent);
const PAGE = 100;
const USUAL = ["bleu", "codebleu:k4black", "codebleu", "edit"];

// Makes an element; texts become text, never markup.
function make(tag, attributes, ...children) {
  const it = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false) it.setAttribute(name, value === true ? "" : value);
  }
  it.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return it;
}

const pieces = new Map();
const arrived = new Map();

// What the files of a folder call.
function focalist(kind, number, value) {
  arrived.get(`${kind}-${number}`)(value);
}

// Returns a promise of a piece: out of the page, else out of its file.
function piece(kind, number) {
  const name = `${kind}-${number}`;
  if (!pieces.has(name)) {
    pieces.set(
      name,
      new Promise((resolve, reject) => {
        if (!head.is_folder) {
          resolve(JSON.parse(byId(kind).textContent));
          return;
        }
        arrived.set(name, resolve);
        const script = document.createElement("script");
        script.src = `${name}.js`;
        script.addEventListener("error", () => {
          pieces.delete(name);
          reject(new Error(`${name}.js is not beside this page`));
        });
        document.head.append(script);
      }),
    );
  }
  return pieces.get(name);
}

const rows = [];
let shown = [];
let limit = PAGE;
// The row that j and k go on from, as its place among all; and the one that is open.
let current = -1;
let opened = -1;
let loaded = null;

const lead = (() => {
  const ids = head.metrics.map((it) => it.id);
  const first = USUAL.find((id) => ids.includes(id));
  return first ? ids.indexOf(first) : ids.length ? 0 : -1;
})();

// Returns a name that may be broken where its parts end.
function breakable(name) {
  return name.split(/(?<=[._])|(?<=[a-z])(?=[A-Z])/).flatMap((part, idx) => (idx ? [make("wbr"), part] : [part]));
}

const columns = () => {
  const list = [
    { name: "sample", sort: "key", cell: (row, idx) => make("a", { href: hashOf(row), class: "key", "data-idx": idx }, row.key.slice(0, 8)) },
  ];
  if (head.runs.length > 1) list.push({ name: "run", sort: "run", cell: (row) => head.runs[row.run] });
  list.push({ name: "repository", sort: "repo", cell: (row) => row.repo });
  list.push({ name: "test", sort: "test", cell: (row) => [...breakable(row.test), row.attempt ? ` #${row.attempt}` : ""] });
  list.push({ name: "focal method", sort: "focal", cell: (row) => (row.focal ? breakable(row.focal) : "–") });
  list.push({ name: "parses", sort: "parse", cell: (row) => ({ ok: "yes", fail: "no", unread: "–" })[row.parse] });
  if (lead >= 0) {
    list.push({ name: head.metrics[lead].title, sort: head.metrics[lead].id, number: true, cell: (row) => decimals(row.scores[lead]) });
  }
  if (rows.some((row) => row.ran)) list.push({ name: "ran", sort: "ran", cell: (row) => row.ran || "–" });
  list.push({
    name: "tags",
    sort: "tag",
    cell: (row) => (row.ruling ? `✎ ${row.ruling.join(" ") || "none"}` : row.tags.join(" ")),
  });
  if (rows.some((row) => row.verdict)) list.push({ name: "verdicts", sort: "verdict", cell: (row) => (row.verdict || []).join(" ") });
  return list;
};

const decimals = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));

function hashOf(row) {
  const attempt = row.attempt || 0;
  if (row.run === 0 && attempt === 0) return `#${row.key}`;
  const run = encodeURIComponent(head.runs[row.run]);
  return `#${row.key}/${run}${attempt ? `/${attempt}` : ""}`;
}

// Returns the place of the row that a link names; the first digits of a key are enough.
function placeOf(hash) {
  const [key, run, attempt] = hash.replace(/^#/, "").split("/");
  if (!/^[0-9a-f]{6,32}$/.test(key)) return -1;
  let name = run;
  try {
    name = run === undefined ? undefined : decodeURIComponent(run);
  } catch {
    return -1;
  }
  return rows.findIndex(
    (row) =>
      row.key.startsWith(key) &&
      (name === undefined || head.runs[row.run] === name) &&
      (attempt === undefined || (row.attempt || 0) === Number(attempt)),
  );
}

// Looks for text in what the page itself holds of a prediction.
function look(field, text, idx) {
  if (!loaded) return false;
  const detail = loaded.details[idx];
  if (field === "answer") {
    const answer = (detail.pieces || []).filter((it) => it[0] !== 1).map((it) => it[1]);
    return answer.join("").toLowerCase().includes(text);
  }
  const sample = loaded.samples[detail.sample];
  return Boolean(sample) && sample.sources.some(([, place]) => loaded.sources[place].text.toLowerCase().includes(text));
}

function say(text, isWrong) {
  const said = byId("said");
  said.textContent = text;
  said.classList.toggle("wrong", Boolean(isWrong));
}

// Chooses and orders the rows, and draws the list anew.
function refresh() {
  let asked;
  try {
    asked = compile(byId("filter").value, head, look);
  } catch (wrong) {
    if (typeof wrong !== "string") throw wrong;
    say(wrong, true);
    return;
  }
  shown = rows.map((_, idx) => idx).filter((idx) => asked.holds(rows[idx], idx));
  for (const [get, descending] of asked.order.reverse()) {
    const known = (idx) => {
      const value = get(rows[idx]);
      return value === undefined || value === null || value === "" ? undefined : value;
    };
    shown.sort((a, b) => {
      const [one, other] = [known(a), known(b)];
      // What has no value comes last either way.
      if (one === undefined || other === undefined) return (one === undefined) - (other === undefined);
      const way = one < other ? -1 : one > other ? 1 : 0;
      return descending ? -way : way;
    });
  }
  limit = PAGE;
  opened = -1;
  current = -1;
  const all = rows.length < head.n_rows ? `, ${rows.length} of ${head.n_rows} are loaded` : "";
  say(shown.length === rows.length ? `${rows.length} predictions${all}` : `${shown.length} of ${rows.length} predictions${all}`);
  drawHead();
  draw();
}

function sortedBy() {
  const found = /(?:^|\s)sort:(-?)(\S+)/.exec(byId("filter").value);
  return found ? { name: found[2], descending: found[1] === "-" } : {};
}

function drawHead() {
  const order = sortedBy();
  const cells = columns().map((column) => {
    const is = order.name === column.sort;
    const button = make("button", { type: "button", "data-sort": column.sort }, column.name, is ? (order.descending ? " ▾" : " ▴") : "");
    return make(
      "th",
      { scope: "col", class: column.number && "n", "aria-sort": is ? (order.descending ? "descending" : "ascending") : "none" },
      button,
    );
  });
  byId("list-head").replaceChildren(make("tr", {}, cells));
}

function draw() {
  const list = columns();
  const drawn = shown.slice(0, limit).map((idx) => drawRow(list, idx));
  byId("list").replaceChildren(...drawn);
  const left = shown.length - limit;
  byId("more").hidden = left <= 0;
  byId("more").textContent = `Show ${Math.min(left, PAGE)} more of ${left}`;
}

function drawRow(list, idx) {
  const row = rows[idx];
  const cells = list.map((column) => {
    const cell = column.cell(row, idx);
    const isBad = column.sort === "parse" && row.parse === "fail";
    return make("td", { "data-label": column.name, class: column.number ? "n" : isBad ? "bad" : undefined }, cell);
  });
  return make("tr", { id: `row-${idx}`, class: "row" }, cells);
}

// Opens a row's details below it, and shows it; a filter that hides the row is given up.
async function open(idx) {
  if (!shown.includes(idx)) {
    byId("filter").value = "";
    refresh();
  }
  const place = shown.indexOf(idx);
  if (place >= limit) {
    limit = Math.ceil((place + 1) / PAGE) * PAGE;
    draw();
  }
  close();
  opened = idx;
  go(place);
  let found;
  try {
    found = await piece("details", Math.floor(idx / head.details_a_piece));
  } catch (error) {
    say(error.message, true);
    return;
  }
  if (opened !== idx) return;
  const row = byId(`row-${idx}`);
  row.classList.add("open");
  row.querySelector("a").setAttribute("aria-expanded", "true");
  const cell = make("td", { colspan: row.children.length }, drawDetail(rows[idx], found, idx % head.details_a_piece));
  row.after(make("tr", { class: "detail" }, cell));
  row.scrollIntoView({ block: "start" });
}

function close() {
  if (opened < 0) return;
  const row = byId(`row-${opened}`);
  if (row) {
    row.classList.remove("open");
    row.querySelector("a").removeAttribute("aria-expanded");
    if (row.nextElementSibling && row.nextElementSibling.className === "detail") row.nextElementSibling.remove();
  }
  opened = -1;
}

// Goes to a place in the list.
function go(place) {
  if (place < 0 || place >= shown.length) return;
  if (place >= limit) {
    limit += PAGE;
    draw();
  }
  current = shown[place];
  const row = byId(`row-${current}`);
  row.querySelector("a").focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function code(text, ...parts) {
  return make("pre", { class: "code", tabindex: "0" }, text, ...parts);
}

function facts(list) {
  return make("ul", { class: "facts" }, list.map((it) => make("li", {}, it)));
}

function titled(title, ...children) {
  return make("div", { class: "part" }, make("h4", {}, title), ...children);
}

function drawDetail(row, found, place) {
  const detail = found.details[place];
  const sample = found.samples[detail.sample];
  const parts = [
    make("h3", {}, row.test),
    facts([head.runs[row.run] + (row.attempt ? `, answer ${row.attempt}` : ""), ...detail.facts]),
  ];
  if (detail.pieces) parts.push(drawTexts(detail.pieces));
  if (detail.reasons.length) {
    const reasons = detail.reasons.map((it) => make("li", {}, make("b", {}, it.tag), ` ${it.text}`));
    parts.push(titled("Why it has its tags", make("ul", {}, reasons)));
  }
  if (detail.answer !== undefined) {
    parts.push(make("details", {}, make("summary", {}, "The answer as it was written"), code(detail.answer)));
  }
  const scores = head.metrics.map((it, idx) => [it.title, row.scores[idx]]).filter((it) => it[1] !== null);
  if (scores.length) {
    const list = scores.map(([title, value]) => make("div", {}, make("dt", {}, title), make("dd", {}, decimals(value))));
    parts.push(titled("Scores", make("dl", { class: "scores" }, list)));
  }
  parts.push(drawOthers(row));
  if (sample) parts.push(drawSample(sample, found.sources));
  return make("article", {}, parts);
}

function drawTexts(list) {
  const side = (other, tag) => list.filter((it) => it[0] !== other).map((it) => (it[0] === 0 ? it[1] : make(tag, {}, it[1])));
  return make(
    "div",
    { class: "texts" },
    titled("True text", code(...side(2, "del"))),
    titled("Prediction", code(...side(1, "ins"))),
  );
}

// Other answers to the same sample.
function drawOthers(row) {
  const others = rows.filter((it) => it.key === row.key && it !== row);
  if (!others.length) return null;
  const links = others.map((it) => {
    const name = head.runs[it.run] + (it.attempt ? `, answer ${it.attempt}` : "");
    return make("li", {}, make("a", { href: hashOf(it) }, name), lead >= 0 ? ` ${decimals(it.scores[lead])}` : "");
  });
  return titled("Other answers", make("ul", { class: "facts" }, links));
}

function drawSample(sample, all) {
  const license = sample.license || "licence unknown";
  const from = [sample.repo, sample.commit && sample.commit.slice(0, 12), license].filter((it) => it);
  const sources = sample.sources.map(([role, place], idx) => {
    const it = all[place];
    const where = make("p", { class: "where" }, `${it.path}:${it.line} · ${license}`);
    return make(
      "details",
      { open: idx < 2 },
      make("summary", {}, make("b", {}, role), " ", make("code", {}, it.key)),
      where,
      code(it.text),
    );
  });
  const parts = [titled("Sample", facts([...from, ...sample.facts])), ...sources];
  if (sample.candidates.length) {
    const list = sample.candidates.map((it) =>
      make("li", {}, `${it.weight.toFixed(2)} `, make("code", {}, it.key), it.is_picked && " ← chosen"),
    );
    parts.push(make("details", {}, make("summary", {}, `${sample.candidates.length} candidates`), make("ul", {}, list)));
  }
  if (sample.people.length) parts.push(titled("What people say", make("ul", {}, sample.people.map((it) => make("li", {}, it)))));
  return make("div", {}, parts);
}

function follow() {
  const place = placeOf(location.hash);
  if (place >= 0) open(place);
}

// Keys as in the terminal.
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target === byId("filter");
  if (event.key === "Escape") {
    if (isTyping) event.target.blur();
    else if (opened >= 0) {
      const place = shown.indexOf(opened);
      close();
      go(place);
    }
    return;
  }
  if (isTyping) {
    if (event.key === "Enter") go(0);
    return;
  }
  const step = { j: 1, k: -1 }[event.key];
  if (step) {
    event.preventDefault();
    const place = shown.indexOf(current);
    const next = place < 0 ? 0 : Math.max(0, Math.min(place + step, shown.length - 1));
    if (opened >= 0 && shown[next] !== opened) location.hash = hashOf(rows[shown[next]]);
    else go(next);
  } else if (event.key === "/") {
    event.preventDefault();
    byId("filter").focus();
    byId("filter").select();
  }
}

function clicked(event) {
  const link = event.target.closest("a.key");
  if (link && Number(link.dataset.idx) === opened) {
    event.preventDefault();
    close();
    history.replaceState(null, "", "#predictions");
    return;
  }
  if (link && link.hash === location.hash) open(Number(link.dataset.idx));
  const row = event.target.closest("tr.row");
  if (row && !link && !String(getSelection())) row.querySelector("a").click();
  const button = event.target.closest("button[data-sort]");
  if (button) {
    const order = sortedBy();
    const name = button.dataset.sort;
    const isNumber = head.metrics.some((it) => it.id === name);
    const descending = order.name === name ? !order.descending : isNumber;
    const rest = byId("filter").value.replace(/(^|\s)sort:\S+/g, "").trim();
    byId("filter").value = `${rest} sort:${descending ? "-" : ""}${name}`.trim();
    refresh();
    byId("list-head").querySelector(`[data-sort="${name}"]`).focus();
  }
}

function drawHelp() {
  const list = fields(head).map(([name, about]) => make("div", {}, make("dt", {}, make("code", {}, name)), make("dd", {}, about)));
  byId("help").append(
    make("dl", {}, list),
    make("p", {}, "Terms side by side must all hold; or, not, - and parentheses as in the program; ranges as in bleu:0.2..0.5."),
  );
}

async function start() {
  drawHelp();
  byId("help-button").addEventListener("click", () => {
    const help = byId("help");
    help.hidden = !help.hidden;
    byId("help-button").setAttribute("aria-expanded", String(!help.hidden));
  });
  byId("filter").addEventListener("input", refresh);
  byId("more").addEventListener("click", () => {
    limit += PAGE;
    draw();
  });
  document.addEventListener("keydown", pressed);
  byId("predictions").addEventListener("click", clicked);
  window.addEventListener("hashchange", follow);
  if (!head.is_folder) loaded = await piece("details", 0);
  try {
    for (let number = 0; rows.length < head.n_rows; number += 1) {
      const more = await piece("rows", number);
      if (!more.length) break;
      for (const row of more) rows.push(row);
      // What is there is shown before the rest has come.
      if (number === 0) refresh();
    }
    refresh();
  } catch (error) {
    say(error.message, true);
  }
  follow();
}

start();
