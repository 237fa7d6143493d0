// Decisions on their way to the server: one after the other, in the order in which they were made.

import { Problem } from "./server.js";

const PAUSE = 1000; // milliseconds before asking a server again that does not answer

// Calls `changed()` when the queue changes, and when the server stops or starts to answer.
export function savingQueue(changed) {
  const waiting = []; // {fact, send, done, failed}; the first one is with the server
  let silent = false;

  function become(now) {
    silent = now;
    changed();
  }

  async function work() {
    while (waiting.length) {
      const { send, done, failed } = waiting[0];
      let report;
      try {
        const answer = await send();
        report = () => done(answer);
      } catch (error) {
        if (!(error instanceof Problem)) {
          become(true);
          await new Promise((resolve) => setTimeout(resolve, PAUSE));
          continue;
        }
        report = () => failed(error);
      }
      waiting.shift();
      report();
      become(false);
    }
  }

  return {
    // `send()` is repeated until the server answers, so it must be safe to repeat; then `done(answer)` or `failed(problem)` is called.
    add(fact, send, done, failed) {
      waiting.push({ fact, send, done, failed });
      if (waiting.length === 1) work();
      changed();
    },
    has: (fact) => waiting.some((other) => other.fact === fact),
    get size() {
      return waiting.length;
    },
    get silent() {
      return silent;
    },
  };
}
