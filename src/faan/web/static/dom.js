// Finding and making elements of the page.

export const $ = (id) => document.getElementById(id);

export function element(tag, kind = "", text = "") {
  const made = document.createElement(tag);
  made.className = kind;
  made.textContent = text;
  return made;
}

// An element with a label, and the name behind it as a tooltip where the two differ.
export function named(tag, kind, label, name) {
  const made = element(tag, kind, label);
  if (label !== name) made.title = name;
  return made;
}
