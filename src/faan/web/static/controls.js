// Keys and buttons; a key that is held or a double click counts once.

const DOUBLE = 300; // milliseconds in which two clicks are one by habit, not two decisions
const ONCE = ["a", "r", "s", "u", "h"]; // keys that decide

// `keys` and `buttons` have an action for each key and for each button's id; `refuse(text)` says why nothing was done.
export function controls(keys, buttons, refuse) {
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, select, textarea");
    if (event.key === "Escape" && field) field.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || field || document.querySelector("dialog[open]")) return;
    const pressed = event.target.closest(".verdicts button") && ["Enter", " "].includes(event.key);
    const action = keys[event.key];
    if (!action && !pressed) return;
    if (event.repeat && (pressed || ONCE.includes(event.key))) {
      event.preventDefault();
      refuse("A key that is held counts once.");
    } else if (action) {
      event.preventDefault();
      action();
    }
  });

  // The second click of a double click would decide about the next fact.
  let clicked = 0;
  document.getElementById("verdicts").addEventListener(
    "click",
    (event) => {
      const double = event.detail > 1 && event.timeStamp - clicked < DOUBLE;
      clicked = event.timeStamp;
      if (!double || !event.target.closest("button")) return;
      event.stopPropagation();
      refuse("A double click counts once.");
    },
    { capture: true },
  );

  for (const button of document.querySelectorAll("dialog [id^='close-']")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  for (const [id, action] of Object.entries(buttons)) document.getElementById(id).addEventListener("click", action);
}
