// The dialog that says what the percentages are worth.

import { postForText } from "./server.js";

const $ = (id) => document.getElementById(id);

// `question()` is the question under review.
export function trustDialog(question) {
  return {
    async show() {
      $("worth").textContent = "Measuring …";
      $("trust").showModal();
      try {
        $("worth").innerHTML = await postForText("/trust", question()); // from our own template, which escapes every name
      } catch (error) {
        $("worth").textContent = error.message;
      }
    },
  };
}
