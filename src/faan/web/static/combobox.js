// A text field with completion, for mouse, keyboard and screen readers.

import { element } from "./dom.js";
import { get } from "./server.js";

const BUILDING = "The index of names is being built. Until then, type whole names of less important entities.";
let count = 0;

function notice(text) {
  const item = element("li");
  item.setAttribute("role", "presentation");
  item.append(element("small", "", text));
  return item;
}

// `source(text)` is the address to ask, `rows(answer)` what to offer: {name, label, note}; `choose(row)` takes one.
export function combobox(input, source, rows, choose) {
  const list = element("ul", "options");
  list.id = `options-${(count += 1)}`;
  list.setAttribute("role", "listbox");
  list.hidden = true;
  input.after(list);
  for (const [name, value] of Object.entries({
    role: "combobox",
    autocomplete: "off",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
  })) {
    input.setAttribute(name, value);
  }

  let offered = [];
  let active = -1;
  let asking = new AbortController();
  let timer = 0;

  function close() {
    clearTimeout(timer);
    asking.abort();
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function activate(place) {
    active = (place + offered.length) % offered.length;
    [...list.children].slice(0, offered.length).forEach((item, i) => item.setAttribute("aria-selected", String(i === active)));
    input.setAttribute("aria-activedescendant", list.children[active].id);
    list.children[active].scrollIntoView({ block: "nearest" });
  }

  function take(row) {
    close();
    input.value = row.label;
    choose(row);
  }

  function show(found, more) {
    offered = found;
    list.replaceChildren(
      ...found.map((row, i) => {
        const item = element("li");
        item.id = `${list.id}-${i}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        item.append(row.label, element("small", "", row.note));
        item.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
        item.addEventListener("click", () => take(row));
        return item;
      }),
    );
    if (more) list.append(notice(more));
    list.hidden = !list.children.length;
    active = -1;
    input.setAttribute("aria-expanded", String(found.length > 0));
  }

  async function complete() {
    asking.abort();
    asking = new AbortController();
    const text = input.value.trim();
    try {
      const answer = await get(source(text), asking.signal);
      if (document.activeElement === input) show(rows(answer), answer.complete === false ? BUILDING : "");
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(complete, 60);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.stopPropagation();
      close();
    } else if (!list.hidden && offered.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      activate(event.key === "ArrowDown" ? active + 1 : (active < 0 ? 0 : active) - 1);
    } else if (event.key === "Enter" && !list.hidden && active >= 0) {
      event.preventDefault();
      take(offered[active]);
    }
  });
}

// Entities that resemble the given ones come first.
export const entitySource = (like = () => []) => (text) => {
  const query = new URLSearchParams({ q: text.slice(0, 200) });
  like().slice(-20).forEach((name) => query.append("like", name));
  return `/api/entities?${query}`;
};
export const entityRows = (answer) =>
  answer.entities.map(({ name, label, kind, edges }) => ({
    name,
    label,
    note: [kind, label === name ? "" : name, `${edges.toLocaleString("en")} facts`].filter(Boolean).join(" · "),
  }));
export const relationSource = (text) => `/api/relations?${new URLSearchParams({ q: text.slice(0, 200), limit: 12 })}`;
export const relationRows = (answer) =>
  answer.relations.map(({ name, label, facts }) => ({ name, label, note: `${facts.toLocaleString("en")} facts` }));
