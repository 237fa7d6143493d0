// The page: asks for suggestions, opens them one by one, takes decisions by key and by mouse.

import { addressOf, percentIn, questionOf, readAddress } from "./address.js";
import { controls } from "./controls.js";
import { decisionBook } from "./decisions.js";
import { $ } from "./dom.js";
import { exportDialog } from "./export.js";
import { lookUp, relationLabel } from "./labels.js";
import { manyDialog } from "./many.js";
import { evidencePane } from "./pane.js";
import { pastDialog } from "./past.js";
import { questionForm } from "./question.js";
import { postForLines } from "./server.js";
import { keyOf, percent, suggestionList } from "./suggestions.js";
import { showTrust } from "./trust.js";

const POLL = 5000; // milliseconds between looks at what others decide
const AHEAD = 3; // facts whose evidence is fetched before they are opened

let state = readAddress();
let asking = new AbortController(); // for suggestions

const list = suggestionList($("suggestions"), { open, rejectRest: (facts) => decideAll(facts, "rejected") });
const pane = evidencePane({
  requestOf: ({ head, tail }) => ({ ...questionOf(state), head, tail }),
  upcoming: () => list.upcoming(AHEAD),
  changed: () => refresh(),
  complain: (error) => complain(error, "evidence"),
});
const form = questionForm(
  (asked) => go({ ...state, accepted: 0, ...asked, open: null }),
  () => complain(null, "relation"),
);
const typing = () => Boolean(document.activeElement?.closest("input, select"));
const reviewer = () => $("reviewer").value.trim() || "anonymous";
$("reviewer").value = localStorage.getItem("faan-reviewer") ?? "";
$("reviewer").addEventListener("change", () => localStorage.setItem("faan-reviewer", $("reviewer").value.trim()));

const decisions = decisionBook({
  question: () => state,
  reviewer,
  list,
  changed: () => refresh(),
  complain: (error, { head, tail }) => complain(error, keyOf(head, tail)),
});

const namesOf = ({ head_label, tail_label }) => `${head_label} → ${tail_label}`;

// Shows a message, which stays until the next one.
function say(text, refused = false) {
  $("status").textContent = text;
  $("status").classList.toggle("refused", refused);
}

const problems = new Map(); // by what they are about: a fact, or a part of the page
function complain(error, about) {
  if (error?.name === "AbortError") return;
  if (error) problems.set(about, error.message);
  else problems.delete(about);
  $("problem").textContent = [...problems.values()].join("\n");
  $("problem").hidden = !problems.size;
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
  problems.clear();
  complain(null, "page");
  say("");
  note([]);
  const asked = Boolean(state.relation);
  $("start").hidden = asked;
  $("review").hidden = !asked;
  decisions.clear();
  asking.abort();
  asking = new AbortController();
  pane.hide();
  list.clear();
  arrange();
  if (!asked) return;
  title();
  $("more").hidden = true;
  $("ending").textContent = "Looking …";
  if (await isReady(asking.signal)) await Promise.all([suggest(asking.signal), decisions.look()]);
}

function title() {
  const label = relationLabel(state.relation);
  document.title = `${label} · faan`;
  $("title").textContent = label;
  $("title").title = label === state.relation ? "" : state.relation;
}

// Fetches the labels of the question's names; a new relation without examples has no suggestions yet.
async function isReady(signal) {
  const { relation, examples, heads, tails } = state;
  try {
    const known = await lookUp(relation, [...examples.flat(), ...heads, ...tails], signal);
    if (signal.aborted) return false;
    if (known.relation && !examples.length) rename(known.relation.name);
    form.fill(state);
    title();
    if (known.relation || examples.length) return true;
    const near = known.nearest.length ? ` Did you mean ${known.nearest.map((name) => `'${name}'`).join(", ")}?` : "";
    const text = `No relation of the graph is called “${relation}”.${near} To ask for a new relation, add a few examples of it; five are good.`;
    complain(new Error(text), "relation");
    $("ending").textContent = "";
    $("review").hidden = true;
    form.askForExamples();
  } catch (error) {
    if (error.name !== "AbortError") $("ending").textContent = "";
    complain(error, "relation");
  }
  return false;
}

