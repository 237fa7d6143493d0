// The page: asks for suggestions, opens them one by one, takes decisions by key and by mouse.

import { addressOf, questionOf, readAddress } from "./address.js";
import { draw } from "./drawing.js";
import { exportDialog } from "./export.js";
import { questionForm } from "./question.js";
import { Problem, get, insist, post, postForLines, postForText, remove } from "./server.js";
import { keyOf, percent, suggestionList } from "./suggestions.js";

const $ = (id) => document.getElementById(id);
const NARROW = matchMedia("(max-width: 60rem)");
const POLL = 5000; // milliseconds between looks at what others decide

let state = readAddress();
let asking = new AbortController(); // for suggestions
let opening = new AbortController(); // for evidence
let last = 0; // the last event that this window knows
let deciding = false; // a decision is on its way to the server
let shown = null; // the fact whose evidence stands on the page
let mine = []; // decisions of this reviewer that can be undone, the latest at the end
let tally = { accepted: 0, rejected: 0, skipped: 0, precision: null, expected: null };

const list = suggestionList($("suggestions"), openEvidence);
const form = questionForm((asked) => go(asked));

const typing = () => Boolean(document.activeElement?.closest("input, select"));
const reviewer = () => $("reviewer").value.trim() || "anonymous";
$("reviewer").value = localStorage.getItem("faan-reviewer") ?? "";
$("reviewer").addEventListener("change", () => localStorage.setItem("faan-reviewer", $("reviewer").value.trim()));

let silence = 0;
function say(text) {
  clearTimeout(silence);
  $("status").textContent = text;
  silence = setTimeout(() => ($("status").textContent = ""), 4000);
}

function complain(error) {
  if (error?.name === "AbortError") return;
  $("problem").textContent = error ? error.message : "";
  $("problem").hidden = !error;
}

function go(next) {
  state = next;
  document.activeElement.blur(); // keys are for the suggestions now
  history.pushState(null, "", addressOf(state));
  show();
}

// Shows what the address says.
async function show() {
  form.fill(state);
  complain(null);
  const asked = Boolean(state.relation);
  $("start").hidden = asked;
  $("review").hidden = !asked;
  $("evidence").hidden = true;
  list.clear();
  asking.abort();
  if (!asked) return;
  document.title = `${state.relation} · faan`;
  $("title").textContent = state.relation;
  [last, mine] = [0, []];
  await Promise.all([suggest(), look()]);
}

async function suggest() {
  asking = new AbortController();
  const { signal } = asking;
  const { heads, tails, top, limit, known } = state;
  const request = { ...questionOf(state), top, limit, known };
  if (heads.length) request.heads = heads;
  if (tails.length) request.tails = tails;
  const wanted = state.open && keyOf(...state.open);
  $("more").hidden = true;
  $("ending").textContent = "Looking …";
  try {
    await postForLines("/api/suggest", request, (line) => take(line, wanted), signal);
    if (wanted && !list.current) list.open(0, !typing());
  } catch (error) {
    if (error.name !== "AbortError") $("ending").textContent = "";
    complain(error);
  }
}

function take({ suggestion, end, error }, wanted) {
  if (suggestion) {
    list.add(suggestion);
    if (!list.current && (!wanted || wanted === keyOf(suggestion.head, suggestion.tail))) list.open(list.length - 1, !typing());
    progress();
  } else if (end) {
    $("more").hidden = end.complete || state.limit >= 1000;
    const count = list.length;
    $("ending").textContent = !count
      ? "Nothing found: try other examples, or show known facts too."
      : end.in_time
        ? ""
        : `${count} found in the time that there is.`;
    say(count === 1 ? "1 suggestion" : `${count} suggestions`);
  } else {
    complain(new Error(error));
  }
}

async function openEvidence(suggestion, item) {
  opening.abort();
  opening = new AbortController();
  const { signal } = opening;
  state.open = [suggestion.head, suggestion.tail];
  history.replaceState(null, "", addressOf(state));
  place(item);
  const request = { ...questionOf(state), head: suggestion.head, tail: suggestion.tail };
  $("evidence").setAttribute("aria-busy", "true");
  shown = null;
  try {
    const html = await postForText("/evidence", request, signal);
    $("reasons").innerHTML = html; // from our own template, which escapes every name
    $("evidence").scrollTop = 0;
    shown = suggestion;
    await draw($("reasons").querySelector(".canvas"));
  } catch (error) {
    if (!signal.aborted) shown = suggestion; // without evidence, which is said
    complain(error);
  } finally {
    if (!signal.aborted) $("evidence").removeAttribute("aria-busy");
  }
}

