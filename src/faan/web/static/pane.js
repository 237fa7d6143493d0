// The evidence pane: the evidence of the open fact, beside the list or, on a narrow screen, below the fact.

import { $ } from "./dom.js";
import { draw, enlarge } from "./drawing.js";
import { evidenceStore } from "./evidence.js";

const NARROW = matchMedia("(max-width: 60rem)");

// `requestOf(suggestion)` asks for evidence, `upcoming()` gives the facts whose evidence to fetch in advance; calls `changed()`
// when another fact is shown, or none, and `complain(error)` with an error about the evidence, or null.
export function evidencePane({ requestOf, upcoming, changed, complain }) {
  const [pane, reasons] = [$("evidence"), $("reasons")];
  const columns = pane.parentElement;
  const store = evidenceStore();
  let openings = 0; // each open() or close() makes those before it stale
  let shown = null; // the fact whose evidence is on the screen

  function turn(busy) {
    openings += 1;
    shown = null;
    pane.setAttribute("aria-busy", String(busy));
    changed();
    return openings;
  }

  async function fill(html, stale) {
    if (stale()) return;
    complain(null);
    reasons.innerHTML = html; // from our own template, which escapes every name
    pane.scrollTop = 0;
    const canvas = reasons.querySelector(".canvas");
    reasons.querySelector("#enlarge").addEventListener("click", () => enlarge(canvas).catch(complain));
    await draw(canvas).catch(complain);
  }

  function place(item) {
    if (NARROW.matches) item.append(pane);
    else if (pane.parentElement !== columns) columns.append(pane);
    pane.hidden = false;
    fit();
    item.scrollIntoView({ block: NARROW.matches ? "start" : "nearest" });
  }

  // Beside the list it ends where the window ends, so that its buttons are always in view.
  function fit() {
    const room = innerHeight - Math.max(pane.getBoundingClientRect().top, 0) - 16;
    pane.style.maxHeight = NARROW.matches ? "" : `${Math.max(room, 240)}px`;
  }
  addEventListener("scroll", fit, { passive: true });
  addEventListener("resize", fit);
  NARROW.addEventListener("change", () => self.place());

  const self = {
    async open(suggestion, item) {
      const opening = turn(true);
      const stale = () => opening !== openings;
      place(item);
      try {
        await fill(await store.get(requestOf(suggestion)), stale);
      } catch (error) {
        if (stale()) return;
        reasons.textContent = `${suggestion.head_label} → ${suggestion.tail_label}: its evidence cannot be shown.`;
        complain(error);
      }
      await painted();
      if (stale()) return;
      shown = suggestion;
      pane.setAttribute("aria-busy", "false");
      changed();
      store.ahead(upcoming().map(requestOf));
    },

    // The list was rearranged: the pane stays with its fact.
    place() {
      const open = document.querySelector('.fact[aria-expanded="true"]');
      if (open) place(open.parentElement);
    },

    // Shows a sentence in place of evidence.
    close(sentence) {
      turn(false);
      reasons.textContent = sentence;
    },

    // Resets the pane and takes it out of the list, so that the list can be emptied.
    hide() {
      turn(false);
      store.clear();
      columns.append(pane);
      pane.hidden = true;
    },

    get shown() {
      return shown;
    },
  };
  return self;
}

// A page in the background is not painted: nothing counts as shown there.
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
