// The evidence graph: head on the left, tail on the right, paths between them, what is known of each around it.

const SIDE = 255; // of head and tail from the middle
const OUTSIDE = 475; // of what is known about them
const ROW = 58;
const GAP = 12; // beside a box

let library = null;
let drawn = null; // what stands on the page: {graph, observer}

export async function draw(canvas) {
  library ??= (await import("./vendor/cytoscape.js")).default;
  const { nodes, edges } = JSON.parse(canvas.dataset.drawing);
  const places = placesOf(nodes, edges);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  drawn?.observer.disconnect();
  drawn?.graph.destroy();
  const graph = library({
    container: canvas,
    elements: {
      nodes: nodes.map((node) => ({ data: node, position: places.get(node.id) })),
      edges: edges.map((edge, i) => ({ data: { ...edge, id: `edge-${i}` } })),
    },
    layout: { name: "preset", fit: true, padding: 24 },
    style: style(colour),
    userZoomingEnabled: false,
    boxSelectionEnabled: false,
    maxZoom: 1.25,
  });
  const observer = new ResizeObserver(() => {
    graph.resize();
    graph.fit(undefined, 24);
  });
  observer.observe(canvas);
  drawn = { graph, observer };
}

function placesOf(nodes, edges) {
  const of = (role) => nodes.filter((node) => node.role === role).map((node) => node.id);
  const [head] = of("head");
  const [tail] = of("tail");
  const places = new Map([[head, { x: -SIDE, y: 0 }], [tail, { x: SIDE, y: 0 }]]);
  const column = (ids, x) => ids.forEach((id, i) => places.set(id, { x, y: ROW * (i - (ids.length - 1) / 2) }));

  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const between = of("path");
  const [fromHead, fromTail] = [depths(head, between, edges), depths(tail, between, edges)];
  const way = (id) => (fromHead.get(id) ?? 1) / ((fromHead.get(id) ?? 1) + (fromTail.get(id) ?? 1)); // from head to tail
  let above = 0; // rows that are taken on either side of the fact
  let below = 0;
  for (const chain of chains(between, edges)) {
    const taken = []; // by row, what stands there from where to where
    const up = above <= below;
    const first = up ? above : below;
    for (const id of chain) {
      const x = SIDE * (2 * way(id) - 1);
      const half = widthOf(labels.get(id), "path") / 2 + GAP;
      let row = 0;
      while (taken[row]?.some(([from, to]) => from < x + half && x - half < to)) row += 1;
      (taken[row] ??= []).push([x - half, x + half]);
      places.set(id, { x, y: (up ? -1 : 1) * ROW * (1.1 + first + row) });
    }
    if (up) above += taken.length;
    else below += taken.length;
  }

  const near = (id, other) => edges.some((e) => [e.source, e.target].includes(id) && [e.source, e.target].includes(other));
  const around = of("neighbour");
  const left = around.filter((id) => near(id, head));
  column(left, -OUTSIDE);
  column(around.filter((id) => !left.includes(id)), OUTSIDE);

  let y = Math.max(...[...places.values()].map((place) => place.y)) + 1.4 * ROW;
  for (const { source, target } of edges.filter(({ kind }) => kind === "example")) {
    const free = [source, target].filter((id) => !places.has(id));
    free.forEach((id) => places.set(id, { x: id === source ? -SIDE / 2 : SIDE / 2, y }));
    if (free.length) y += ROW;
  }
  return places;
}

// Entities of paths that hang together, so that a path stays on one side.
function chains(between, edges) {
  const chain = new Map(between.map((id) => [id, [id]]));
  for (const { source, target } of edges) {
    const [one, two] = [chain.get(source), chain.get(target)];
    if (!one || !two || one === two) continue;
    one.push(...two);
    two.forEach((id) => chain.set(id, one));
  }
  return new Set(chain.values());
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
const WIDEST = 190;
const ruler = document.createElement("canvas").getContext("2d");

function widthOf(label, role) {
  ruler.font = role === "head" || role === "tail" ? `600 17px ${FAMILY}` : `15px ${FAMILY}`;
  return Math.min(ruler.measureText(label).width, WIDEST) + 6;
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
        padding: "7px",
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
    { selector: "node[role = 'example']", style: { "border-style": "dashed", "border-color": colour("--example") } },
    {
      selector: "edge",
      style: {
        ...text,
        label: "data(label)",
        "font-size": 12,
        color: colour("--muted"),
        width: "mapData(weight, 0, 1, 1.2, 4.5)",
        "line-color": colour("--line-strong"),
        "target-arrow-color": colour("--line-strong"),
        "target-arrow-shape": "triangle",
        "curve-style": "bezier",
        "text-rotation": "autorotate",
        "text-background-color": colour("--ground"),
        "text-background-opacity": 0.9,
        "text-background-padding": 2,
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