// The evidence stands beside the list, on a narrow screen below the suggestion that it is about.
function place(item) {
  const beside = $("suggestions").closest(".columns");
  if (NARROW.matches) item.append($("evidence"));
  else if ($("evidence").parentElement !== beside) beside.append($("evidence"));
  $("evidence").hidden = false;
  fit();
  item.scrollIntoView({ block: NARROW.matches ? "start" : "nearest" });
}
// Beside the list it ends where the window ends, so that its buttons are always in view.
function fit() {
  const pane = $("evidence");
  const room = innerHeight - Math.max(pane.getBoundingClientRect().top, 0) - 16;
  pane.style.maxHeight = NARROW.matches ? "" : `${Math.max(room, 240)}px`;
}
addEventListener("scroll", fit, { passive: true });
addEventListener("resize", fit);
NARROW.addEventListener("change", () => {
  const open = document.querySelector('.fact[aria-expanded="true"]');
  if (open) place(open.parentElement);
});

async function decide(verdict) {
  const suggestion = list.current;
  if (!suggestion) return;
  if (deciding) return say("The last decision is still being saved.");
  if (shown !== suggestion) return say("Its evidence is not here yet.");
  deciding = true;
  const { head, tail, probability, score, rank } = suggestion;
  const seen = suggestion.decision?.id ?? 0;
  const request = { ...questionOf(state), head, tail, verdict, reviewer: reviewer(), probability, score, rank, seen };
  request.key = crypto.getRandomValues(new Uint32Array(4)).join("-");
  try {
    const decision = await insist(() => post("/api/decisions", request));
    mine.push(decision);
    list.decide(head, tail, decision);
    complain(null);
    await look().catch(complain); // it is saved whatever becomes of this
    const more = list.next();
    say(`${suggestion.head_label}, ${suggestion.tail_label}: ${verdict}.${more ? "" : " All are decided."}`);
  } catch (error) {
    if (error instanceof Problem && error.status === 409) list.decide(head, tail, error.standing);
    complain(error instanceof Problem ? error : new Error("Not saved: the server does not answer. Is it running? Try again."));
  } finally {
    deciding = false;
  }
}

async function undo() {
  if (deciding) return say("The last decision is still being saved.");
  const decision = mine.pop();
  if (!decision) return say("Nothing of yours to undo.");
  try {
    const path = `/api/decisions/${decision.id}?${new URLSearchParams({ reviewer: reviewer() })}`;
    const fact = await insist(() => remove(path));
    list.decide(fact.head, fact.tail, fact.decision);
    await look();
    list.openKey(keyOf(fact.head, fact.tail));
    say("Undone.");
  } catch (error) {
    complain(error);
  }
}

// Looks at what was decided since the last look, here and elsewhere.
async function look() {
  const relation = state.relation;
  for (let more = true; more; ) {
    const query = new URLSearchParams({ relation, after: last });
    const changes = await get(`/api/decisions?${query}`);
    if (relation !== state.relation) return;
    for (const { head, tail, decision } of changes.facts) {
      list.decide(head, tail, decision);
      if (decision?.reviewer === reviewer() && !mine.some(({ id }) => id === decision.id)) mine.push(decision);
    }
    more = changes.last > last && changes.facts.length >= 1000;
    [last, tally] = [changes.last, changes.tally];
  }
  progress();
}

function progress() {
  const { accepted, rejected, skipped, precision, expected } = tally;
  const parts = [`${list.decided} of ${list.length} decided`];
  if (accepted + rejected + skipped) parts.push(`${accepted} accepted, ${rejected} rejected, ${skipped} skipped so far`);
  if (precision !== null) {
    parts.push(`precision ${percent(precision)}${expected === null ? "" : ` (expected ${percent(expected)})`}`);
  }
  $("progress").textContent = parts.join(" · ");
  $("accepted-count").textContent = accepted;
  $("use-accepted").hidden = !accepted;
}

function useAccepted() {
  if (tally.accepted) go({ ...state, accepted: last, open: null });
}

const dialog = exportDialog(() => state.relation);
const KEYS = {
  a: () => decide("accepted"),
  r: () => decide("rejected"),
  s: () => decide("skipped"),
  u: undo,
  j: () => list.move(1),
  k: () => list.move(-1),
  e: useAccepted,
  x: () => dialog.show(),
  "/": () => $("relation").focus(),
  "?": () => $("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && field) field.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || field || document.querySelector("dialog[open]")) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

for (const [id, action] of Object.entries({
  accept: KEYS.a,
  reject: KEYS.r,
  skip: KEYS.s,
  undo,
  "use-accepted": useAccepted,
  "show-export": KEYS.x,
  "show-help": KEYS["?"],
  more: () => go({ ...state, limit: Math.min(state.limit * 2, 1000) }),
})) {
  $(id).addEventListener("click", action);
}

addEventListener("popstate", () => {
  state = readAddress();
  show();
});
const lookAgain = () => !document.hidden && state.relation && look().catch(() => {});
setInterval(lookAgain, POLL);
document.addEventListener("visibilitychange", lookAgain);
show();
