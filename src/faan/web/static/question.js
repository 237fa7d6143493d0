// The form that asks: a relation, its examples, for which entities.

import { DEFAULTS } from "./address.js";
import { combobox, entityRows, entitySource, relationRows, relationSource } from "./combobox.js";

const $ = (id) => document.getElementById(id);

// Calls `submit(state)` with what the form says.
export function questionForm(submit) {
  const examples = chips($("examples"), ([head, tail]) => `${head} → ${tail}`, hint);
  const heads = chips($("heads"), (name) => name, hint);
  const tails = chips($("tails"), (name) => name, hint);
  let relation = { label: "", name: "" };

  combobox($("relation"), relationSource, relationRows, (row) => {
    relation = row;
    send();
  });

  const pair = ["", ""];
  ["example-head", "example-tail"].forEach((id, place) => {
    combobox($(id), entitySource, entityRows, (row) => {
      pair[place] = row.name;
      if (place === 0) $("example-tail").focus();
      else addExample();
    });
    $(id).addEventListener("input", () => (pair[place] = ""));
    $(id).addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.defaultPrevented) return;
      event.preventDefault();
      if (place === 0) $("example-tail").focus();
      else addExample();
    });
  });

  function addExample() {
    const names = pair.map((name, place) => name || $(place ? "example-tail" : "example-head").value.trim());
    if (!names[0] || !names[1]) return;
    examples.add(names);
    pair.fill("");
    $("example-head").value = $("example-tail").value = "";
    $("example-head").focus();
  }

  for (const [id, list] of [["head", heads], ["tail", tails]]) {
    const take = (name) => {
      if (name) list.add(name);
      $(id).value = "";
    };
    combobox($(id), entitySource, entityRows, (row) => take(row.name));
    $(id).addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.defaultPrevented) return;
      event.preventDefault();
      take($(id).value.trim());
    });
  }

  function hint() {
    $("examples-hint").textContent = examples.values.length
      ? `${examples.values.length} given`
      : "the relation’s own facts; needed for a new one";
    const only = heads.values.length + tails.values.length;
    $("more-hint").textContent = only ? `${only} chosen` : "";
  }

  const number = (id, most) => Math.min(Math.max(Number.parseInt($(id).value, 10) || DEFAULTS[id], 1), most);

  function send() {
    const typed = $("relation").value.trim();
    if (!typed) return $("relation").focus();
    return submit({
      relation: typed === relation.label ? relation.name : typed,
      examples: examples.values,
      heads: heads.values,
      tails: tails.values,
      top: number("top", 100),
      limit: number("limit", 1000),
      known: $("known").checked ? "show" : "skip",
      accepted: 0,
      open: null,
    });
  }

  $("add-example").addEventListener("click", addExample);
  $("question").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });

  return {
    fill(state) {
      $("relation").value = state.relation;
      relation = { label: state.relation, name: state.relation };
      examples.set(state.examples);
      heads.set(state.heads);
      tails.set(state.tails);
      $("top").value = state.top;
      $("limit").value = state.limit;
      $("known").checked = state.known === "show";
      $("examples-part").open = $("more-part").open = false;
      hint();
    },
  };
}

// A list of things that can be removed one by one.
function chips(list, text, changed) {
  const self = {
    values: [],
    set(values) {
      self.values = [...values];
      list.replaceChildren(...self.values.map(chip));
      changed();
    },
    add(value) {
      if (!self.values.some((other) => text(other) === text(value))) self.set([...self.values, value]);
    },
  };
  function chip(value) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "×";
    button.setAttribute("aria-label", `Remove ${text(value)}`);
    button.addEventListener("click", () => self.set(self.values.filter((other) => other !== value)));
    item.append(text(value), button);
    return item;
  }
  return self;
}
