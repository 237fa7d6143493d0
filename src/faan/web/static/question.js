// The form that asks: a relation, its examples, for which entities.

import { DEFAULTS } from "./address.js";
import { combobox, entityRows, entitySource, relationRows, relationSource } from "./combobox.js";
import { $, element } from "./dom.js";
import { entityLabel, learnEntity, learnRelation, lookUp, relationLabel } from "./labels.js";

// Calls `submit(question)` with the content of the form, and `changed()` when a person changes the relation or its examples.
export function questionForm(submit, changed) {
  const examples = chips($("examples"), (pair) => pair.map(entityLabel).join(" → "), hint);
  const heads = chips($("heads"), entityLabel, hint);
  const tails = chips($("tails"), entityLabel, hint);
  let relation = { label: "", name: "" };

  combobox($("relation"), relationSource, relationRows, (row) => {
    relation = row;
    learnRelation(row.name, row.label);
    send();
  });
  $("relation").addEventListener("input", changed);

  // The entity of a field: the picked one, or the one that the server finds by the text; undefined if there is none.
  const picked = new Map();
  async function entityIn(id) {
    const text = $(id).value.trim();
    if (!text) return undefined;
    if (picked.get(id)?.label === text) return picked.get(id).name;
    const { entities } = await lookUp(null, [text]);
    complain(id, entities[0].problem);
    return entities[0].entity?.name;
  }

  function complain(id, problem) {
    const place = $(id.startsWith("example") ? "example-problem" : "only-problem");
    place.textContent = problem ? `${problem} Pick one of those that are offered as you type.` : "";
    place.hidden = !problem;
    $(id).setAttribute("aria-invalid", String(Boolean(problem)));
    if (problem) $(id).focus();
  }

  // A field for an entity; `then()` is called when it is filled, by picking or with Enter.
  function entityField(id, like, then) {
    combobox($(id), entitySource(like), entityRows, (row) => {
      picked.set(id, row);
      learnEntity(row.name, row.label);
      then();
    });
    $(id).addEventListener("input", () => {
      picked.delete(id);
      complain(id, "");
    });
    $(id).addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.defaultPrevented) return;
      event.preventDefault();
      if ($(id).value.trim()) then();
      else send(); // an empty field has nothing to add: ask
    });
  }

  async function addExample() {
    const pair = [];
    for (const id of ["example-head", "example-tail"]) {
      const name = await entityIn(id);
      if (name === undefined) {
        $(id).focus();
        return;
      }
      pair.push(name);
    }
    examples.add(pair);
    changed();
    for (const id of ["example-head", "example-tail"]) $(id).value = "";
    $("example-head").focus();
  }

  const column = (place) => () => examples.values.map((pair) => pair[place]);
  entityField("example-head", column(0), () => $("example-tail").focus());
  entityField("example-tail", column(1), addExample);
  for (const [id, list, like] of [["head", heads, column(0)], ["tail", tails, column(1)]]) {
    entityField(id, like, async () => {
      const name = await entityIn(id);
      if (name === undefined) return;
      list.add(name);
      $(id).value = "";
    });
  }

  function hint() {
    const count = examples.values.length;
    $("examples-hint").textContent = count ? `${count} given` : "the relation’s own facts; needed for a new one";
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
      strict: $("strict").checked,
    });
  }

  $("add-example").addEventListener("click", addExample);
  $("question").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });

  return {
    fill(state) {
      relation = { label: relationLabel(state.relation), name: state.relation };
      $("relation").value = relation.label;
      examples.set(state.examples);
      heads.set(state.heads);
      tails.set(state.tails);
      $("top").value = state.top;
      $("limit").value = state.limit;
      $("known").checked = state.known === "show";
      $("strict").checked = state.strict;
      $("examples-part").open = $("more-part").open = false;
      hint();
    },

    // For a relation that has none yet.
    askForExamples() {
      $("examples-part").open = true;
      $("example-head").focus();
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
      if (!self.values.some((other) => JSON.stringify(other) === JSON.stringify(value))) self.set([...self.values, value]);
    },
  };
  function chip(value) {
    const [item, button] = [element("li"), element("button", "", "×")];
    button.type = "button";
    button.setAttribute("aria-label", `Remove ${text(value)}`);
    button.addEventListener("click", () => self.set(self.values.filter((other) => other !== value)));
    const names = [value].flat();
    if (names.some((name) => entityLabel(name) !== name)) item.title = names.join(" → ");
    item.append(text(value), button);
    return item;
  }
  return self;
}
