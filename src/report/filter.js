// The filter language, as far as a page can answer it: the grammar is that of the program, the fields are fewer.
const OUTCOMES = ["unparsable", "not_compilable", "not_executed", "timeout", "crash", "failing", "passing", "correct"];
const NAMES = {
  repo: ["the repository's name", (row) => [row.repo]],
  test: ["the test's name", (row) => [row.test]],
  focal: ["the focal method", (row) => [row.focal]],
  name: ["the test's or the focal method's name; the field of a bare word", (row) => [row.test, row.focal]],
  license: ["the repository's licence, or none", (row) => [row.license]],
  run: ["the run", (row, head) => [head.runs[row.run]]],
};
const WORDS = {
  parse: ["ok, fail, unread", (row) => [row.parse]],
  ran: ["what became of it when it was run; blocked, none; also ran>=passing", (row) => [row.ran]],
  tag: ["how it differs, as the machine says, or none", (row) => row.tags],
  ruling: ["how it differs, as people say, or none", (row) => row.ruling],
  verdict: ["what people say of the sample's match, or none", (row) => row.verdict],
  split: ["train, validation, test", (row) => [row.split]],
  assertion: ["the true text's first assertion call, or none", (row) => [row.assertion]],
};
const NUMBERS = {
  attempt: ["0 for the first answer", (row) => row.attempt || 0],
  "prediction-tokens": ["tokens of the prediction", (row) => row.tokens],
  "reference-tokens": ["tokens of the true text", (row) => row.reference_tokens],
};
const TEXTS = {
  text: "text in the test, the focal method and their contexts",
  answer: "text in the prediction",
};

// Returns all fields with what each asks.
function fields(head) {
  const list = [...Object.entries({ ...NAMES, ...WORDS, ...NUMBERS })].map(([name, it]) => [name, it[0]]);
  list.push(["key", "the sample's key, or its first digits"]);
  if (!head.is_folder && head.has_sources) list.push(...Object.entries(TEXTS));
  list.push(...head.metrics.map((it) => [it.id, it.title + ", 0 to 1"]));
  list.push(["sort", "the order, as in sort:-bleu sort:repo"]);
  return list;
}

