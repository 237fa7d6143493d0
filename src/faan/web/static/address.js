// What is shown, as the page's address: a link can be shared, and the browser's back button works.

export const DEFAULTS = { top: 3, limit: 50, order: "head", least: 0 };

export function readAddress() {
  const query = new URLSearchParams(location.search);
  const number = (name, most) => {
    const value = Number.parseInt(query.get(name), 10);
    return value >= 1 && value <= most ? value : DEFAULTS[name];
  };
  return {
    relation: query.get("relation") ?? "",
    examples: query.getAll("example").map(pairOf).filter(Boolean),
    heads: query.getAll("head"),
    tails: query.getAll("tail"),
    top: number("top", 100),
    limit: number("limit", 1000),
    known: query.get("known") === "show" ? "show" : "skip",
    strict: query.get("schema") === "strict",
    accepted: Math.max(Number.parseInt(query.get("accepted"), 10) || 0, 0),
    order: query.get("order") === "surest" ? "surest" : DEFAULTS.order,
    least: percentIn(query.get("least")),
    open: pairOf(query.get("open")),
  };
}

export function addressOf(state) {
  const query = new URLSearchParams();
  query.set("relation", state.relation);
  state.examples.forEach((pair) => query.append("example", JSON.stringify(pair)));
  state.heads.forEach((name) => query.append("head", name));
  state.tails.forEach((name) => query.append("tail", name));
  for (const name of ["top", "limit", "order", "least"]) {
    if (state[name] !== DEFAULTS[name]) query.set(name, state[name]);
  }
  if (state.known === "show") query.set("known", "show");
  if (state.strict) query.set("schema", "strict");
  if (state.accepted) query.set("accepted", state.accepted);
  if (state.open) query.set("open", JSON.stringify(state.open));
  return `/?${query}`;
}

// The number from 0 to 100 in a text.
export const percentIn = (text) => Math.min(Math.max(Number.parseFloat(text) || 0, 0), 100);

// The part of the state that the server calls a question.
export function questionOf(state) {
  const question = { relation: state.relation, accepted_until: state.accepted };
  if (state.examples.length) question.examples = state.examples;
  return question;
}

function pairOf(text) {
  try {
    const pair = JSON.parse(text);
    return Array.isArray(pair) && pair.length === 2 && pair.every((name) => typeof name === "string") ? pair : null;
  } catch {
    return null;
  }
}
