// The evidence graph: head on the left, tail on the right, paths between them, facts about each around it. On a narrow
// canvas the head is above the tail, and only the paths are drawn.

import { placeCaptions } from "./captions.js";
import { $ } from "./dom.js";

const SIDE = 255; // of head and tail from the middle
const OUTSIDE = 475; // of what is known about them
const ROW = 64;
const GAP = 55; // beside a box of a path: room for half a label
const LEVELS = [-1, 1, -2, 2, -3, 3, -4, 4]; // rows above and below the fact
const TALL = 150; // of head and tail from the middle, where one is above the other
const [COLUMN, NEXT_COLUMN] = [105, 190]; // of paths beside the middle there, and from each other
const READABLE = 0.75; // the least zoom of an enlarged drawing at first
const NARROW = 500; // pixels of a canvas on which only the fact and its paths are drawn; the text below says the rest
const STRETCHES = [[1, 1], [1, 1.25], [1.1, 1.25], [1.1, 1.5], [1.25, 1.5], [1.4, 1.75], [1.6, 2]]; // width and height, until every label has a place

let library = null; // Cytoscape.js, loaded for the first drawing
let drawn = null; // what stands on the page: {graph, observer}

export async function draw(canvas) {
  await loaded();
  const narrow = canvas.clientWidth < NARROW;
  const graph = graphIn(canvas, narrow ? pathsOf(canvas.dataset.drawing) : JSON.parse(canvas.dataset.drawing), narrow);
  drawn?.observer.disconnect();
  drawn?.graph.destroy();
  const observer = new ResizeObserver(() => {
    graph.resize();
    graph.fit(undefined, 24);
  });
  observer.observe(canvas);
  drawn = { graph, observer };
}

// Shows all of a drawing in a window of its own, to be moved and zoomed.
export async function enlarge(canvas) {
  await loaded();
  const dialog = $("enlarged");
  dialog.showModal();
  const graph = graphIn(dialog.querySelector(".canvas"), JSON.parse(canvas.dataset.drawing), false);
  graph.userZoomingEnabled(true);
  graph.maxZoom(3);
  if (graph.zoom() < READABLE) {
    graph.zoom(READABLE);
    graph.center(graph.nodes("[role = 'head']"));
  }
  dialog.addEventListener("close", () => graph.destroy(), { once: true });
}

async function loaded() {
  library ??= (await import("./vendor/cytoscape.js")).default;
}

function graphIn(canvas, { nodes, edges }, upright) {
  const { places, captions } = arrange(nodes, edges, upright);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return library({
    container: canvas,
    elements: {
      nodes: [
        ...nodes.map((node) => ({ data: node, position: places.get(node.id) })),
        ...captions.map(({ label, ...position }, i) => ({ data: { id: `caption-${i}`, label, role: "caption" }, position })),
      ],
      edges: edges.map((edge, i) => ({ data: { ...edge, id: `edge-${i}` } })),
    },
    layout: { name: "preset", fit: true, padding: 24 },
    style: style(colour),
    userZoomingEnabled: false,
    boxSelectionEnabled: false,
    maxZoom: 1.25,
  });
}

// The fact and its paths.
function pathsOf(drawing) {
  const { nodes, edges } = JSON.parse(drawing);
  const kept = edges.filter(({ kind }) => kind === "suggested" || kind === "path");
  const ends = new Set(kept.flatMap(({ source, target }) => [source, target]));
  return { nodes: nodes.filter(({ id }) => ends.has(id)), edges: kept };
}

// Places for entities and for the labels of edges: as narrow as possible, but no label lies under a box.
function arrange(nodes, edges, upright) {
  const named = edges.filter(({ label }) => label);
  let best = null;
  for (const stretch of STRETCHES) {
    const places = placesOf(nodes, edges, stretch, upright);
    const boxes = new Map(nodes.map(({ id, label, role }) => [id, { ...places.get(id), ...sizeOf(label, role) }]));
    const labels = named.map(({ source, target, label }) => ({
      source: boxes.get(source),
      target: boxes.get(target),
      ...sizeOf(label, "caption"),
    }));
    const captions = placeCaptions([...boxes.values()], labels)
      .map((place, i) => place && { ...place, label: named[i].label })
      .filter(Boolean);
    if (!best || captions.length > best.captions.length) best = { places, captions };
    if (captions.length === named.length) break;
  }
  return best;
}

