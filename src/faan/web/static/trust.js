// The dialog that says what the percentages are worth.

import { $ } from "./dom.js";
import { postForText } from "./server.js";

export async function showTrust(question) {
  $("worth").textContent = "Measuring …";
  $("trust").showModal();
  try {
    $("worth").innerHTML = await postForText("/trust", question); // from our own template, which escapes every name
  } catch (error) {
    $("worth").textContent = error.message;
  }
}
