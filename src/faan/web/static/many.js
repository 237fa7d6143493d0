// The dialog that accepts all suggestions of some probability at once, and says what that costs.

import { percentIn } from "./address.js";
import { $ } from "./dom.js";

const counted = (count) =>
  count > 1 ? `${count} undecided suggestions have` : `${count ? "1" : "No"} undecided suggestion has`;

// `choose(least)` gives the suggestions in question, `accept(suggestions)` accepts them. Returns what opens the dialog.
export function manyDialog(choose, accept) {
  const least = () => percentIn($("many-least").value);
  const chosen = () => choose(least() / 100);

  function refresh() {
    const facts = chosen();
    const wrong = facts.reduce((sum, { probability }) => sum + 1 - probability, 0);
    const warned = facts.filter(({ warnings }) => warnings.length).length;
    const sentences = [
      `${counted(facts.length)} ${least()} % or more.`,
      facts.length ? `By their probabilities, about ${wrong.toFixed(1)} of them ${wrong.toFixed(1) === "1.0" ? "is" : "are"} wrong.` : "",
      warned ? `${warned} of them ${warned === 1 ? "has" : "have"} a warning: look at ${warned === 1 ? "it" : "these"} first.` : "",
    ];
    $("many-says").textContent = sentences.filter(Boolean).join(" ");
    $("many-accept").textContent = facts.length ? `Accept ${facts.length}, about ${wrong.toFixed(1)} wrong` : "Accept none";
    $("many-accept").disabled = !facts.length;
  }

  $("many-least").addEventListener("input", refresh);
  $("many-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const facts = chosen();
    $("many").close();
    if (facts.length) accept(facts);
  });
  return () => {
    refresh();
    $("many").showModal();
    $("many-least").select();
  };
}
