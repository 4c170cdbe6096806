/* The columns of a run, the events in them, and values between rows. */
const Data = (() => {
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const columns = RUN.columns.map(c => {
    let data;
    if (c.constant !== undefined) data = new Float64Array(RUN.rows).fill(c.constant);
    else if (c.double) data = new Float64Array(bytes(c.double).buffer);
    else data = new Float32Array(bytes(c.float).buffer);
    return { name: c.name, unit: c.unit, group: c.group, of: c.of, still: c.constant !== undefined, data };
  });
  /* energies that the model does not give: from its terms, row by row */
  if (RUN.has_energy) {
    const sums = ["kinetic energy", "potential energy", "energy"].map(name => ({ name, unit: "J", group: "energy", still: false,
      data: new Float64Array(RUN.rows) }));
    const c = new Float64Array(columns.length), o = [0, 0];
    for (let i = 0; i < RUN.rows; i++) {
      columns.forEach((x, k) => { c[k] = x.data[i]; });
      RUN.energy(c, c[0], o);
      [o[0], o[1], o[0] + o[1]].forEach((x, k) => { sums[k].data[i] = x; });
    }
    columns.push(...sums);
  }
  /* momentum along the axes that have a balance of it */
  const momentum = (RUN.momentum || []).map(b => ({ ...b, data: new Float64Array(RUN.rows) }));
  if (momentum.length) {
    const c = new Float64Array(columns.length), o = [], first = RUN.has_energy ? 2 : 0;
    for (let i = 0; i < RUN.rows; i++) {
      columns.forEach((x, k) => { c[k] = x.data[i]; });
      RUN.energy(c, c[0], o);
      momentum.forEach((b, k) => { b.data[i] = o[first + k]; });
    }
  }
  const named = new Map(columns.map(c => [c.name, c]));
  const t = columns[0].data, n = t.length;

  /* the row at or before a time */
  const row = time => {
    let low = 0, high = n - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (t[middle] <= time) low = middle; else high = middle - 1;
    }
    return low;
  };

  /* values of all columns at a time, linear between rows; numbers that name a state are those of the next row */
  const at = (time, out) => {
    const i = row(time), j = Math.min(i + 1, n - 1);
    const s = t[j] > t[i] ? (time - t[i]) / (t[j] - t[i]) : 0;
    columns.forEach((c, k) => { out[k] = c.group === "status" ? c.data[s > 0 ? j : i] : c.data[i] + s * (c.data[j] - c.data[i]); });
    return out;
  };

  /* what contacts do: they close, open, begin to stick or to slide; the impulse is what they gave between the two rows */
  const KIND = { "0>1": "closes", "0>2": "closes, sticks", "0>3": "closes, slides", "1>0": "opens", "2>0": "opens", "3>0": "opens",
    "2>3": "begins to slide", "3>2": "begins to stick", "1>2": "sticks", "1>3": "slides" };
  const events = [];
  const contacts = columns.filter(c => c.group === "status").map(c => {
    const tangents = columns.filter(x => x.of === c.of && x.group === "friction");
    return { name: c.of, status: c, impulse: named.get(c.of + ".impulse"), gap: named.get(c.of + ".gap"), tangents };
  });
  const jump = (c, i) => c && i > 0 ? c.data[i] - c.data[i - 1] : 0;
  /* at their own times where steps told them */
  for (const [time, contact, what, impulse, tangential] of RUN.events || []) {
    events.push({ row: row(time), t: time, contact, what, impulse, tangential });
  }
  for (const c of RUN.events ? [] : contacts) {
    for (let i = 1; i < n; i++) {
      const what = KIND[c.status.data[i - 1] + ">" + c.status.data[i]];
      if (!what) continue;
      const tangential = Math.hypot(...c.tangents.map(x => jump(x, i)), 0);
      events.push({ row: i, t: t[i], contact: c.name, what, impulse: jump(c.impulse, i), tangential });
    }
  }
  events.sort((a, b) => a.t - b.t);

  /* contacts that were found while running: of the instant at or before a time how many press, and those that are told */
  const found = RUN.motion && RUN.motion.presses && (() => {
    const { count, shown, over, most, friction, low, high, data } = RUN.motion.presses, times = RUN.motion.t;
    const raw = new DataView(bytes(data).buffer), first = [0];
    shown.forEach((m, f) => first.push(first[f] + m));
    const place = o => low + (high - low) * raw.getUint16(o, true) / 65535, part = o => raw.getUint8(o) / 255;
    return { most, over, times, room: Math.max(...shown), at: time => {
      let f = 0;
      while (f + 1 < times.length && times[f + 1] <= time) f++;
      return { count: count[f], list: Array.from({ length: shown[f] }, (_, k) => {
        const o = 11 * (first[f] + k);
        return { at: [place(o), place(o + 2), place(o + 4)], normal: [6, 7, 8].map(i => 2 * part(o + i) - 1), force: most * part(o + 9) ** 2,
          limit: friction * part(o + 10) };
      }) };
    } };
  })();

  const number = (x, digits = 5) => !Number.isFinite(x) ? String(x)
    : x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6) ? x.toExponential(digits - 2).replace(/\.?0*e\+?/, "e")
    : String(+x.toPrecision(digits));
  /* numbers beside an axis: with as many digits as their distance needs */
  const labels = list => {
    const most = Math.max(...list.map(Math.abs)), apart = list.length > 1 ? Math.abs(list[1] - list[0]) : most;
    const digits = Math.min(9, Math.max(3, Math.ceil(Math.log10(most / apart || 1)) + 2));
    return list.map(x => number(Math.abs(x) < 1e-9 * apart ? 0 : x, digits));
  };
  return { labels, columns, named, momentum, t, n, row, at, events, contacts, found, number, first: t[0], last: t[n - 1] };
})();
