// Where the labels of edges go: on their edge or close to it, beside every box and every other label.

const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82]; // places on the visible part of an edge, best first
const BESIDE = 2; // pixels between a label and what is next to it
const AWAY = [0, -12, 12]; // pixels above or below the edge
const CHOICES = AWAY.flatMap((away) => ALONG.map((share) => ({ share, away })));

// A box is {x, y, width, height} around its middle. Returns the place of each label, or null if there is no room; a label has
// source and target (boxes), width and height.
export function placeCaptions(boxes, labels) {
  const taken = [...boxes];
  return labels.map((label) => {
    const [from, to] = [border(label.source, label.target), border(label.target, label.source)];
    for (const { share, away } of CHOICES) {
      const [x, y] = [from.x + share * (to.x - from.x), from.y + share * (to.y - from.y) + away];
      const place = { x, y, width: label.width, height: label.height };
      if (taken.some((other) => overlap(place, other))) continue;
      taken.push(place);
      return { x, y };
    }
    return null;
  });
}

const overlap = (one, two) =>
  Math.abs(one.x - two.x) < (one.width + two.width) / 2 + BESIDE &&
  Math.abs(one.y - two.y) < (one.height + two.height) / 2 + BESIDE;

// Where the line from the middle of one box to the middle of another leaves the first.
function border(box, other) {
  const [dx, dy] = [other.x - box.x, other.y - box.y];
  const share = Math.min(box.width / 2 / Math.max(Math.abs(dx), 1e-9), box.height / 2 / Math.max(Math.abs(dy), 1e-9), 0.5);
  return { x: box.x + share * dx, y: box.y + share * dy };
}
