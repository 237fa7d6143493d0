// Decisions about the facts of a relation: those of this window, which it saves and can undo, and those of others.

import { questionOf } from "./address.js";
import { savingQueue } from "./saving.js";
import { get, post, remove } from "./server.js";
import { keyOf } from "./suggestions.js";

const MOST_REASONS = 10; // that the server keeps with a decision,
const LONGEST_REASON = 2000; // and letters of one
const NONE = { accepted: 0, rejected: 0, skipped: 0, precision: null, expected: null };

// `question()` is the question under review, `list` shows the current decisions; calls `changed()` when anything changes,
// and `complain(error, fact)` after an error.
export function decisionBook({ question, reviewer, list, changed, complain }) {
  let last = 0; // the last event that this window knows
  let settled = 0; // how often this window has learnt otherwise what holds: by saving, or by beginning anew
  let mine = []; // what this reviewer can undo, the latest at the end: each a list of decisions {head, tail, id} made at once
  let tally = NONE;
  const standing = new Map(); // the decision that holds for each fact of the relation, by its key
  const saves = savingQueue(changed);
  const factOf = ({ head, tail }) => JSON.stringify([question().relation, head, tail]);

  // Sends a decision; returns what is needed to undo it.
  function send(suggestion, verdict) {
    const { head, tail, head_label, tail_label, probability, score, rank, because } = suggestion;
    const seen = suggestion.decision?.id ?? 0;
    const reasons = because.slice(0, MOST_REASONS).map((reason) => [...reason].slice(0, LONGEST_REASON).join(""));
    const fact = { head, tail, verdict, reviewer: reviewer(), probability, score, rank, reasons, seen };
    const request = { ...questionOf(question()), ...fact, key: crypto.getRandomValues(new Uint32Array(4)).join("-") };
    const made = { head, tail, head_label, tail_label, id: 0 };
    save(made, verdict, async () => {
      const decision = await post("/api/decisions", request);
      made.id = decision.id;
      return decision;
    });
    return made;
  }

  // `change()` changes the decision about a fact and returns the current one.
  function save(made, verdict, change) {
    const { head, tail, head_label = head, tail_label = tail } = made;
    const { relation } = question();
    const settle = (decision) => {
      if (relation !== question().relation) return;
      settled += 1;
      list.saving(head, tail, null);
      if (decision !== undefined) hold(head, tail, decision);
      if (!saves.size) self.look();
    };
    const failed = (problem) => {
      forget((other) => other === made);
      settle(problem.status === 409 ? problem.standing : undefined);
      complain(new Error(`${head_label} → ${tail_label}: ${problem.message}`), made);
      if (relation === question().relation && !list.current) list.next();
    };
    list.saving(head, tail, verdict);
    saves.add(factOf(made), change, settle, failed);
  }

  // Decisions that can no longer be undone here: they failed, or were undone elsewhere.
  function forget(is) {
    mine = mine.map((step) => step.filter((made) => !is(made))).filter((step) => step.length);
  }

  // Updates the current decision about a fact in the list and the counts.
  function hold(head, tail, decision) {
    list.decide(head, tail, decision);
    if (decision) standing.set(keyOf(head, tail), decision);
    else standing.delete(keyOf(head, tail));
  }

  let looks = Promise.resolve();
  async function lookOnce() {
    const { relation } = question();
    for (let more = Boolean(relation); more; ) {
      const query = new URLSearchParams({ relation, after: last });
      const before = settled;
      const changes = await get(`/api/decisions?${query}`);
      if (relation !== question().relation) return;
      if (before !== settled) continue; // the answer may be older than what is known: ask again
      for (const { head, tail, decision } of changes.facts) {
        hold(head, tail, decision);
        const known = self.isSaving({ head, tail }) || mine.flat().some(({ id }) => id === decision?.id);
        if (decision?.reviewer === reviewer() && !known) mine.push([decision]);
      }
      more = changes.last > last && changes.facts.length >= 1000;
      [last, tally] = [changes.last, changes.tally];
    }
    changed();
  }

  const self = {
    // Resets everything for another question.
    clear() {
      [last, mine, tally] = [0, [], NONE];
      standing.clear();
      settled += 1;
    },

    // Decides about several facts; one undo reverts all of them.
    decide: (suggestions, verdict) => mine.push(suggestions.map((suggestion) => send(suggestion, verdict))),

    // Undoes the last decision and returns it, or undefined.
    undo() {
      const step = mine.pop();
      const query = new URLSearchParams({ reviewer: reviewer() });
      for (const made of [...(step ?? [])].reverse()) {
        save(made, "undone", async () => {
          if (!made.id) return undefined; // it was never saved
          return (await remove(`/api/decisions/${made.id}?${query}`)).decision;
        });
      }
      return step;
    },

    // A decision was undone in the list of past ones.
    wasUndone(decision, now) {
      forget(({ id }) => id === decision.id);
      settled += 1;
      if (decision.relation === question().relation) hold(decision.head, decision.tail, now.decision);
      self.look();
    },

    // Fetches the decisions since the last request, of this and other windows; one request at a time.
    look() {
      looks = looks.then(lookOnce).catch(() => {}); // it is tried again soon
      return looks;
    },

    // Facts whose current decision, accepted or rejected, was made after an event.
    after: (event) => [...standing.values()].filter(({ id, verdict }) => verdict !== "skipped" && id > event),

    isSaving: (fact) => saves.has(factOf(fact)),
    get saving() {
      return saves.size;
    },
    get silent() {
      return saves.silent;
    },
    get canUndo() {
      return mine.length > 0;
    },
    get last() {
      return Math.max(last, ...[...standing.values()].map(({ id }) => id));
    },
    get tally() {
      return tally;
    },
  };
  return self;
}
