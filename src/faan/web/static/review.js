// The page: asks for suggestions, opens them one by one, takes decisions by key and by mouse.

import { addressOf, questionOf, readAddress } from "./address.js";
import { controls } from "./controls.js";
import { exportDialog } from "./export.js";
import { lookUp, relationLabel } from "./labels.js";
import { manyDialog } from "./many.js";
import { evidencePane } from "./pane.js";
import { pastDialog } from "./past.js";
import { questionForm } from "./question.js";
import { savingQueue } from "./saving.js";
import { get, post, postForLines, remove } from "./server.js";
import { keyOf, percent, suggestionList } from "./suggestions.js";

const $ = (id) => document.getElementById(id);
const POLL = 5000; // milliseconds between looks at what others decide
const AHEAD = 3; // facts whose evidence is fetched before they are opened

let state = readAddress();
let asking = new AbortController(); // for suggestions
let last = 0; // the last event that this window knows
let settled = 0; // how often this window has learnt otherwise what holds: by saving, or by beginning anew
let mine = []; // what this reviewer can undo, the latest at the end: each a list of decisions {head, tail, id} made at once
const NONE = { accepted: 0, rejected: 0, skipped: 0, precision: null, expected: null };
let tally = NONE;
const standing = new Map(); // the decision that holds for each fact of the relation, by its key

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
const saves = savingQueue(() => refresh());

const typing = () => Boolean(document.activeElement?.closest("input, select"));
const reviewer = () => $("reviewer").value.trim() || "anonymous";
$("reviewer").value = localStorage.getItem("faan-reviewer") ?? "";
$("reviewer").addEventListener("change", () => localStorage.setItem("faan-reviewer", $("reviewer").value.trim()));

const factOf = ({ head, tail }) => JSON.stringify([state.relation, head, tail]);
const namesOf = ({ head_label, tail_label }) => `${head_label} → ${tail_label}`;

// Says what was done, or what was not; it stays until there is something else to say.
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
  const asked = Boolean(state.relation);
  $("start").hidden = asked;
  $("review").hidden = !asked;
  [last, mine, tally] = [0, [], NONE];
  standing.clear();
  settled += 1;
  asking.abort();
  asking = new AbortController();
  pane.hide();
  list.clear();
  arrange();
  if (!asked) return;
  title();
  $("more").hidden = true;
  $("ending").textContent = "Looking …";
  if (await isReady(asking.signal)) await Promise.all([suggest(asking.signal), look()]);
}

function title() {
  const label = relationLabel(state.relation);
  document.title = `${label} · faan`;
  $("title").textContent = label;
}

