/* The mechanism in the plane, on a canvas. */
const Plane = canvas => {
  const g = canvas.getContext("2d"), scene = RUN.scene;
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const out = new Float64Array(scene.count), values = new Float64Array(Data.columns.length);
  const view = { x: 0, y: 0, scale: 100 };
  let options = { trails: false, names: false };

  const pose = t => { scene.pose(Data.at(t, values), t, out); return out; };

  /* the points that say how far an item reaches */
  const reach = (item, p, add) => {
    const o = item.o;
    if (item.kind === "plane" || item.kind === "contact") return;
    if (item.kind === "skin") {
      for (let k = 0; k < Skin.nodes; k++) add(Skin.place[3 * k], Skin.place[3 * k + 1], 0);
      return;
    }
    if (item.points) for (let k = 0; k < item.points; k++) add(p[o + 2 * k], p[o + 2 * k + 1], 0);
    else if (item.kind === "box") add(p[o], p[o + 1], Math.hypot(item.width, item.height) / 2);
    else add(p[o], p[o + 1], item.radius || 0);
  };
  const bounds = (() => {
    const b = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
    const add = (x, y, r) => {
      if (!Number.isFinite(x + y)) return;
      b.x0 = Math.min(b.x0, x - r); b.x1 = Math.max(b.x1, x + r);
      b.y0 = Math.min(b.y0, y - r); b.y1 = Math.max(b.y1, y + r);
    };
    const every = Math.max(1, Math.floor(Data.n / 400));
    for (let i = 0; i < Data.n; i += every) {
      const p = pose(Data.t[i]);
      if (Skin) Skin.at(Data.t[i]);
      for (const item of scene.items) reach(item, p, add);
    }
    /* a plane is looked at where it is near to what moves */
    for (const item of scene.items) {
      if (item.kind !== "plane") continue;
      const p = pose(Data.first), o = item.o;
      if (!(b.x0 <= b.x1)) { add(p[o] - 1, p[o + 1], 0); add(p[o] + 1, p[o + 1], 0); }
      const cx = (b.x0 + b.x1) / 2, cy = (b.y0 + b.y1) / 2;
      const d = (cx - p[o]) * p[o + 2] + (cy - p[o + 1]) * p[o + 3];
      add(cx - d * p[o + 2], cy - d * p[o + 3], 0);
    }
    if (!(b.x0 <= b.x1)) Object.assign(b, { x0: -1, x1: 1, y0: -1, y1: 1 });
    return b;
  })();
  const size = Math.max(bounds.x1 - bounds.x0, bounds.y1 - bounds.y0) || 1;
  const small = item => item.radius > 0 ? item.radius : 0.012 * size;

  let ratio = 1, w = 1, h = 1;
  const X = x => w / 2 + (x - view.x) * view.scale, Y = y => h / 2 - (y - view.y) * view.scale;
  const fit = () => {
    view.x = (bounds.x0 + bounds.x1) / 2;
    view.y = (bounds.y0 + bounds.y1) / 2;
    view.scale = 0.86 * Math.min(w / Math.max(bounds.x1 - bounds.x0, 0.3 * size), h / Math.max(bounds.y1 - bounds.y0, 0.3 * size));
  };
  const resize = () => {
    const fresh = w === 1;
    ratio = devicePixelRatio || 1;
    w = canvas.clientWidth || 1;
    h = canvas.clientHeight || 1;
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    if (fresh) fit();
  };

  const path = (p, o, k, closed) => {
    g.beginPath();
    for (let i = 0; i < k; i++) g.lineTo(X(p[o + 2 * i]), Y(p[o + 2 * i + 1]));
    if (closed) g.closePath();
  };
  const zigzag = (p, o) => {
    const [x0, y0, x1, y1] = [X(p[o]), Y(p[o + 1]), X(p[o + 2]), Y(p[o + 3])];
    const length = Math.hypot(x1 - x0, y1 - y0) || 1, nx = -(y1 - y0) / length, ny = (x1 - x0) / length, turns = 12;
    g.beginPath();
    g.moveTo(x0, y0);
    for (let i = 1; i < turns; i++) {
      const s = i / turns, a = i === 1 || i === turns - 1 ? 0 : (i % 2 ? 6 : -6);
      g.lineTo(x0 + s * (x1 - x0) + a * nx, y0 + s * (y1 - y0) + a * ny);
    }
    g.lineTo(x1, y1);
  };
  const DRAW = {
    plane(item, p) {
      const o = item.o, far = 4 * (w + h) / view.scale, tx = -p[o + 3], ty = p[o + 2];
      const ends = [[p[o] - far * tx, p[o + 1] - far * ty], [p[o] + far * tx, p[o + 1] + far * ty]];
      g.beginPath();
      for (const [x, y] of ends) g.lineTo(X(x), Y(y));
      for (const [x, y] of ends.reverse()) g.lineTo(X(x - far * p[o + 2]), Y(y - far * p[o + 3]));
      g.globalAlpha = 0.35;
      g.fill();
      g.globalAlpha = 1;
      g.stroke();
    },
    disk(item, p) {
      const o = item.o, r = small(item) * view.scale;
      g.beginPath();
      g.arc(X(p[o]), Y(p[o + 1]), r, 0, 2 * Math.PI);
      g.globalAlpha = 0.3;
      g.fill();
      g.globalAlpha = 1;
      g.moveTo(X(p[o]), Y(p[o + 1]));
      g.lineTo(X(p[o]) + r * Math.cos(p[o + 2]), Y(p[o + 1]) - r * Math.sin(p[o + 2]));
      g.stroke();
    },
    box(item, p) {
      const o = item.o;
      g.save();
      g.translate(X(p[o]), Y(p[o + 1]));
      g.rotate(-p[o + 2]);
      const a = item.width * view.scale, b = item.height * view.scale;
      g.beginPath();
      g.rect(-a / 2, -b / 2, a, b);
      g.globalAlpha = 0.3;
      g.fill();
      g.globalAlpha = 1;
      g.stroke();
      g.restore();
    },
    hull(item, p) {
      path(p, item.o, item.points, item.points > 2);
      g.globalAlpha = 0.3;
      if (item.points > 2) g.fill();
      g.globalAlpha = 1;
      g.stroke();
    },
    line(item, p) {
      g.lineWidth = item.width ? Math.max(1, item.width * view.scale) : item.fixed ? 1.5 : 4;
      path(p, item.o, item.points, item.closed);
      g.stroke();
      if (item.fixed || item.points > 6) return;
      for (let k = 0; k < item.points; k++) { /* pins */
        g.beginPath();
        g.arc(X(p[item.o + 2 * k]), Y(p[item.o + 2 * k + 1]), 4, 0, 2 * Math.PI);
        g.fill();
      }
    },
    skin(item) {
      const { corners, field } = Skin, P = Skin.place;
      for (let k = 0; k < corners.length; k += 3) {
        const [a, b, c] = [corners[k], corners[k + 1], corners[k + 2]];
        const paint = "rgb(" + Skin.colour((field[a] + field[b] + field[c]) / 3).map(Math.round).join() + ")";
        g.fillStyle = g.strokeStyle = paint;
        g.lineWidth = b === c ? 9 : 0.7;
        g.beginPath();
        for (const i of [a, b, c]) g.lineTo(X(P[3 * i]), Y(P[3 * i + 1]));
        g.closePath();
        g.fill();
        g.stroke();
      }
    },
    spring(item, p) { zigzag(p, item.o); g.stroke(); },
    arc(item, p) {
      const o = item.o;
      g.beginPath();
      g.arc(X(p[o]), Y(p[o + 1]), item.radius * view.scale, -(p[o + 2] + (item.to ?? 2 * Math.PI)), -(p[o + 2] + (item.from ?? 0)));
      g.stroke();
    },
    mass(item, p) {
      const o = item.o, r = Math.max(4, 0.014 * size * view.scale);
      g.beginPath();
      g.arc(X(p[o]), Y(p[o + 1]), r, 0, 2 * Math.PI);
      g.fill();
      if (!item.turns) return;
      g.beginPath();
      g.moveTo(X(p[o]), Y(p[o + 1]));
      g.lineTo(X(p[o]) + 2.4 * r * Math.cos(p[o + 2]), Y(p[o + 1]) - 2.4 * r * Math.sin(p[o + 2]));
      g.stroke();
    },
  };

  /* what presses: a light, the cone of friction, and an arrow as long as its impulse is great among all */
  const contact = (item, p, push, most) => {
    const o = item.o, x = X(p[o]), y = Y(p[o + 1]), size = Math.sqrt(push.normal / most);
    g.fillStyle = g.strokeStyle = colour("--hit");
    g.beginPath();
    g.arc(x, y, 3 + 4 * size, 0, 2 * Math.PI);
    g.globalAlpha = 0.55;
    g.fill();
    if (item.normal) {
      const length = Math.hypot(p[o + 2], p[o + 3]) || 1, nx = p[o + 2] / length, ny = p[o + 3] / length;
      const tx = p[o + 4], ty = p[o + 5], reach = Math.min(w, h) * (0.05 + 0.17 * size);
      if (push.limit > 0) {
        const half = Math.atan(push.limit), away = Math.atan2(-ny, nx);
        g.beginPath();
        g.moveTo(x, y);
        g.arc(x, y, 0.8 * reach, away - half, away + half);
        g.closePath();
        g.globalAlpha = 0.16;
        g.fill();
      }
      const s = (push.tangent[0] || 0) / push.normal, dx = nx + s * tx, dy = ny + s * ty, ex = x + reach * dx, ey = y - reach * dy;
      const back = Math.atan2(ey - y, ex - x);
      g.globalAlpha = 1;
      g.lineWidth = 2;
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(ex, ey);
      for (const turn of [-2.7, 2.7]) { g.moveTo(ex, ey); g.lineTo(ex + 7 * Math.cos(back + turn), ey + 7 * Math.sin(back + turn)); }
      g.stroke();
    }
    g.globalAlpha = 1;
  };

  const trail = (item, t) => {
    const point = item.o, last = Data.row(t), first = Math.max(0, last - 1200), every = Math.max(1, Math.floor((last - first) / 300));
    g.beginPath();
    for (let i = first; i <= last; i += every) {
      const p = pose(Data.t[i]);
      g.lineTo(X(p[point]), Y(p[point + 1]));
    }
    g.globalAlpha = 0.5;
    g.lineWidth = 1;
    g.stroke();
    g.globalAlpha = 1;
  };

  const draw = (t, forces, most) => {
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.lineJoin = g.lineCap = "round";
    if (options.trails) {
      g.strokeStyle = colour("--accent");
      for (const item of scene.items) if (item.body && !item.fixed && item.kind !== "skin") trail(item, t);
    }
    const p = pose(t);
    if (Skin) Skin.at(t);
    for (const item of scene.items) {
      if (item.kind === "contact") continue;
      g.strokeStyle = colour(item.fixed ? "--soft" : "--body");
      g.fillStyle = colour(item.fixed ? "--ground" : "--body");
      g.lineWidth = 1.6;
      DRAW[item.kind](item, p);
      if (options.names && item.kind !== "plane" && item.kind !== "skin") {
        g.fillStyle = colour("--ink");
        g.font = "12px system-ui, sans-serif";
        g.fillText(item.name, X(p[item.o]) + 7, Y(p[item.o + 1]) - 7);
      }
    }
    for (const item of scene.items) {
      if (item.kind === "contact" && forces.get(item.contact)?.normal > 0) contact(item, p, forces.get(item.contact), most);
    }
    scale();
  };

  /* how long a length is */
  const scale = () => {
    const raw = 110 / view.scale, power = 10 ** Math.floor(Math.log10(raw)), nice = [5, 2, 1].find(k => k * power <= raw) * power;
    g.strokeStyle = g.fillStyle = colour("--soft");
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(14, h - 12); g.lineTo(14 + nice * view.scale, h - 12);
    g.stroke();
    g.font = "12px system-ui, sans-serif";
    g.fillText(Data.number(nice, 3) + (scene.length ? " " + scene.length : ""), 14, h - 18);
  };

  let changed = () => {};
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    const k = Math.exp(-0.0015 * e.deltaY), box = canvas.getBoundingClientRect();
    const x = view.x + (e.clientX - box.left - w / 2) / view.scale, y = view.y - (e.clientY - box.top - h / 2) / view.scale;
    view.scale *= k;
    view.x = x - (x - view.x) / k;
    view.y = y - (y - view.y) / k;
    changed();
  }, { passive: false });
  let held = null;
  canvas.addEventListener("pointerdown", e => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointermove", e => {
    if (!held) return;
    view.x -= (e.clientX - held[0]) / view.scale;
    view.y += (e.clientY - held[1]) / view.scale;
    held = [e.clientX, e.clientY];
    changed();
  });
  return { draw, resize, fit, set: o => { options = o; }, onChange: f => { changed = f; } };
};