function placesOf(nodes, edges, [wide, high], upright) {
  const [side, outside, row] = [upright ? TALL * high : SIDE * wide, OUTSIDE * wide, ROW * high];
  const across = (level) => Math.sign(level) * wide * (COLUMN + NEXT_COLUMN * (Math.abs(level) - 1));
  const place = (along, level) => (upright ? { x: across(level), y: along } : { x: along, y: row * 1.1 * level });
  const of = (role) => nodes.filter((node) => node.role === role).map((node) => node.id);
  const [head] = of("head");
  const [tail] = of("tail");
  const places = new Map([[head, place(-side, 0)], [tail, place(side, 0)]]);
  const column = (ids, x) => ids.forEach((id, i) => places.set(id, { x, y: row * (i - (ids.length - 1) / 2) }));

  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const between = of("path");
  const [fromHead, fromTail] = [depths(head, between, edges), depths(tail, between, edges)];
  const way = (id) => (fromHead.get(id) ?? 1) / ((fromHead.get(id) ?? 1) + (fromTail.get(id) ?? 1)); // from head to tail
  const taken = new Map(LEVELS.map((level) => [level, []])); // by row, what stands there from where to where
  for (const id of [...between].sort((one, two) => way(one) - way(two))) {
    const along = side * (2 * way(id) - 1);
    const half = upright ? row / 2 : widthOf(labels.get(id), "path") / 2 + GAP;
    const isFree = (level) => !taken.get(level).some(([from, to]) => from < along + half && along - half < to);
    const level = LEVELS.find(isFree) ?? LEVELS.at(-1);
    taken.get(level).push([along - half, along + half]);
    places.set(id, place(along, level));
  }

  const near = (id, other) => edges.some((e) => [e.source, e.target].includes(id) && [e.source, e.target].includes(other));
  const around = of("neighbour");
  const left = around.filter((id) => near(id, head));
  column(left, -outside);
  column(around.filter((id) => !left.includes(id)), outside);

  let y = Math.max(...[...places.values()].map((place) => place.y)) + 1.4 * row;
  for (const { source, target } of edges.filter(({ kind }) => kind === "example")) {
    const free = [source, target].filter((id) => !places.has(id));
    free.forEach((id) => places.set(id, { x: id === source ? -side / 2 : side / 2, y }));
    if (free.length) y += row * 0.8;
  }
  return places;
}

// How many steps of paths lie between one end and each entity.
function depths(end, between, edges) {
  const inside = new Set(between);
  const depth = new Map();
  let border = [end];
  for (let level = 1; border.length; level += 1) {
    const next = [];
    for (const { source, target, kind } of edges) {
      for (const [from, to] of [[source, target], [target, source]]) {
        if (kind === "path" && border.includes(from) && inside.has(to) && !depth.has(to)) {
          depth.set(to, level);
          next.push(to);
        }
      }
    }
    border = next;
  }
  return depth;
}

const FAMILY = 'system-ui, "DejaVu Sans", sans-serif';
const [WIDEST, WIDEST_CAPTION] = [170, 140];
const PADDING = 7; // inside a box
const ruler = document.createElement("canvas").getContext("2d");

function widthOf(label, role) {
  ruler.font = role === "head" || role === "tail" ? `600 17px ${FAMILY}` : `15px ${FAMILY}`;
  return Math.min(ruler.measureText(label).width, WIDEST) + 6;
}

// How much room a box or a label takes.
function sizeOf(label, role) {
  if (role !== "caption") return { width: widthOf(label, role) + 2 * PADDING, height: 24 + 2 * PADDING };
  ruler.font = `12px ${FAMILY}`;
  return { width: Math.min(ruler.measureText(label).width, WIDEST_CAPTION) + 4, height: 16 };
}

function style(colour) {
  const text = { "font-family": FAMILY, "font-size": 15, color: colour("--text") };
  return [
    {
      selector: "node",
      style: {
        ...text,
        label: "data(label)",
        shape: "round-rectangle",
        width: (node) => widthOf(node.data("label"), node.data("role")),
        height: 24,
        padding: `${PADDING}px`,
        "text-valign": "center",
        "text-halign": "center",
        "text-max-width": WIDEST,
        "text-wrap": "ellipsis",
        "background-color": colour("--card"),
        "border-width": 1,
        "border-color": colour("--line-strong"),
      },
    },
    {
      selector: "node[role = 'head'], node[role = 'tail']",
      style: { "border-width": 2.5, "border-color": colour("--accent"), "font-weight": 600, "font-size": 17 },
    },
    {
      selector: "node[role = 'caption']",
      style: {
        ...text,
        "font-size": 12,
        color: colour("--muted"),
        shape: "rectangle",
        width: (node) => sizeOf(node.data("label"), "caption").width,
        height: 16,
        padding: 0,
        "text-max-width": WIDEST_CAPTION,
        "border-width": 0,
        "background-color": colour("--ground"),
        "background-opacity": 0.9,
        events: "no",
      },
    },
    { selector: "node[role = 'example']", style: { "border-style": "dashed", "border-color": colour("--example") } },
    {
      selector: "edge",
      style: {
        width: "mapData(weight, 0, 1, 1.2, 4.5)",
        "line-color": colour("--line-strong"),
        "target-arrow-color": colour("--line-strong"),
        "target-arrow-shape": "triangle",
        "curve-style": "bezier",
      },
    },
    ...[["suggested", "--accent"], ["path", "--path"], ["example", "--example"], ["resembles", "--example"]].map(
      ([kind, name]) => ({
        selector: `edge[kind = '${kind}']`,
        style: { "line-color": colour(name), "target-arrow-color": colour(name) },
      }),
    ),
    { selector: "edge[kind = 'suggested']", style: { "line-style": "dashed", "line-dash-pattern": [8, 5], width: 2.5 } },
    { selector: "edge[kind = 'resembles']", style: { "line-style": "dotted", "target-arrow-shape": "none" } },
  ];
}