// Learns the labels of all that the question names; a new relation without examples has nothing to suggest yet.
async function isReady(signal) {
  const { relation, examples, heads, tails } = state;
  try {
    const known = await lookUp(relation, [...examples.flat(), ...heads, ...tails], signal);
    if (signal.aborted) return false;
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
  if (!list.current && !list.next()) pane.close(list.length ? "All are decided." : "None is as likely as that.");
  else if (list.current === current) pane.place();
  refresh();
}

async function suggest(signal) {
  const { heads, tails, top, limit, known } = state;
  const request = { ...questionOf(state), top, limit, known };
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

function take({ suggestion, end, error }) {
  if (suggestion) {
    list.add(suggestion);
    if (!list.current && awaited(suggestion)) list.openKey(keyOf(suggestion.head, suggestion.tail), !typing());
    progress();
  } else if (end) {
    $("more").hidden = end.complete || state.limit >= 1000;
    const count = list.length + list.hidden;
    $("ending").textContent = !count
      ? "Nothing found: try other examples, or show known facts too."
      : end.in_time
        ? ""
        : `${count} found in the time that there is.`;
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
  complain(null, factOf(suggestion));
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
  if (saves.has(factOf(suggestion))) return `${namesOf(suggestion)} is still being saved.`;
  if (pane.shown !== suggestion) return `the evidence for ${namesOf(suggestion)} was not shown yet.`;
  return "";
}

// What is pressed is kept: it is saved in its turn, and the next fact opens at once.
function decide(verdict) {
  const suggestion = list.current;
  const why = obstacle(suggestion);
  if (why) {
    say(`Not ${verdict}: ${why}`, true);
    return;
  }
  mine.push([send(suggestion, verdict)]);
  if (!list.next()) close();
  say(`${namesOf(suggestion)}: ${verdict}.`);
  refresh();
}

// Decides about several facts at once, which one undo takes back.
function decideAll(suggestions, verdict) {
  if (!suggestions.length) {
    say(`Not ${verdict}: none is undecided.`, true);
    return;
  }
  mine.push(suggestions.map((suggestion) => send(suggestion, verdict)));
  if ((!list.current || saves.has(factOf(list.current))) && !list.next()) close();
  say(suggestions.length === 1 ? `${namesOf(suggestions[0])}: ${verdict}.` : `${suggestions.length} ${verdict}; undo takes back all of them.`);
  refresh();
}

function rejectRest() {
  if (list.current) decideAll(list.restOf(list.current), "rejected");
  else say("Not rejected: no suggestion is open.", true);
}

// Puts a decision on its way; gives what is needed to undo it.
function send(suggestion, verdict) {
  const { head, tail, head_label, tail_label, probability, score, rank } = suggestion;
  const seen = suggestion.decision?.id ?? 0;
  const request = { ...questionOf(state), head, tail, verdict, reviewer: reviewer(), probability, score, rank, seen };
  request.key = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const made = { head, tail, head_label, tail_label, id: 0 };
  save(made, verdict, async () => {
    const decision = await post("/api/decisions", request);
    made.id = decision.id;
    return decision;
  });
  return made;
}

function undo() {
  const step = mine.pop();
  if (!step) {
    say("Nothing of yours to undo.", true);
    return;
  }
  const query = new URLSearchParams({ reviewer: reviewer() });
  for (const made of [...step].reverse()) {
    save(made, "undone", async () => {
      if (!made.id) return undefined; // it was never saved
      return (await remove(`/api/decisions/${made.id}?${query}`)).decision;
    });
  }
  list.openKey(keyOf(step[0].head, step[0].tail));
  say(step.length === 1 ? "Undone." : `${step.length} decisions undone.`);
  refresh();
}

// Decisions that can no longer be undone here: they failed, or were undone elsewhere.
function forget(is) {
  mine = mine.map((step) => step.filter((made) => !is(made))).filter((step) => step.length);
}

// What holds for a fact now, as the list and the counts know it.
function hold(head, tail, decision) {
  list.decide(head, tail, decision);
  if (decision) standing.set(keyOf(head, tail), decision);
  else standing.delete(keyOf(head, tail));
}

// `send` changes what holds for a fact and gives the decision that stands then.
function save(made, change, send) {
  const { head, tail, head_label = head, tail_label = tail } = made;
  const [{ relation }, fact] = [state, factOf(made)];
  const settle = (decision) => {
    if (relation !== state.relation) return;
    settled += 1;
    list.saving(head, tail, null);
    if (decision !== undefined) hold(head, tail, decision);
    if (!saves.size) look();
  };
  const failed = (problem) => {
    forget((other) => other === made);
    settle(problem.status === 409 ? problem.standing : undefined);
    complain(new Error(`${namesOf({ head_label, tail_label })}: ${problem.message}`), fact);
    if (relation === state.relation && !list.current) list.next();
  };
  list.saving(head, tail, change);
  saves.add(fact, send, settle, failed);
}

// Looks at what was decided since the last look, here and elsewhere; one look after the other.
let looks = Promise.resolve();
function look() {
  looks = looks.then(lookOnce).catch(() => {}); // it is tried again soon
  return looks;
}

async function lookOnce() {
  const relation = state.relation;
  for (let more = Boolean(relation); more; ) {
    const query = new URLSearchParams({ relation, after: last });
    const before = settled;
    const changes = await get(`/api/decisions?${query}`);
    if (relation !== state.relation) return;
    if (before !== settled) continue; // the answer may be older than what is known: ask again
    for (const { head, tail, decision } of changes.facts) {
      hold(head, tail, decision);
      const known = saves.has(factOf({ head, tail })) || mine.flat().some(({ id }) => id === decision?.id);
      if (decision?.reviewer === reviewer() && !known) mine.push([decision]);
    }
    more = changes.last > last && changes.facts.length >= 1000;
    [last, tally] = [changes.last, changes.tally];
  }
  refresh();
}

const SILENT = "Not saved yet: the server does not answer. Is it running? Leave this page open: it tries again.";

// Shows what can be pressed. A button that cannot still takes clicks, to say why.
function refresh() {
  const blocked = (id, yes) => $(id).setAttribute("aria-disabled", String(yes));
  for (const id of ["accept", "reject", "skip"]) blocked(id, Boolean(obstacle(list.current)));
  blocked("undo", !mine.length);
  blocked("use-decisions", saves.size > 0);
  blocked("accept-many", !list.atLeast(0).length);
  blocked("reject-rest", !list.current || !list.restOf(list.current).length);
  complain(saves.silent ? new Error(SILENT) : null, "saving");
  progress();
}

function progress() {
  const { accepted, rejected, skipped, precision, expected } = tally;
  const parts = [`${list.decided} of ${list.length} decided`];
  if (list.hidden) parts.push(`${list.hidden} less likely ones hidden`);
  if (accepted + rejected + skipped) parts.push(`${accepted} accepted, ${rejected} rejected, ${skipped} skipped so far`);
  if (saves.size) parts.push(`${saves.size} being saved`);
  if (precision !== null) {
    parts.push(`precision ${percent(precision)}${expected === null ? "" : ` (expected ${percent(expected)})`}`);
  }
  $("progress").textContent = parts.join(" · ");
  const fresh = unused().length;
  $("fresh-count").textContent = fresh === 1 ? "1 new decision" : `${fresh} new decisions`;
  $("use-decisions").hidden = !fresh;
}

// Decisions that this ranking does not know of.
const unused = () => [...standing.values()].filter(({ id, verdict }) => verdict !== "skipped" && id > state.accepted);

function useDecisions() {
  if (saves.size) say("Not ranked again: decisions are still being saved.", true);
  else if (unused().length) go({ ...state, accepted: Math.max(last, ...unused().map(({ id }) => id)), open: null });
}

const dialog = exportDialog(() => state.relation);
const many = manyDialog((least) => list.atLeast(least), (facts) => decideAll(facts, "accepted"));
const past = pastDialog(
  () => state,
  reviewer,
  (decision, now) => {
    forget(({ id }) => id === decision.id);
    settled += 1;
    if (decision.relation === state.relation) hold(decision.head, decision.tail, now.decision);
    look();
  },
);
const KEYS = {
  a: () => decide("accepted"),
  r: () => decide("rejected"),
  s: () => decide("skipped"),
  u: undo,
  j: () => list.move(1),
  k: () => list.move(-1),
  h: rejectRest,
  m: () => list.length && many.show(),
  o: () => rearrange({ order: state.order === "surest" ? "head" : "surest" }),
  f: () => $("least").focus(),
  d: () => past.show(),
  e: useDecisions,
  x: () => dialog.show(),
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
    "show-export": KEYS.x,
    "show-help": KEYS["?"],
    more: () => go({ ...state, limit: Math.min(state.limit * 2, 1000) }),
  },
  (text) => say(text, true),
);

$("order").addEventListener("change", () => rearrange({ order: $("order").value }));
$("least").addEventListener("change", () => {
  rearrange({ least: Math.min(Math.max(Number.parseFloat($("least").value) || 0, 0), 100) });
});

addEventListener("popstate", () => {
  state = readAddress();
  show();
});
addEventListener("beforeunload", (event) => saves.size && event.preventDefault());
const lookAgain = () => !document.hidden && look();
setInterval(lookAgain, POLL);
document.addEventListener("visibilitychange", lookAgain);
show();
