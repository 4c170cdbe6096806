/* The outside of meshes: places of its nodes and a field on them at any time; colours. */
const Skin = RUN.skin && (() => {
  const S = RUN.skin, bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
  const X = new Float32Array(bytes(S.X)), corners = new Uint16Array(bytes(S.corners)), mesh = new Uint8Array(bytes(S.mesh));
  const mean = new Float64Array(bytes(S.mean)), data = new Uint16Array(bytes(S.data)), tones = new Uint8Array(bytes(S.tones));
  const n = S.nodes;
  const place = new Float32Array(3 * n), field = new Float32Array(n), still = new Float32Array(3 * n);

  /* how far the nodes go from where they began, at most, and how large it all is */
  let size = 0, gone = 0;
  for (let k = 0; k < 3; k++) {
    let low = Infinity, high = -Infinity;
    for (let i = k; i < 3 * n; i += 3) { low = Math.min(low, X[i]); high = Math.max(high, X[i]); }
    size = Math.max(size, high - low);
  }
  for (let f = 0; f < S.t.length; f++) {
    for (let b = 0; b < S.meshes; b++) {
      const o = 3 * (f * S.meshes + b);
      gone = Math.max(gone, Math.hypot(mean[o], mean[o + 1], mean[o + 2]) + S.off);
    }
  }
  const nice = x => { const p = 10 ** Math.floor(Math.log10(x)); return [5, 2, 1].find(k => k * p <= x) * p; };
  const own = S.off > 0 && S.off < 0.004 * size ? Math.max(1, nice(0.04 * size / S.off)) : 1; /* so that it can be seen */
  const fields = { stress: { title: "von Mises stress, Pa", at: 1, most: S.stress || 1 }, strain: { title: "greatest strain", at: 0, most: S.strain || 1 },
    displacement: { title: "displacement, m", most: gone || 1 } };
  const state = { field: "stress", scale: own };

  /* the frames around a time, and where it lies between them */
  const between = t => {
    let i = 0, j = S.t.length - 1;
    while (i + 1 < j) { const m = (i + j) >> 1; if (S.t[m] <= t) i = m; else j = m; }
    return [i, j, Math.min(1, Math.max(0, S.t[j] > S.t[i] ? (t - S.t[i]) / (S.t[j] - S.t[i]) : 0))];
  };
  const at = t => {
    const [i, j, s] = between(t), span = 2 * S.off / 65535, shown = fields[state.field];
    for (let k = 0; k < n; k++) {
      const a = 3 * (i * n + k), b = 3 * (j * n + k), p = 3 * (i * S.meshes + mesh[k]), q = 3 * (j * S.meshes + mesh[k]);
      let far = 0;
      for (let c = 0; c < 3; c++) {
        const off = S.off ? (data[a + c] + s * (data[b + c] - data[a + c])) * span - S.off : 0;
        const middle = mean[p + c] + s * (mean[q + c] - mean[p + c]);
        place[3 * k + c] = X[3 * k + c] + middle + state.scale * off;
        far += (middle + off) ** 2;
      }
      const c = shown.at;
      const from = tones[2 * (i * n + k) + c], to = tones[2 * (j * n + k) + c];
      field[k] = c === undefined ? Math.sqrt(far) : shown.most * (from + s * (to - from)) / 255;
    }
    return place;
  };

  /* colours that tell small from great also where red and green look alike */
  const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const alone = S.t.length === 1; /* the start alone has no field */
  const colour = x => {
    if (alone) return [91, 141, 184];
    const s = 4 * Math.min(1, Math.max(0, x / fields[state.field].most)), k = Math.min(3, Math.floor(s));
    return RAMP[k].map((c, i) => c + (s - k) * (RAMP[k + 1][i] - c));
  };
  still.set(X);

  /* which field, how much larger its deformation is drawn, and what the colours mean */
  const box = document.getElementById("field_box"), bar = document.getElementById("field_bar");
  const which = document.getElementById("field"), much = document.getElementById("magnify");
  box.hidden = bar.hidden = false;
  for (const key of Object.keys(fields)) which.append(new Option(fields[key].title.replace(/,.*/, ""), key));
  for (const x of [...new Set([1, 10, 100, 1000, own])].sort((a, b) => a - b)) much.append(new Option("\u00d7 " + Data.number(x, 3), x));
  much.value = own;
  const legend = () => {
    bar.querySelector(".ramp").style.background = "linear-gradient(to right," + RAMP.map(c => "rgb(" + c.join() + ")").join() + ")";
    bar.querySelector(".most").textContent = Data.number(fields[state.field].most, 3);
    bar.querySelector(".title").textContent = fields[state.field].title;
  };
  legend();
  let changed = () => {};
  which.addEventListener("change", () => { state.field = which.value; legend(); changed(); });
  much.addEventListener("change", () => { state.scale = +much.value; changed(); });
  return { at, colour, field, place, X: still, corners, nodes: n, dimension: S.dimension, reach: gone + own * S.off, onChange: f => { changed = f; } };
})();