// The graph's name of a relation takes the place of its label or of another spelling.
function rename(relation) {
  state = { ...state, relation };
  history.replaceState(null, "", addressOf(state));
}

// Shows the list as the address says.
function arrange() {
  const { order, least, heads, tails } = state;
  $("order").value = order;
  $("least").value = least || "";
  list.arrange({ surest: order === "surest", least: least / 100, byTail: tails.length > 0 && !heads.length });
  refresh();
}

function rearrange(change) {
  if (!state.relation) return;
  state = { ...state, ...change };
  history.replaceState(null, "", addressOf(state));
  const { current } = list;
  arrange();
  if (!list.current && !list.next()) pane.close(list.length ? "All are decided." : "No suggestion is that likely.");
  else if (list.current === current) pane.place();
  refresh();
}

async function suggest(signal) {
  const { heads, tails, top, limit, known, strict } = state;
  const request = { ...questionOf(state), top, limit, known, strict };
  if (heads.length) request.heads = heads;
  if (tails.length) request.tails = tails;
  try {
    await postForLines("/api/suggest", request, take, signal);
    if (state.open && !list.current) list.openFirst(!typing());
  } catch (error) {
    if (error.name !== "AbortError") $("ending").textContent = "";
    complain(error, "suggestions");
  }
}

// Which examples look wrong.
function note(notes) {
  $("notes").textContent = notes.map((text) => `Note: ${text}`).join("\n");
  $("notes").hidden = !notes.length;
}

function take({ suggestion, notes, end, error }) {
  if (notes) {
    note(notes);
  } else if (suggestion) {
    list.add(suggestion);
    if (!list.current && awaited(suggestion)) list.openKey(keyOf(suggestion.head, suggestion.tail), !typing());
    progress();
  } else if (end) {
    $("more").hidden = end.complete || state.limit >= 1000;
    const count = list.length + list.hidden;
    $("ending").textContent = !count
      ? `Nothing found: try other examples, or show known facts too${state.strict ? ", or what breaks the schema" : ""}.`
      : end.in_time
        ? ""
        : `${count} found within the time limit.`;
    refresh();
    say(count === 1 ? "1 suggestion" : `${count} suggestions`);
  } else {
    complain(new Error(error), "suggestions");
  }
}

// Whether a suggestion that has come opens by itself: the one that the address names, else the first, else one to decide about.
function awaited({ head, tail, decision }) {
  if (state.open) return keyOf(...state.open) === keyOf(head, tail);
  return list.length === 1 || !decision;
}

function open(suggestion, item) {
  remember([suggestion.head, suggestion.tail]);
  complain(null, keyOf(suggestion.head, suggestion.tail));
  pane.open(suggestion, item);
}

// Nothing is left to decide about: a key that comes too late must not change the last decision.
function close() {
  list.close();
  remember(null);
  pane.close("All are decided.");
}

function remember(fact) {
  state.open = fact;
  history.replaceState(null, "", addressOf(state));
}

// Why a fact cannot be decided about now, if so.
function obstacle(suggestion) {
  if (!suggestion) return "no suggestion is open.";
  if (decisions.isSaving(suggestion)) return `${namesOf(suggestion)} is still being saved.`;
  if (pane.shown !== suggestion) return `the evidence for ${namesOf(suggestion)} was not shown yet.`;
  return "";
}

// A decision is queued and saved in its turn; the next fact opens at once.
function decide(verdict) {
  const suggestion = list.current;
  const why = obstacle(suggestion);
  if (why) {
    say(`Not ${verdict}: ${why}`, true);
    return;
  }
  decisions.decide([suggestion], verdict);
  if (!list.next()) close();
  say(`${namesOf(suggestion)}: ${verdict}.`);
  refresh();
}

// Decides about several facts; one undo reverts all of them.
function decideAll(suggestions, verdict) {
  if (!suggestions.length) {
    say(`Not ${verdict}: none is undecided.`, true);
    return;
  }
  decisions.decide(suggestions, verdict);
  if ((!list.current || decisions.isSaving(list.current)) && !list.next()) close();
  say(suggestions.length === 1 ? `${namesOf(suggestions[0])}: ${verdict}.` : `${suggestions.length} ${verdict}; undo takes back all of them.`);
  refresh();
}

