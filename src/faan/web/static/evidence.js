// The evidence of facts as HTML: fetched once and in advance, so that fast reviewers need not wait.

import { postForText } from "./server.js";

// Fetches one at a time, because the server computes one at a time.
export function evidenceStore() {
  const kept = new Map(); // HTML by request
  let flight = null; // {key, controller, html}

  function start(key, request) {
    const controller = new AbortController();
    const fetched = async () => {
      try {
        const html = await postForText("/evidence", request, controller.signal);
        kept.set(key, html);
        return html;
      } finally {
        if (flight?.controller === controller) flight = null;
      }
    };
    return { key, controller, html: fetched() };
  }

  const self = {
    clear() {
      flight?.controller.abort();
      kept.clear();
    },

    // What is needed now comes before what is fetched in advance.
    async get(request) {
      const key = JSON.stringify(request);
      if (kept.has(key)) return kept.get(key);
      if (flight?.key !== key) {
        flight?.controller.abort();
        flight = start(key, request);
      }
      return flight.html;
    },

    // Stops at the first error: it is reported when the fact is opened.
    async ahead(requests) {
      try {
        for (const request of requests) await self.get(request);
      } catch {
        return;
      }
    },
  };
  return self;
}