// Returns the condition that a text states and its order; throws a text that says what is wrong with it.
function compile(input, head, look) {
  const metric = (name) => head.metrics.findIndex((it) => it.id === name);
  let at = 0;
  const order = [];

  function space() {
    while (at < input.length && /\s/.test(input[at])) at += 1;
  }
  function word() {
    const found = /^(and|or|not|AND|OR|NOT)(?=[\s()]|$)/.exec(input.slice(at));
    return found && found[1].toLowerCase();
  }
  function any() {
    const parts = [all()];
    for (;;) {
      space();
      if (word() !== "or") break;
      at += 2;
      parts.push(all());
    }
    return parts.length === 1 ? parts[0] : (row, idx) => parts.some((it) => it(row, idx));
  }
  function all() {
    const parts = [];
    for (;;) {
      space();
      if (at >= input.length || input[at] === ")" || word() === "or") break;
      if (word() === "and") {
        at += 3;
        continue;
      }
      parts.push(term());
    }
    return (row, idx) => parts.every((it) => it(row, idx));
  }
  function term() {
    space();
    if (word() === "not") {
      at += 3;
      const it = term();
      return (row, idx) => !it(row, idx);
    }
    const negated = input[at] === "-";
    if (negated) at += 1;
    let it;
    if (input[at] === "(") {
      at += 1;
      it = any();
      if (input[at] !== ")") throw "a parenthesis is not closed";
      at += 1;
    } else {
      it = condition();
    }
    return negated ? (row, idx) => !it(row, idx) : it;
  }
  // Reads up to a blank or a parenthesis that is not the value's own.
  function value() {
    if (input[at] === '"') {
      let text = "";
      for (at += 1; at < input.length && input[at] !== '"'; at += 1) {
        if (input[at] === "\\" && at + 1 < input.length) at += 1;
        text += input[at];
      }
      if (at >= input.length) throw "a quote is not closed";
      at += 1;
      return text;
    }
    const from = at;
    for (let depth = 0; at < input.length && !/\s/.test(input[at]); at += 1) {
      if (input[at] === "(") depth += 1;
      if (input[at] === ")" && (depth -= 1) < 0) break;
    }
    return input.slice(from, at);
  }
  function condition() {
    const rest = input.slice(at);
    const known = fields(head)
      .map((it) => it[0])
      .sort((a, b) => b.length - a.length);
    const field = known.find((it) => rest.startsWith(it) && /^[:=<>]/.test(rest.slice(it.length)));
    if (field) {
      at += field.length;
      const sign = /^(==|<=|>=|[:=<>])/.exec(input.slice(at))[1];
      at += sign.length;
      return of(field, sign, value());
    }
    const other = input[at] !== '"' && /^([^\s:=<>"()]+)[:=<>]/.exec(rest);
    if (other) throw `no field ${other[1]} here; known: ${known.sort().join(" ")}`;
    const text = value();
    if (!text) throw "there is nothing to look for";
    return of("name", ":", text);
  }
  function of(field, sign, text) {
    if (field === "sort") return sorted(text);
    if (!text) throw `${field} needs a value`;
    if (field in TEXTS) return (row, idx) => look(field, text.toLowerCase(), idx);
    if (field === "key") {
      const keys = text.toLowerCase().split(",");
      return (row) => keys.some((it) => row.key.startsWith(it));
    }
    if (field in NAMES) return named(NAMES[field][1], sign, text.toLowerCase());
    if (field in WORDS) return words(field, sign, text.toLowerCase());
    const place = metric(field);
    const get = place < 0 ? NUMBERS[field][1] : (row) => row.scores[place];
    return number(get, field, sign, text);
  }
  function named(get, sign, text) {
    const is = (it) => (sign === "==" ? it === text : it.includes(text));
    return (row) => {
      const values = get(row, head).filter((it) => it !== undefined);
      return values.some((it) => is(it.toLowerCase())) || (text === "none" && values.length === 0);
    };
  }
  function words(field, sign, text) {
    const get = WORDS[field][1];
    if (field === "ran" && /[<>]/.test(sign)) {
      const bound = OUTCOMES.indexOf(text);
      if (bound < 0) throw `ran takes ${OUTCOMES.join(" ")}`;
      return (row) => row.ran !== undefined && row.ran !== "blocked" && compares(OUTCOMES.indexOf(row.ran), sign, bound);
    }
    const wanted = text.split(",");
    return (row) => {
      const values = (get(row) || []).filter((it) => it);
      return wanted.some((it) => (it === "none" && values.length === 0) || values.some((has) => has.toLowerCase() === it));
    };
  }
  function number(get, field, sign, text) {
    const range = /^([0-9.]+?)\.\.([0-9.]+)$/.exec(text);
    const numbers = range ? [range[1], range[2]] : text.split(",");
    const values = numbers.map(Number);
    if (values.some((it) => Number.isNaN(it))) throw `${field} takes numbers`;
    return (row) => {
      const it = get(row);
      if (it === undefined || it === null) return false;
      if (range) return it >= values[0] && it <= values[1];
      return values.some((bound) => compares(it, sign, bound));
    };
  }
  function compares(it, sign, bound) {
    switch (sign) {
      case "<": return it < bound;
      case "<=": return it <= bound;
      case ">": return it > bound;
      case ">=": return it >= bound;
      case "==": return it === bound;
      default: return Math.abs(it - bound) < 0.005;
    }
  }
  function sorted(text) {
    const descending = text.startsWith("-");
    const name = descending ? text.slice(1) : text;
    const place = metric(name);
    let get;
    if (place >= 0) get = (row) => row.scores[place];
    else if (name in NUMBERS) get = NUMBERS[name][1];
    else if (name === "key") get = (row) => row.key;
    else if (name === "ran") get = (row) => (row.ran === undefined ? undefined : OUTCOMES.indexOf(row.ran));
    else if (name in NAMES) get = (row) => NAMES[name][1](row, head)[0];
    else if (name in WORDS) get = (row) => (WORDS[name][1](row) || [])[0];
    else throw `nothing is sorted by ${name}`;
    order.push([get, descending]);
    return () => true;
  }

  const holds = any();
  space();
  if (at < input.length) throw "a parenthesis is closed that was not opened";
  return { holds, order };
}
