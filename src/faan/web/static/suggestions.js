// The list of suggestions, one of them open: in the order in which they came, grouped by head, or the surest first.

import { element, named } from "./dom.js";

export const keyOf = (head, tail) => JSON.stringify([head, tail]);

// As rendering.py has it: 0 % and 100 % only where it is exactly that.
export function percent(share) {
  const whole = Math.round(share * 100);
  if (whole === 0 && share > 0) return "< 1 %";
  return whole === 100 && share < 1 ? "> 99 %" : `${whole} %`;
}

const isFree = ({ suggestion, saving }) => !suggestion.decision && !saving;

// Calls `open(suggestion, item)` when one is opened, and `rejectRest(suggestions)` with those of a group that are undecided.
export function suggestionList(list, { open, rejectRest }) {
  const rows = []; // {suggestion, item, button, verdict, saving, number}, as they came
  const byKey = new Map();
  const groups = new Map(); // {item, list, rest} by head, or by tail where heads were asked for
  let shown = []; // the rows that are in view, in order
  let current = null;
  let settings = { surest: false, least: 0, byTail: false };

  const before = (one, two) =>
    settings.surest && one.suggestion.probability !== two.suggestion.probability
      ? one.suggestion.probability > two.suggestion.probability
      : one.number < two.number;

  function insert(row) {
    if (row.suggestion.probability < settings.least) return;
    let place = shown.length;
    while (place > 0 && before(row, shown[place - 1])) place -= 1;
    if (settings.surest) list.insertBefore(row.item, shown[place]?.item ?? null);
    else groupOf(row).list.append(row.item);
    shown.splice(place, 0, row);
  }

  const asked = ({ suggestion }) => (settings.byTail ? suggestion.tail : suggestion.head);

  function groupOf(row) {
    const key = asked(row);
    if (!groups.has(key)) {
      const { head, head_label, tail, tail_label } = row.suggestion;
      const group = newGroup(...(settings.byTail ? [tail_label, tail] : [head_label, head]));
      group.rest.addEventListener("click", () => rejectRest(self.restOf(row.suggestion)));
      list.append(group.item);
      groups.set(key, group);
    }
    return groups.get(key);
  }

  function refreshGroup(row) {
    const group = groups.get(asked(row));
    if (!group) return;
    const members = shown.filter((other) => asked(other) === asked(row));
    const free = members.filter(isFree).length;
    group.title.hidden = members.length < 2;
    group.count.textContent = `${members.length} suggestions`;
    group.rest.hidden = !free;
    group.rest.textContent = free === members.length ? `Reject all ${free}` : `Reject the other${free > 1 ? ` ${free}` : ""}`;
  }

  function mark(row) {
    const { suggestion, item, verdict, saving } = row;
    const { decision } = suggestion;
    item.className = saving ?? decision?.verdict ?? "";
    if (saving) verdict.textContent = `${saving}, being saved`;
    else if (decision) verdict.textContent = `${decision.verdict} by ${decision.reviewer}`;
    else verdict.textContent = suggestion.warnings.length ? "warning" : "";
    refreshGroup(row);
  }

  const self = {
    clear() {
      rows.length = shown.length = 0;
      byKey.clear();
      groups.clear();
      current = null;
      list.replaceChildren();
    },

    // How to show them: {surest, least, byTail}.
    arrange(wanted) {
      settings = wanted;
      shown = [];
      groups.clear();
      list.replaceChildren();
      rows.forEach(insert);
      shown.forEach(refreshGroup);
      if (current && !shown.includes(current)) self.close();
    },

    add(suggestion) {
      const key = keyOf(suggestion.head, suggestion.tail);
      if (byKey.has(key)) return;
      const row = { ...rowOf(suggestion), number: rows.length };
      row.button.addEventListener("click", () => openRow(row));
      rows.push(row);
      byKey.set(key, row);
      insert(row);
      mark(row);
    },

    // Opens one by its key; false if it is not in view.
    openKey(key, focus = true) {
      const row = byKey.get(key);
      if (!row || !shown.includes(row)) return false;
      openRow(row, focus);
      return true;
    },

    openFirst: (focus = true) => shown.length > 0 && openRow(shown[0], focus),

    move(step) {
      const place = shown.indexOf(current) + step;
      if (shown.length) openRow(shown[Math.min(Math.max(place, 0), shown.length - 1)]);
    },

    // Closes the open suggestion.
    close() {
      current?.button.setAttribute("aria-expanded", "false");
      current = null;
    },

    // The next undecided ones, below first, then from the top.
    upcoming(count) {
      const place = shown.indexOf(current);
      const order = [...shown.slice(place + 1), ...shown.slice(0, Math.max(place, 0))];
      return order.filter(isFree).slice(0, count).map(({ suggestion }) => suggestion);
    },

    next() {
      const [suggestion] = self.upcoming(1);
      return Boolean(suggestion) && self.openKey(keyOf(suggestion.head, suggestion.tail));
    },

    // The undecided ones in view: all of some probability, or all of one group.
    atLeast: (least) => shown.filter((row) => isFree(row) && row.suggestion.probability >= least).map((row) => row.suggestion),
    restOf: (suggestion) =>
      shown.filter((row) => isFree(row) && asked(row) === asked({ suggestion })).map((row) => row.suggestion),

    // The decision about a fact has changed, in this or another window.
    decide(head, tail, decision) {
      const row = byKey.get(keyOf(head, tail));
      if (!row) return;
      row.suggestion.decision = decision;
      mark(row);
    },

    // The change that this window is about to make: "accepted", "rejected", "skipped", "undone", or null when that is over.
    saving(head, tail, change) {
      const row = byKey.get(keyOf(head, tail));
      if (!row) return;
      row.saving = change;
      mark(row);
    },

    get current() {
      return current?.suggestion ?? null;
    },
    get length() {
      return shown.length;
    },
    get hidden() {
      return rows.length - shown.length;
    },
    get decided() {
      return shown.filter(({ suggestion }) => suggestion.decision).length;
    },
  };

  function openRow(row, focus = true) {
    self.close();
    current = row;
    row.button.setAttribute("aria-expanded", "true");
    if (focus) row.button.focus({ preventScroll: true });
    open(row.suggestion, row.item);
    return true;
  }

  return self;
}

function newGroup(label, entity) {
  const [item, title, list] = [element("li", "group"), element("div", "group-title"), element("ol")];
  const [name, count, rest] = [named("h3", "", label, entity), element("span", "hint"), element("button", "quiet")];
  rest.type = "button";
  title.append(name, count, rest);
  item.append(title, list);
  return { item, list, title, count, rest };
}

function rowOf(suggestion) {
  const [item, button, names] = [element("li"), element("button", "fact"), element("span", "names")];
  button.type = "button";
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", "evidence");
  const { head, head_label, tail, tail_label } = suggestion;
  names.append(named("span", "head", head_label, head), element("span", "arrow", " → "), named("span", "tail", tail_label, tail));
  const probability = element("span", "probability", percent(suggestion.probability));
  const verdict = element("span", "verdict");
  button.append(names, probability, element("span", "why", suggestion.because[0] ?? ""), verdict);
  item.style.setProperty("--share", suggestion.probability);
  item.append(button);
  return { suggestion, item, button, verdict, saving: null };
}
