// Finding and making elements of the page.

export const $ = (id) => document.getElementById(id);

export function element(tag, kind = "", text = "") {
  const made = document.createElement(tag);
  made.className = kind;
  made.textContent = text;
  return made;
}