function rejectRest() {
  if (list.current) decideAll(list.restOf(list.current), "rejected");
  else say("Not rejected: no suggestion is open.", true);
}

function undo() {
  const step = decisions.undo();
  if (!step) {
    say("You have no decision to undo.", true);
    return;
  }
  list.openKey(keyOf(step[0].head, step[0].tail));
  say(step.length === 1 ? "Undone." : `${step.length} decisions undone.`);
  refresh();
}

const SILENT = "Not saved yet: the server does not answer. Is it running? Leave this page open: it tries again.";

// Shows which buttons work. A disabled button still takes clicks, to say why.
function refresh() {
  const blocked = (id, yes) => $(id).setAttribute("aria-disabled", String(yes));
  for (const id of ["accept", "reject", "skip"]) blocked(id, Boolean(obstacle(list.current)));
  blocked("undo", !decisions.canUndo);
  blocked("use-decisions", decisions.saving > 0);
  blocked("accept-many", !list.atLeast(0).length);
  blocked("reject-rest", !list.current || !list.restOf(list.current).length);
  complain(decisions.silent ? new Error(SILENT) : null, "saving");
  progress();
}

function progress() {
  const { accepted, rejected, skipped, precision, expected } = decisions.tally;
  const parts = [`${list.decided} of ${list.length} decided`];
  if (list.hidden) parts.push(`${list.hidden} less likely ones hidden`);
  if (accepted + rejected + skipped) parts.push(`${accepted} accepted, ${rejected} rejected, ${skipped} skipped so far`);
  if (decisions.saving) parts.push(`${decisions.saving} being saved`);
  if (precision !== null) {
    parts.push(`precision ${percent(precision)}${expected === null ? "" : ` (expected ${percent(expected)})`}`);
  }
  $("progress").textContent = parts.join(" · ");
  const fresh = decisions.after(state.accepted).length;
  $("fresh-count").textContent = fresh === 1 ? "1 new decision" : `${fresh} new decisions`;
  $("use-decisions").hidden = !fresh;
}

function useDecisions() {
  if (decisions.saving) say("Not ranked again: decisions are still being saved.", true);
  else if (decisions.after(state.accepted).length) go({ ...state, accepted: decisions.last, open: null });
}

const showExport = exportDialog(() => state.relation);
const showMany = manyDialog((least) => list.atLeast(least), (facts) => decideAll(facts, "accepted"));
const showPast = pastDialog(() => state, reviewer, decisions.wasUndone);
const KEYS = {
  a: () => decide("accepted"),
  r: () => decide("rejected"),
  s: () => decide("skipped"),
  u: undo,
  j: () => list.move(1),
  k: () => list.move(-1),
  h: rejectRest,
  m: () => list.length && showMany(),
  o: () => rearrange({ order: state.order === "surest" ? "head" : "surest" }),
  f: () => $("least").focus(),
  d: showPast,
  t: () => state.relation && showTrust(questionOf(state)),
  e: useDecisions,
  x: showExport,
  "/": () => $("relation").focus(),
  "?": () => $("help").showModal(),
};

controls(
  KEYS,
  {
    accept: KEYS.a,
    reject: KEYS.r,
    skip: KEYS.s,
    undo,
    "use-decisions": useDecisions,
    "reject-rest": rejectRest,
    "accept-many": KEYS.m,
    "show-past": KEYS.d,
    "show-trust": KEYS.t,
    "show-export": KEYS.x,
    "show-help": KEYS["?"],
    more: () => go({ ...state, limit: Math.min(state.limit * 2, 1000) }),
  },
  (text) => say(text, true),
);

$("order").addEventListener("change", () => rearrange({ order: $("order").value }));
$("least").addEventListener("change", () => rearrange({ least: percentIn($("least").value) }));

addEventListener("popstate", () => {
  state = readAddress();
  show();
});
addEventListener("beforeunload", (event) => decisions.saving && event.preventDefault());
const lookAgain = () => !document.hidden && decisions.look();
setInterval(lookAgain, POLL);
document.addEventListener("visibilitychange", lookAgain);
show();
