// The dialog of past decisions, the latest first; each can be undone, or opened to look again.

import { addressOf, DEFAULTS } from "./address.js";
import { $, element } from "./dom.js";
import { get, remove } from "./server.js";
import { percent } from "./suggestions.js";

const AT_ONCE = 50;

// `question()` is the question under review, if any; `undone(decision, now)` is called with the undone and the current one.
// Returns what opens the dialog.
export function pastDialog(question, reviewer, undone) {
  let oldest = 0; // the last one in the list
  let asking = new AbortController();

  function say(text) {
    $("past-problem").textContent = text;
    $("past-problem").hidden = !text;
  }

  async function more(fresh) {
    asking.abort(); // a second click must not add the same decisions twice
    asking = new AbortController();
    if (fresh) $("past-more").hidden = true; // until it is known what the list ends with
    const query = new URLSearchParams({ limit: AT_ONCE });
    if (!fresh) query.set("before", oldest);
    if ($("past-relation").checked && question().relation) query.set("relation", question().relation);
    try {
      const { decisions } = await get(`/api/decisions/past?${query}`, asking.signal);
      if (fresh) $("past-list").replaceChildren();
      $("past-list").append(...decisions.map(row));
      oldest = decisions.at(-1)?.id ?? oldest;
      $("past-more").hidden = decisions.length < AT_ONCE;
      $("past-none").hidden = $("past-list").children.length > 0;
    } catch (error) {
      if (error.name !== "AbortError") say(error.message);
    }
  }

  function row(decision) {
    const names = `${decision.head_label} → ${decision.tail_label}`;
    const [item, link, button] = [element("li", decision.verdict), element("a", "", names), element("button", "", "Undo")];
    const { relation, head, tail } = decision;
    const asked = question().relation === relation ? question() : { examples: [], accepted: 0 };
    const fact = { heads: [head], tails: [tail], known: "show", strict: false, open: [head, tail] };
    link.href = addressOf({ ...DEFAULTS, relation, examples: asked.examples, accepted: asked.accepted, ...fact });
    const likely = decision.probability === null ? "" : `, ${percent(decision.probability)}`;
    const when = new Date(decision.time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const note = `${decision.relation_label}: ${decision.verdict} by ${decision.reviewer}, ${when}${likely}`;
    button.type = "button";
    button.setAttribute("aria-label", `Undo: ${names} ${decision.verdict}`);
    button.addEventListener("click", () => undo(decision, item, button));
    item.append(link, button, element("small", "", note), ...why(decision.reasons));
    return item;
  }

  // The reasons that were shown when it was decided, folded.
  function why(reasons) {
    if (!reasons.length) return [];
    const folded = element("details");
    folded.append(element("summary", "", "Why it was suggested"), ...reasons.map((reason) => element("p", "", reason)));
    return [folded];
  }

  async function undo(decision, item, button) {
    button.disabled = true;
    say("");
    try {
      const query = new URLSearchParams({ reviewer: reviewer() });
      const now = await remove(`/api/decisions/${decision.id}?${query}`);
      const next = item.nextElementSibling ?? item.previousElementSibling;
      item.remove();
      (next?.querySelector("button") ?? $("close-past")).focus();
      undone(decision, now);
      if (now.decision) more(true); // what stood before it holds again
    } catch (error) {
      button.disabled = false;
      say(error.message);
    }
  }

  $("past-relation").addEventListener("change", () => more(true));
  $("past-more").addEventListener("click", () => more(false));
  return () => {
    say("");
    $("past-relation").parentElement.hidden = !question().relation;
    $("past-list").replaceChildren();
    $("past").showModal();
    more(true);
  };
}
