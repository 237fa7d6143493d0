// Talking to the server.

export class Problem extends Error {
  constructor(status, answer) {
    super(answer.error ?? `the server answered ${status}`);
    this.status = status;
    this.standing = answer.standing ?? null;
  }
}

async function ask(path, options = {}) {
  const response = await fetch(path, options);
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})));
  return response;
}

function sent(body, signal) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
}

export const get = async (path, signal) => (await ask(path, { signal })).json();
export const post = async (path, body, signal) => (await ask(path, sent(body, signal))).json();
export const postForText = async (path, body, signal) => (await ask(path, sent(body, signal))).text();
export const remove = async (path) => (await ask(path, { method: "DELETE" })).json();
export const file = async (path) => (await ask(path)).blob();

// Calls `take` with each line of an answer as it comes.
export async function postForLines(path, body, take, signal) {
  const options = sent(body, signal);
  options.headers.accept = "application/x-ndjson";
  const reader = (await ask(path, options)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.forEach((line) => take(JSON.parse(line)));
  }
}
