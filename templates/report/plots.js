/* Time plots, one group of columns at a time, and the phase plot. */
const Plots = (() => {
  const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7f3c8d", "#e69f00", "#5f6b6d", "#b3261e"];
  const DARK = ["#56b4e9", "#ff8c42", "#2fc59a", "#e39bc4", "#d9b13b", "#4a90d9", "#b583c9", "#f7c873", "#9fb0b3", "#ff8a80"];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const TITLES = { q: "Positions", v: "Velocities", gap: "Gaps", impulse: "Impulses", friction: "Friction", force: "Forces",
    output: "Outputs", energy: "Energy", status: "Status" };
  const MOST = 12; /* lines in one plot */
  const holder = document.getElementById("plots"), tabs = document.getElementById("groups");
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let shown = [], moved = () => {};
  const sync = uPlot.sync("time");

  const groups = new Map();
  Data.columns.slice(1).forEach(c => {
    if (c.group === "none") return;
    if (!groups.has(c.group)) groups.set(c.group, []);
    groups.get(c.group).push(c);
  });
  /* by unit, so that one axis serves all lines of a plot; columns that never change come last */
  const parts = list => {
    const by = new Map();
    for (const c of list) {
      const key = c.unit || "";
      if (!by.has(key)) by.set(key, []);
      by.get(key).push(c);
    }
    const out = [];
    for (const [unit, all] of by) {
      all.sort((a, b) => a.still - b.still);
      for (let i = 0; i < all.length && out.length < 40; i += MOST) out.push({ unit, list: all.slice(i, i + MOST) });
    }
    return out;
  };

  const marks = u => { /* events as fine lines below the curves */
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = colour("--hit");
    ctx.globalAlpha = 0.25;
    ctx.beginPath();
    let last = -9;
    for (const e of Data.events) {
      if (!/^closes/.test(e.what)) continue;
      const x = Math.round(u.valToPos(e.t, "x", true));
      if (x < bbox.left || x > bbox.left + bbox.width || x - last < 3) continue;
      last = x;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  };
  let now = 0;
  const here = u => { /* the time of the animation */
    const { ctx, bbox } = u, x = u.valToPos(now, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = colour("--ink");
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  };

  /* numbers beside the names: where the pointer is, else those of the animation */
  const read = u => { if (u.cursor.left < 0) u.setLegend({ idx: Data.row(now) }, false); };

  const zoomed = u => {
    if (u.quiet) return;
    const { min, max } = u.scales.x;
    for (const other of shown) {
      if (other === u || (other.scales.x.min === min && other.scales.x.max === max)) continue;
      other.quiet = true;
      other.setScale("x", { min, max });
      other.quiet = false;
    }
  };
  const axis = more => ({ stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, ...more });
  const high = count => count === 1 && holder.clientWidth > 500 ? 400 : 230;
  const plot = ({ unit, list }, _, all) => {
    const stepped = list[0].group === "status" || list[0].group === "impulse" || list[0].group === "friction";
    const u = new uPlot({
      width: Math.max(260, holder.clientWidth - 12), height: high(all.length),
      cursor: { sync: { key: "time" }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { range: (_, low, high) => low === high ? [low - Math.abs(low || 1), low + Math.abs(low || 1)]
        : uPlot.rangeNum(low, high, 0.1, true) } },
      axes: [axis({ label: "t [s]", labelSize: 18, size: 40, space: 70, values: (_, v) => Data.labels(v) }), axis({ label: unit, labelSize: unit ? 18 : 0, size: 66,
        values: (_, v) => Data.labels(v) })],
      series: [{ label: "t", value: (_, x) => x == null ? "" : Data.number(x, 7) },
        ...list.map((c, i) => ({ label: c.name, stroke: (dark.matches ? DARK : LIGHT)[i % LIGHT.length], width: 1.3, points: { show: false },
          paths: stepped ? uPlot.paths.stepped({ align: -1 }) : undefined,
          value: (_, x) => x == null ? "" : Data.number(x, 6) }))],
      hooks: { drawClear: [marks], draw: [here], setCursor: [read], setScale: [(self, key) => { if (key === "x") zoomed(self); }] },
    }, [Data.t, ...list.map(c => c.data)], holder);
    u.over.addEventListener("click", e => {
      if (u.select.width > 2) return;
      moved(u.posToVal(e.offsetX, "x"));
    });
    sync.sub(u);
    return u;
  };

  const show = key => {
    for (const u of shown) { sync.unsub(u); u.destroy(); }
    holder.textContent = "";
    for (const b of tabs.children) {
      b.setAttribute("aria-selected", String(b.dataset.key === key));
      b.tabIndex = b.dataset.key === key ? 0 : -1;
    }
    shown = [];
    shown = parts(groups.get(key)).map(plot);
    shown.forEach(read);
  };
  for (const key of groups.keys()) {
    const b = document.createElement("button");
    b.textContent = TITLES[key] || key;
    b.dataset.key = key;
    b.setAttribute("role", "tab");
    b.addEventListener("click", () => show(key));
    b.addEventListener("keydown", e => { /* arrows go from tab to tab */
      const other = e.key === "ArrowRight" ? b.nextSibling : e.key === "ArrowLeft" ? b.previousSibling : null;
      if (other) { e.preventDefault(); other.focus(); other.click(); }
    });
    tabs.append(b);
  }
  const current = () => [...tabs.children].find(b => b.getAttribute("aria-selected") === "true")?.dataset.key;
  if (groups.size) show([...groups.keys()][0]);
  let wide = holder.clientWidth;
  new ResizeObserver(() => {
    if (holder.clientWidth === wide) return;
    wide = holder.clientWidth;
    for (const u of shown) u.setSize({ width: Math.max(260, wide - 12), height: high(shown.length) });
  }).observe(holder);
  dark.addEventListener("change", () => { if (current()) show(current()); phase(); });

  /* one column over another */
  const canvas = document.getElementById("phase_picture"), px = document.getElementById("phase_x"), py = document.getElementById("phase_y");
  const useful = Data.columns.filter(c => c.group !== "status" && c.group !== "none");
  for (const select of [px, py]) {
    for (const c of useful) select.append(new Option(c.name, c.name));
    select.addEventListener("change", () => phase());
  }
  const firstq = Data.columns.find(c => c.group === "q" && !c.still) || Data.columns[0];
  px.value = firstq.name;
  py.value = (Data.named.get(firstq.name + ".dot") || Data.columns[1] || firstq).name;
  const extent = d => {
    let low = Infinity, high = -Infinity;
    for (const x of d) if (Number.isFinite(x)) { low = Math.min(low, x); high = Math.max(high, x); }
    if (!(low <= high)) return [0, 1];
    const room = (high - low || Math.abs(high) || 1) * 0.05;
    return [low - room, high + room];
  };
  /* round numbers in a range, about five */
  const ticks = (low, high) => {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find(k => k * power >= raw) * power;
    const first = Math.ceil(low / step), list = [];
    for (let k = first; k * step <= high && list.length < 12; k++) list.push(k * step);
    const said = Data.labels(list);
    return list.map((x, k) => [x, said[k]]);
  };
  const phase = () => {
    const a = Data.named.get(px.value), b = Data.named.get(py.value), ratio = devicePixelRatio || 1;
    if (!a || !b) return;
    const w = canvas.clientWidth, h = canvas.clientHeight;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    const g = canvas.getContext("2d"), [x0, x1] = extent(a.data), [y0, y1] = extent(b.data);
    const X = x => 60 + (x - x0) / (x1 - x0) * (w - 76), Y = y => h - 34 - (y - y0) / (y1 - y0) * (h - 50);
    g.scale(ratio, ratio);
    g.clearRect(0, 0, w, h);
    g.strokeStyle = colour("--line");
    g.fillStyle = colour("--soft");
    g.font = "12px system-ui, sans-serif";
    g.beginPath();
    g.textAlign = "center";
    let free = 0; /* numbers do not overlap */
    for (const [x, text] of ticks(x0, x1)) {
      g.moveTo(X(x), 16); g.lineTo(X(x), h - 34);
      const half = g.measureText(text).width / 2;
      if (X(x) - half < free) continue;
      g.fillText(text, X(x), h - 20);
      free = X(x) + half + 8;
    }
    g.textAlign = "right";
    for (const [y, text] of ticks(y0, y1)) {
      g.moveTo(60, Y(y)); g.lineTo(w - 16, Y(y));
      g.fillText(text, 55, Y(y) + 4);
    }
    g.stroke();
    g.textAlign = "center";
    g.fillText(a.name + (a.unit ? " [" + a.unit + "]" : ""), w / 2, h - 5);
    g.textAlign = "left";
    g.fillText(b.name + (b.unit ? " [" + b.unit + "]" : ""), 62, 12);
    g.strokeStyle = colour("--accent");
    g.beginPath();
    for (let i = 0; i < Data.n; i++) g.lineTo(X(a.data[i]), Y(b.data[i]));
    g.stroke();
    const i = Data.row(now);
    g.fillStyle = colour("--hit");
    g.beginPath();
    g.arc(X(a.data[i]), Y(b.data[i]), 4, 0, 7);
    g.fill();
  };
  new ResizeObserver(phase).observe(canvas);

  return {
    at(t) { now = t; for (const u of shown) { u.redraw(false); read(u); } phase(); },
    onMove(f) { moved = f; },
  };
})();
