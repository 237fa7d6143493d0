// The list of suggestions, one of them open.

export const keyOf = (head, tail) => JSON.stringify([head, tail]);

export const percent = (share) =>
  share > 0 && share < 0.005 ? "< 1 %" : share < 1 && share > 0.995 ? "> 99 %" : `${Math.round(share * 100)} %`;

// Calls `open(suggestion, item)` when one is opened.
export function suggestionList(list, open) {
  const rows = []; // {suggestion, item, button, verdict, saving}
  const byKey = new Map();
  let current = -1;

  const self = {
    clear() {
      rows.length = 0;
      byKey.clear();
      current = -1;
      list.replaceChildren();
    },

    add(suggestion) {
      const key = keyOf(suggestion.head, suggestion.tail);
      if (byKey.has(key)) return;
      const row = rowOf(suggestion);
      row.button.addEventListener("click", () => self.open(rows.indexOf(row)));
      rows.push(row);
      byKey.set(key, row);
      list.append(row.item);
      mark(row);
    },

    open(place, focus = true) {
      if (!rows[place]) return;
      rows[current]?.button.setAttribute("aria-expanded", "false");
      current = place;
      const { button, item, suggestion } = rows[place];
      button.setAttribute("aria-expanded", "true");
      if (focus) button.focus({ preventScroll: true });
      open(suggestion, item);
    },

    openKey(key) {
      const place = rows.findIndex(({ suggestion }) => keyOf(suggestion.head, suggestion.tail) === key);
      if (place >= 0) self.open(place);
      return place >= 0;
    },

    move: (step) => self.open(Math.min(Math.max(current + step, 0), rows.length - 1)),

    // None is open any more.
    close() {
      rows[current]?.button.setAttribute("aria-expanded", "false");
      current = -1;
    },

    // The next ones that nobody has decided about, below first, then from the top.
    upcoming(count) {
      const order = [...rows.keys()].map((i) => (current + 1 + i) % rows.length);
      const free = order.filter((i) => i !== current && !rows[i].suggestion.decision && !rows[i].saving);
      return free.slice(0, count).map((i) => rows[i].suggestion);
    },

    next() {
      const [suggestion] = self.upcoming(1);
      return Boolean(suggestion) && self.openKey(keyOf(suggestion.head, suggestion.tail));
    },

    // What holds for a fact has changed, here or in another window.
    decide(head, tail, decision) {
      const row = byKey.get(keyOf(head, tail));
      if (!row) return;
      row.suggestion.decision = decision;
      mark(row);
    },

    // What this window is about to change: "accepted", "rejected", "skipped", "undone", or null when that is over.
    saving(head, tail, change) {
      const row = byKey.get(keyOf(head, tail));
      if (!row) return;
      row.saving = change;
      mark(row);
    },

    get current() {
      return rows[current]?.suggestion ?? null;
    },
    get length() {
      return rows.length;
    },
    get decided() {
      return rows.filter(({ suggestion }) => suggestion.decision).length;
    },
  };
  return self;
}

function span(kind, text) {
  const element = document.createElement("span");
  element.className = kind;
  element.textContent = text;
  return element;
}

function rowOf(suggestion) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fact";
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", "evidence");
  const names = span("names", "");
  names.append(span("head", suggestion.head_label), span("arrow", " → "), span("tail", suggestion.tail_label));
  const probability = span("probability", percent(suggestion.probability));
  const verdict = span("verdict", "");
  button.append(names, probability, span("why", suggestion.because[0] ?? ""), verdict);
  item.style.setProperty("--share", suggestion.probability);
  item.append(button);
  return { suggestion, item, button, verdict, saving: null };
}

function mark({ suggestion, item, verdict, saving }) {
  const { decision } = suggestion;
  item.className = saving ?? decision?.verdict ?? "";
  if (saving) verdict.textContent = `${saving}, being saved`;
  else if (decision) verdict.textContent = `${decision.verdict} by ${decision.reviewer}`;
  else verdict.textContent = suggestion.warnings.length ? "warning" : "";
}
