/* The page: time runs, everything shows the same instant. */
(() => {
  const $ = id => document.getElementById(id);
  const canvas = $("picture"), clock = $("clock"), slider = $("time"), play = $("play");
  const span = Data.last - Data.first || 1;
  const drawn = RUN.scene.items.length > 0;
  let view = null;
  if (drawn) {
    try {
      view = (RUN.scene.dimension === 3 ? Space : Plane)(canvas);
    } catch (error) {
      $("lamp").textContent = "This browser cannot draw it (" + error.message + ").";
    }
  } else {
    $("motion").hidden = true;
  }

  /* mean force of each contact since the row before */
  const most = (() => {
    let m = 0;
    for (const c of Data.contacts) {
      if (!c.impulse) continue;
      for (let i = 1; i < Data.n; i++) m = Math.max(m, (c.impulse.data[i] - c.impulse.data[i - 1]));
    }
    return m || 1;
  })();
  const forces = new Map();
  const press = t => {
    const i = Data.row(t), j = Math.min(i + (t > Data.t[i] ? 1 : 0), Data.n - 1), lit = [];
    for (const c of Data.contacts) {
      const closed = c.status.data[j] > 0, gave = c.impulse && j > 0 ? c.impulse.data[j] - c.impulse.data[j - 1] : 0;
      const tangent = c.tangents.map(x => j > 0 ? x.data[j] - x.data[j - 1] : 0);
      forces.set(c.name, { normal: closed && gave > 0 ? gave : 0, tangent, limit: RUN.friction[c.name] || 0 });
      if (closed) lit.push(c.name + ["", "", " sticks", " slides"][c.status.data[j]]);
    }
    const { count: more, list } = Data.found ? Data.found.at(t) : { count: 0, list: [] };
    $("lamp").textContent = more || lit.length > 14 ? lit.length + more + " contacts press" + (list.length < more ? ", the strongest are lit" : "")
      : lit.join("\n");
  };

  let now = Data.first, playing = false, pace = 1, before = 0;
  const rows = [...Data.events.slice(0, 2000).entries()].map(([k, e]) => {
    const tr = document.createElement("tr");
    tr.tabIndex = 0;
    for (const x of [Data.number(e.t, 7), e.contact, e.what, Data.number(e.impulse, 4), e.tangential ? Data.number(e.tangential, 4) : ""]) {
      const td = document.createElement("td");
      td.textContent = x;
      tr.append(td);
    }
    const jump = () => { stop(); go(e.t); };
    tr.addEventListener("click", jump);
    tr.addEventListener("keydown", event => { if (event.key === "Enter") jump(); });
    tr.k = k;
    return tr;
  });
  $("events").tBodies[0].append(...rows);
  if (!Data.events.some(e => e.tangential)) for (const tr of $("events").rows) tr.lastElementChild.hidden = true;
  const E = Data.events.length;
  $("events").parentElement.hidden = E === 0;
  $("event_count").textContent = E === 0 ? RUN.partial ? "None of the contacts that are shown closed or opened." : "No contact closed or opened."
    : (RUN.happened || E) + " events" + (RUN.partial && !RUN.events ? " of the contacts that are shown" : "") + (RUN.happened > E ? "; the hardest " + E + " are listed" : E > rows.length ? "; the first " + rows.length + " are listed" : "") + ". Choose one to see it.";

  let marked = null;
  const mark = () => {
    let low = 0, high = rows.length; /* the last event that has happened */
    while (low < high) { const m = (low + high) >> 1; if (Data.events[m].t <= now) low = m + 1; else high = m; }
    const tr = rows[low - 1] || null;
    if (tr === marked) return;
    if (marked) marked.className = "";
    if (tr) tr.className = "now";
    marked = tr;
  };

  const show = () => {
    press(now);
    if (view) view.draw(now, forces, most);
    clock.textContent = "t = " + Data.number(now, 5);
    slider.value = (now - Data.first) / span;
    mark();
  };
  let asked = false;
  const later = () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; show(); }); } };
  const go = t => { now = Math.min(Data.last, Math.max(Data.first, t)); show(); Plots.at(now); };
  const stop = () => { playing = false; play.innerHTML = "&#9654;"; play.setAttribute("aria-label", "Play"); };
  const tick = stamp => {
    if (!playing) return;
    const dt = Math.min(0.1, (stamp - before) / 1000);
    before = stamp;
    now += dt * pace;
    if (now >= Data.last) { now = Data.last; stop(); }
    show();
    if (!(tick.count = ((tick.count || 0) + 1) % 4) || !playing) Plots.at(now);
    if (playing) requestAnimationFrame(tick);
  };
  const start = () => {
    if (now >= Data.last) now = Data.first;
    playing = true;
    play.innerHTML = "&#10074;&#10074;";
    play.setAttribute("aria-label", "Pause");
    before = performance.now();
    requestAnimationFrame(tick);
  };
  const toggle = () => playing ? stop() : start();

  /* the whole run in about ten seconds, or the real pace where that is near */
  const nice = x => { const p = 10 ** Math.floor(Math.log10(x)); return [1, 2, 5, 10].reduce((a, b) => Math.abs(b * p - x) < Math.abs(a * p - x) ? b : a) * p; };
  const own = span >= 2 && span <= 30 ? 1 : nice(span / 10);
  const paces = [...new Set([own / 100, own / 20, own / 5, own, own * 5, 1].map(x => +x.toPrecision(3)))].sort((a, b) => a - b);
  for (const x of paces) $("speed").append(new Option(x === 1 ? "real time" : Data.number(x, 3) + " x", x));
  $("speed").value = pace = +own.toPrecision(3);
  $("speed").addEventListener("change", e => { pace = +e.target.value; });
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => { stop(); go(Data.first + slider.value * span); });
  document.addEventListener("keydown", e => {
    if (/^(INPUT|SELECT|BUTTON)$/.test(e.target.tagName)) return;
    if (e.key === " ") { e.preventDefault(); toggle(); }
    if (e.key === "ArrowRight") { e.preventDefault(); stop(); go(e.shiftKey ? now + span / 100 : Data.t[Math.min(Data.n - 1, Data.row(now) + 1)]); }
    if (e.key === "ArrowLeft") { e.preventDefault(); stop(); go(e.shiftKey ? now - span / 100 : Data.t[Math.max(0, Data.row(now) - 1)]); }
    if (e.key === "Home") go(Data.first);
    if (e.key === "End") go(Data.last);
  });
  const options = () => { if (view) { view.set({ trails: $("trails").checked, names: $("names").checked, through: $("through").checked }); show(); } };
  $("trails").addEventListener("change", options);
  $("names").addEventListener("change", options);
  $("through").addEventListener("change", options);
  if (!Data.found) $("through").parentElement.hidden = true; /* contacts inside of a pile */
  $("home").addEventListener("click", () => { if (view) { view.fit(); show(); } });
  if (RUN.scene.dimension === 3) $("names").parentElement.hidden = true;
  if (view) {
    view.onChange(later);
    if (Skin) Skin.onChange(later);
    let seen = "";
    new ResizeObserver(() => {
      const size = canvas.clientWidth + " " + canvas.clientHeight;
      if (size !== seen) { seen = size; view.resize(); show(); }
    }).observe(canvas);
    view.resize();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
  }
  Plots.onMove(t => { stop(); go(t); });

  /* what the run promises against what happened */
  const audit = (what, seen, where) => {
    const tr = document.createElement("tr");
    for (const x of [what, seen, where || ""]) {
      const td = document.createElement("td");
      td.textContent = x;
      tr.append(td);
    }
    $("audits").tBodies[0].append(tr);
  };
  const least = (list, pick) => {
    let best = { x: Infinity };
    for (const c of list) {
      const d = pick(c);
      if (!d) continue;
      for (let i = 0; i < Data.n; i++) if (d[i] < best.x) best = { x: d[i], c: c.name, t: Data.t[i] };
    }
    return best;
  };
  const deepest = least(Data.contacts, c => c.gap && c.gap.data);
  if (Number.isFinite(deepest.x) && !RUN.partial) {
    audit("least gap", Data.number(deepest.x, 4), deepest.c + " at t = " + Data.number(deepest.t));
  }
  const deep = ["contacts.deepest", "deepest"].map(name => Data.named.get(name)).find(c => c);
  if (deep && (RUN.partial || !Number.isFinite(deepest.x))) audit("deepest penetration", Data.number(deep.data[Data.n - 1], 4) + " m");
  let back = { x: 0 };
  for (const c of Data.contacts) {
    if (!c.impulse) continue;
    for (let i = 1; i < Data.n; i++) {
      const d = c.impulse.data[i] - c.impulse.data[i - 1];
      if (d < back.x - 1e-6 * Math.abs(c.impulse.data[i])) back = { x: d, c: c.name, t: Data.t[i] };
    }
  }
  if (Data.contacts.length) audit("negative impulses", back.x < 0 ? Data.number(back.x, 3) : "none", back.x < 0 ? back.c + " at t = " + Data.number(back.t) : "");
  let cones = 0, left = 0;
  for (const [name, limit] of Object.entries(RUN.friction || {})) {
    const c = Data.contacts.find(x => x.name === name);
    if (!c || !c.impulse || !c.tangents.length) continue;
    let worst = { x: 0 };
    for (let i = 1; i < Data.n; i++) {
      const normal = c.impulse.data[i] - c.impulse.data[i - 1], tangential = Math.hypot(...c.tangents.map(x => x.data[i] - x.data[i - 1]));
      const over = tangential - limit * normal;
      if (over > worst.x + 2e-6 * (Math.abs(c.impulse.data[i]) + tangential)) worst = { x: over, t: Data.t[i] };
    }
    cones++;
    if (worst.x > 0 && ++left <= 12) audit("friction cone of " + name + " (" + Data.number(limit, 3) + ")", "left by " + Data.number(worst.x, 3), "t = " + Data.number(worst.t));
  }
  if (cones) audit("friction cones", left ? left + " of " + cones + " left" : cones === 1 ? "kept" : "all " + cones + " kept");
  if (Data.found) {
    const { over, times, most } = Data.found, worst = over.reduce((k, x, i) => x > over[k] ? i : k, 0), kept = over[worst] <= 2e-6 * most;
    audit("friction cones of contacts found while running, at " + times.length + " instants",
      kept ? "all kept" : "left by " + Data.number(over[worst], 3) + " N s; greatest impulse " + Data.number(most, 3), kept ? "" : "t = " + Data.number(times[worst]));
  }
  /* momentum: its change is what weight and contacts gave, the columns of impulses being sums from the start */
  for (const b of Data.momentum) {
    const given = b.rows.map(([name, weight]) => [Data.named.get(name), weight]);
    if (given.some(([c]) => !c)) continue;
    let worst = { x: 0, t: Data.first }, scale = 0;
    for (let i = 1; i < Data.n; i++) {
      const parts = [b.force * (Data.t[i] - Data.t[0]), ...given.map(([c, weight]) => weight * (c.data[i] - c.data[0]))];
      const off = Math.abs(parts.reduce((sum, x) => sum + x, 0) - (b.data[i] - b.data[0]));
      scale = Math.max(scale, Math.abs(b.data[i]), ...parts.map(Math.abs));
      if (off > worst.x) worst = { x: off, t: Data.t[i] };
    }
    const kept = worst.x <= 2e-6 * scale; /* columns have seven digits */
    audit("momentum along " + b.axis, kept ? "balanced by weight and contacts" : "off by " + Data.number(worst.x, 3) + " of " + Data.number(scale, 3) + " N s",
      kept ? "" : "t = " + Data.number(worst.t));
  }
  /* total energy: what it lost, and where it rose most between two rows, beside how much there was */
  for (const c of Data.columns) {
    if (c.group !== "energy" || /kinetic|potential|elastic/i.test(c.name)) continue;
    let up = { x: 0 }, scale = 0;
    for (let i = 0; i < Data.n; i++) {
      scale = Math.max(scale, Math.abs(c.data[i]));
      if (i && c.data[i] - c.data[i - 1] > up.x) up = { x: c.data[i] - c.data[i - 1], t: Data.t[i] };
    }
    audit(c.name + ", start to end", Data.number(c.data[0], 6) + " to " + Data.number(c.data[Data.n - 1], 6) + (c.unit ? " " + c.unit : ""),
      up.x > 1e-9 * scale ? "greatest rise between two rows " + Data.number(up.x, 3) + " at t = " + Data.number(up.t) : "it never rises");
  }
  for (const [what, said] of RUN.promises || []) audit(what, said);
  if (!$("audits").tBodies[0].rows.length) $("audit").hidden = true;
  if (!Data.contacts.length) $("happened").hidden = true;
  if (Data.n === 1) for (const id of ["charts", "phase", "audit"]) $(id).hidden = true; /* the start alone */
  if (Data.n === 1) for (const id of ["play", "time", "speed", "trails", "field_box", "field_bar"]) ($(id).closest("label") || $(id)).hidden = true;
  const kept = +sessionStorage.getItem("carom time");
  if (RUN.watched && kept > Data.first) now = Math.min(kept, Data.last);
  show();
  Plots.at(now);
  window.carom = { go, start, stop, get now() { return now; }, events: Data.events }; /* for whoever wants to script the page */

  /* carom run --watch leaves a stamp beside the page: when it changes, there is a newer one */
  if (RUN.watched) {
    let first = null;
    window.carom.stamp = text => {
      if (first !== null && first !== text) { sessionStorage.setItem("carom time", now); location.reload(); }
      first = text;
    };
    setInterval(() => {
      const script = document.createElement("script");
      script.src = "stamp.js?" + Date.now();
      script.onload = script.onerror = () => script.remove();
      document.head.append(script);
    }, 800);
  }
})();
