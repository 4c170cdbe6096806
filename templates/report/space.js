/* The mechanism in space, by three.js: bodies of one kind are instances of one mesh. */
const Space = canvas => {
  const T = THREE, scene = RUN.scene, world = new T.Scene();
  const renderer = new T.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
  const camera = new T.PerspectiveCamera(40, 1, 0.01, 100), orbit = new T.OrbitControls(camera, canvas);
  const colour = name => new T.Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  const out = new Float64Array(scene.count), values = new Float64Array(Data.columns.length);
  camera.up.set(...scene.up);
  world.add(new T.HemisphereLight(0xffffff, 0x8a8378, 2.2));
  const sun = new T.DirectionalLight(0xffffff, 1.6);
  world.add(sun);

  /* poses: p (3) and the rotation matrix by rows (9), as the model says them or as a pile kept them */
  const motion = RUN.motion && (() => {
    const raw = Uint8Array.from(atob(RUN.motion.data), c => c.charCodeAt(0)), each = RUN.motion.turning ? 7 : 3;
    const words = new Uint16Array(raw.buffer), data = new Float32Array(words.length / each * 7), { low, high } = RUN.motion;
    if (each === 3) for (let k = 3; k < data.length; k += 7) data[k] = 1;
    words.forEach((x, k) => { data[7 * Math.floor(k / each) + k % each] = k % each < 3 ? low + (high - low) * x / 65535 : 2 * x / 65535 - 1; });
    return { t: RUN.motion.t, data, bodies: RUN.motion.bodies };
  })();
  const q0 = new T.Quaternion(), q1 = new T.Quaternion(), p0 = new T.Vector3(), p1 = new T.Vector3(), one = new T.Vector3(1, 1, 1);
  const kept = (t, body, matrix) => {
    const { t: times, data, bodies } = motion;
    let i = 0, j = times.length - 1;
    while (i + 1 < j) { const m = (i + j) >> 1; if (times[m] <= t) i = m; else j = m; }
    const s = Math.min(1, Math.max(0, times[j] > times[i] ? (t - times[i]) / (times[j] - times[i]) : 0));
    const a = 7 * (i * bodies + body), b = 7 * (j * bodies + body);
    p0.fromArray(data, a).lerp(p1.fromArray(data, b), s);
    q0.set(data[a + 4], data[a + 5], data[a + 6], data[a + 3]).normalize().slerp(q1.set(data[b + 4], data[b + 5], data[b + 6], data[b + 3]).normalize(), s);
    return matrix.compose(p0, q0, one);
  };
  const matrixAt = (item, t, p, matrix) => {
    if (item.index !== undefined && motion) return kept(t, item.index, matrix);
    const o = item.o;
    return matrix.set(p[o + 3], p[o + 4], p[o + 5], p[o], p[o + 6], p[o + 7], p[o + 8], p[o + 1], p[o + 9], p[o + 10], p[o + 11], p[o + 2],
      0, 0, 0, 1);
  };

  /* where everything is, over the run */
  const box = new T.Box3(), m4 = new T.Matrix4();
  const solid = { sphere: i => i.radius, box: i => Math.hypot(...i.size) / 2, capsule: i => i.radius + i.length / 2,
    cylinder: i => Math.hypot(i.radius, i.length / 2), polyhedron: i => i.radius };
  const pose = t => { if (scene.count) scene.pose(Data.at(t, values), t, out); return out; };
  const reach = new T.Vector3(), at = new T.Vector3();
  for (let k = 0; k <= 60; k++) {
    const t = Data.first + (Data.last - Data.first) * k / 60, p = pose(t);
    for (const item of scene.items) {
      if (solid[item.kind]) {
        matrixAt(item, t, p, m4);
        const r = solid[item.kind](item) + 1e-9;
        at.setFromMatrixPosition(m4);
        box.expandByPoint(reach.copy(at).addScalar(r));
        box.expandByPoint(reach.copy(at).addScalar(-r));
      } else if (item.points) {
        for (let j = 0; j < item.points; j++) box.expandByPoint(at.fromArray(p, item.o + 3 * j));
      } else if (item.kind === "heightfield") {
        at.fromArray(p, item.o);
        box.expandByPoint(at);
        box.expandByPoint(reach.set(at.x + (item.columns - 1) * item.spacing[0], at.y + (item.rows - 1) * item.spacing[1], at.z));
      }
    }
  }
  if (Skin) {
    for (let k = 0; k < 3 * Skin.nodes; k += 3) box.expandByPoint(at.fromArray(Skin.X, k));
    box.expandByScalar(Math.min(Skin.reach, box.getSize(reach).length()));
  }
  if (box.isEmpty()) box.set(new T.Vector3(-1, -1, -1), new T.Vector3(1, 1, 1));
  const middle = box.getCenter(new T.Vector3()), size = Math.max(box.getSize(new T.Vector3()).length(), 1e-6);
  camera.near = size / 1000;
  camera.far = 60 * size;
  camera.updateProjectionMatrix();
  sun.position.copy(middle).add(new T.Vector3(0.4, -0.7, 1.2).multiplyScalar(size));
  const thin = 0.008 * size;
  const smallest = Math.min(Infinity, ...scene.items.filter(i => solid[i.kind] && !i.fixed).map(i => solid[i.kind](i)));
  const lamp = Math.min(thin, 0.15 * smallest); /* a light must not hide what it is on */

  const geometries = {
    sphere: () => new T.SphereGeometry(1, 24, 16),
    box: () => new T.BoxGeometry(1, 1, 1),
    cylinder: () => new T.CylinderGeometry(1, 1, 1, 28).rotateX(Math.PI / 2),
  };
  const faceted = item => {
    const places = item.triangles.flatMap(k => item.corners.slice(3 * k, 3 * k + 3)), geometry = new T.BufferGeometry();
    geometry.setAttribute("position", new T.BufferAttribute(new Float32Array(places), 3));
    geometry.computeVertexNormals();
    return geometry;
  };
  const material = fixed => new T.MeshLambertMaterial({ color: fixed ? colour("--ground") : 0xffffff, side: T.DoubleSide });
  const scaled = { sphere: i => [i.radius, i.radius, i.radius], box: i => i.size, cylinder: i => [i.radius, i.radius, i.length] };
  const turnTo = axis => new T.Matrix4().makeRotationFromQuaternion(
    new T.Quaternion().setFromUnitVectors(new T.Vector3(0, 0, 1), new T.Vector3(...axis).normalize()));

  /* parts: what is drawn of each item, as instances of unit meshes; a capsule is a cylinder and two balls */
  const parts = [];
  const local = (item, offset, scale) => {
    const m = item.axis ? turnTo(item.axis) : new T.Matrix4();
    const shift = new T.Matrix4().makeTranslation(...(item.offset || [0, 0, 0]));
    return shift.multiply(m).multiply(new T.Matrix4().makeTranslation(0, 0, offset)).multiply(new T.Matrix4().makeScale(...scale));
  };
  for (const item of scene.items) {
    if (item.kind === "capsule") {
      const r = item.radius;
      parts.push({ item, mesh: "cylinder", local: local(item, 0, [r, r, item.length]) });
      for (const s of [-1, 1]) parts.push({ item, mesh: "sphere", local: local(item, s * item.length / 2, [r, r, r]) });
    } else if (item.kind === "polyhedron") {
      const name = "polyhedron " + item.corners.join();
      geometries[name] ??= () => faceted(item);
      parts.push({ item, mesh: name, local: local(item, 0, [1, 1, 1]) });
    } else if (scaled[item.kind]) {
      parts.push({ item, mesh: item.kind, local: local(item, 0, scaled[item.kind](item)) });
    }
  }
  const PALETTE = ["#5b8db8", "#7aa874", "#c99a5b", "#a487b8", "#6fb0ae", "#c27f86", "#8f9aa6", "#b5b06a"];
  const meshes = {};
  for (const kind of Object.keys(geometries)) {
    const list = parts.filter(x => x.mesh === kind);
    if (!list.length) continue;
    const mesh = new T.InstancedMesh(geometries[kind](), material(false), list.length);
    mesh.frustumCulled = false;
    list.forEach((x, k) => mesh.setColorAt(k, x.item.fixed ? colour("--ground")
      : new T.Color(PALETTE[(x.item.tone ?? 0) % PALETTE.length])));
    meshes[kind] = { mesh, list };
    world.add(mesh);
  }
  /* sticks between points: links, springs, lines that the model draws */
  const sticks = [];
  for (const item of scene.items) {
    if (!item.points || item.kind === "contact") continue;
    for (let k = 0; k + 1 < item.points + (item.closed ? 1 : 0); k++) sticks.push({ item, a: k, b: (k + 1) % item.points });
  }
  const joints = scene.items.filter(i => i.kind === "mass" || i.kind === "bones");
  const stick = sticks.length && new T.InstancedMesh(geometries.cylinder(), material(false), sticks.length);
  const knob = joints.length && new T.InstancedMesh(geometries.sphere(), material(false), joints.length);
  for (const [mesh, list] of [[stick, sticks.map(s => s.item)], [knob, joints]]) {
    if (!mesh) continue;
    mesh.frustumCulled = false;
    list.forEach((item, k) => mesh.setColorAt(k, new T.Color(PALETTE[(item.tone ?? 0) % PALETTE.length])));
    world.add(mesh);
  }
  /* the outside of meshes, in colours */
  const skin = Skin && (() => {
    const geometry = new T.BufferGeometry(), colours = new Float32Array(3 * Skin.nodes);
    geometry.setAttribute("position", new T.BufferAttribute(Skin.place, 3));
    geometry.setAttribute("color", new T.BufferAttribute(colours, 3));
    geometry.setIndex(new T.BufferAttribute(Skin.corners, 1));
    const mesh = new T.Mesh(geometry, new T.MeshLambertMaterial({ vertexColors: true, side: T.DoubleSide, flatShading: true }));
    mesh.frustumCulled = false;
    world.add(mesh, new T.HemisphereLight(0xffffff, 0xffffff, 1.2)); /* colours are to be read */
    const linear = new T.Color();
    return t => {
      Skin.at(t);
      for (let k = 0; k < Skin.nodes; k++) {
        const [r, gr, b] = Skin.colour(Skin.field[k]);
        linear.set((Math.round(r) << 16) | (Math.round(gr) << 8) | Math.round(b)).toArray(colours, 3 * k);
      }
      geometry.attributes.position.needsUpdate = geometry.attributes.color.needsUpdate = true;
    };
  })();
  /* contacts that press, and those that were found while running */
  const contacts = scene.items.filter(i => i.kind === "contact"), room = Data.found ? Data.found.room : 0, most_lamps = contacts.length + room;
  const lamps = most_lamps && new T.InstancedMesh(geometries.sphere(), new T.MeshBasicMaterial({ color: colour("--hit") }), most_lamps);
  if (lamps) { lamps.frustumCulled = false; world.add(lamps); }
  /* the impulse of each, along its normal, and the cone of friction around it */
  const normals = contacts.filter(i => i.normal), most_arrows = normals.length + room;
  const glow = opacity => new T.MeshBasicMaterial({ color: colour("--hit"), transparent: opacity < 1, opacity, depthWrite: opacity === 1, side: T.DoubleSide });
  const arrows = most_arrows && new T.InstancedMesh(geometries.cylinder(), glow(1), most_arrows);
  const cones = most_arrows && new T.InstancedMesh(new T.CylinderGeometry(1, 0, 1, 32, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5), glow(0.22),
    most_arrows);
  for (const mesh of [arrows, cones]) if (mesh) { mesh.frustumCulled = false; world.add(mesh); }

  /* the ground: planes and heightfields stand still */
  const start = pose(Data.first);
  for (const item of scene.items) {
    const o = item.o;
    if (item.kind === "plane") {
      const n = new T.Vector3(start[o + 3], start[o + 4], start[o + 5]).normalize(), on = new T.Vector3(start[o], start[o + 1], start[o + 2]);
      const foot = middle.clone().addScaledVector(n, -n.dot(middle.clone().sub(on)));
      const up = new T.Vector3(...scene.up), level = Math.abs(n.dot(up)) > 0.8, wall = Math.abs(n.dot(up)) < 0.2;
      /* a wall is as high as what moves there */
      const tall = wall ? Math.max(Math.abs(box.getSize(new T.Vector3()).dot(up)), 0.03 * size) : 1.25 * size;
      const sheet = new T.Mesh(new T.PlaneGeometry(1.25 * size, tall), new T.MeshLambertMaterial({ color: colour("--ground"),
        ...(wall ? {} : { side: T.DoubleSide }), /* from behind a wall hides nothing */ transparent: true, opacity: level ? 0.75 : wall ? 0.18 : 0.1, depthWrite: level }));
      sheet.quaternion.setFromUnitVectors(new T.Vector3(0, 0, 1), n);
      if (wall) {
        const side = up.clone().cross(n).normalize();
        sheet.quaternion.setFromRotationMatrix(new T.Matrix4().makeBasis(side, n.clone().cross(side), n));
      }
      sheet.position.copy(foot).addScaledVector(n, -1e-4 * size);
      world.add(sheet);
      if (level) {
        const grid = new T.GridHelper(1.25 * size, 20, colour("--soft"), colour("--soft"));
        Object.assign(grid.material, { transparent: true, opacity: 0.4 });
        grid.quaternion.setFromUnitVectors(new T.Vector3(0, 1, 0), n);
        grid.position.copy(foot);
        world.add(grid);
      }
    } else if (item.kind === "heightfield") {
      const geometry = new T.BufferGeometry(), points = [], index = [], c = item.columns;
      item.heights.forEach((z, k) => points.push(start[o] + (k % c) * item.spacing[0], start[o + 1] + Math.floor(k / c) * item.spacing[1], start[o + 2] + z));
      for (let i = 0; i + 1 < c; i++) {
        for (let j = 0; j + 1 < item.rows; j++) {
          const a = j * c + i;
          index.push(a, a + 1, a + c, a + 1, a + c + 1, a + c);
        }
      }
      geometry.setAttribute("position", new T.BufferAttribute(new Float32Array(points), 3));
      geometry.setIndex(index);
      geometry.computeVertexNormals();
      world.add(new T.Mesh(geometry, material(true)));
    }
  }

  const a = new T.Vector3(), b = new T.Vector3(), d = new T.Vector3(), z = new T.Vector3(0, 0, 1), trails = [];
  /* as near as all corners of the box around everything can be seen from */
  const fit = () => {
    const way = new T.Vector3(0.55, -0.95, 0.5);
    if (scene.up[1] === 1) way.set(0.5, 0.45, 1);
    way.normalize();
    const right = camera.up.clone().cross(way).normalize(), high = way.clone().cross(right);
    const slope = 0.9 * Math.tan(camera.fov * Math.PI / 360), corner = new T.Vector3();
    let far = 0;
    for (let k = 0; k < 8; k++) {
      corner.set(box[k & 1 ? "max" : "min"].x, box[k & 2 ? "max" : "min"].y, box[k & 4 ? "max" : "min"].z).sub(middle);
      far = Math.max(far, corner.dot(way) + Math.max(Math.abs(corner.dot(high)), Math.abs(corner.dot(right)) / camera.aspect) / slope);
    }
    orbit.target.copy(middle);
    camera.position.copy(middle).addScaledVector(way, far);
    orbit.update();
  };
  fit();

  let options = { trails: false, names: false, through: false };
  const setThrough = on => {
    for (const { mesh } of Object.values(meshes)) {
      Object.assign(mesh.material, { transparent: on, opacity: on ? 0.25 : 1, depthWrite: !on, needsUpdate: true });
    }
  };
  const setTrails = on => {
    for (const line of trails.splice(0)) world.remove(line);
    if (!on) return;
    const moving = scene.items.filter(i => !i.fixed && (solid[i.kind] || i.kind === "mass" || i.kind === "bones")).slice(0, 60);
    for (const item of moving) {
      const points = [], n = Math.min(600, Data.n);
      for (let k = 0; k < n; k++) {
        const t = Data.first + (Data.last - Data.first) * k / (n - 1), p = pose(t);
        if (item.points) at.fromArray(p, item.o + 3 * (item.points - 1)); else at.setFromMatrixPosition(matrixAt(item, t, p, m4));
        points.push(at.x, at.y, at.z);
      }
      const geometry = new T.BufferGeometry();
      geometry.setAttribute("position", new T.BufferAttribute(new Float32Array(points), 3));
      const line = new T.Line(geometry, new T.LineBasicMaterial({ color: PALETTE[(item.tone ?? 0) % PALETTE.length] }));
      line.rows = n;
      trails.push(line);
      world.add(line);
    }
  };

  let changed = () => {};
  orbit.addEventListener("change", () => changed());
  const draw = (t, forces, most) => {
    const p = pose(t);
    for (const { mesh, list } of Object.values(meshes)) {
      list.forEach((x, k) => mesh.setMatrixAt(k, matrixAt(x.item, t, p, m4).multiply(x.local)));
      mesh.instanceMatrix.needsUpdate = true;
    }
    sticks.forEach(({ item, a: i, b: j }, k) => {
      a.fromArray(p, item.o + 3 * i);
      b.fromArray(p, item.o + 3 * j);
      d.subVectors(b, a);
      const length = d.length(), r = item.width ? item.width / 2 : item.kind === "bones" ? 1.4 * thin : 0.5 * thin;
      q0.setFromUnitVectors(z, length > 0 ? d.divideScalar(length) : z);
      stick.setMatrixAt(k, m4.compose(a.add(b).multiplyScalar(0.5), q0, p1.set(r, r, Math.max(length, 1e-12))));
    });
    if (stick) stick.instanceMatrix.needsUpdate = true;
    joints.forEach((item, k) => {
      a.fromArray(p, item.o);
      knob.setMatrixAt(k, m4.makeScale(2 * thin, 2 * thin, 2 * thin).setPosition(a));
    });
    if (knob) knob.instanceMatrix.needsUpdate = true;
    let dots = 0, pushes = 0;
    const dot = (place, from, share) => {
      const r = share > 0 ? lamp * (1 + 2.5 * Math.sqrt(share)) : 0;
      lamps.setMatrixAt(dots++, m4.makeScale(r, r, r).setPosition(a.fromArray(place, from)));
    };
    const push = (place, from, normal, at, share, limit, reach) => {
      const length = share > 0 ? reach * (0.2 + 0.8 * Math.sqrt(share)) : 0, wide = length > 0 && limit > 0 ? 0.7 * length * Math.min(limit, 3) : 0;
      a.fromArray(place, from);
      q0.setFromUnitVectors(z, d.fromArray(normal, at).normalize());
      cones.setMatrixAt(pushes, m4.compose(a, q0, p1.set(wide, wide, wide > 0 ? 0.7 * length : 0)));
      b.copy(a).addScaledVector(d, length / 2);
      arrows.setMatrixAt(pushes++, m4.compose(b, q0, p1.set(length > 0 ? 0.35 * lamp : 0, length > 0 ? 0.35 * lamp : 0, length)));
    };
    for (const item of contacts) dot(p, item.o, (forces.get(item.contact)?.normal || 0) / most);
    for (const item of normals) push(p, item.o, p, item.o + 3, (forces.get(item.contact)?.normal || 0) / most, forces.get(item.contact)?.limit, 0.15 * size);
    for (const x of Data.found ? Data.found.at(t).list : []) {
      dot(x.at, 0, x.force / Data.found.most);
      push(x.at, 0, x.normal, 0, x.force / Data.found.most, x.limit, Math.min(0.15 * size, 2 * smallest)); /* not through the whole pile */
    }
    for (const [mesh, count] of [[lamps, dots], [arrows, pushes], [cones, pushes]]) if (mesh) { mesh.count = count; mesh.instanceMatrix.needsUpdate = true; }
    if (skin) skin(t);
    const share = (t - Data.first) / (Data.last - Data.first || 1);
    for (const line of trails) line.geometry.setDrawRange(0, Math.ceil(share * line.rows));
    renderer.render(world, camera);
  };
  let fresh = true;
  const resize = () => {
    const w = canvas.clientWidth || 1, h = canvas.clientHeight || 1;
    renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
    renderer.setSize(w, h, false);
    camera.aspect = w / h;
    camera.updateProjectionMatrix();
    if (fresh) { fresh = false; fit(); } /* now that its shape is known */
  };
  return { draw, resize, fit: () => { fit(); changed(); },
    set: o => { if (o.trails !== options.trails) setTrails(o.trails); if (o.through !== options.through) setThrough(o.through); options = { ...o }; }, onChange: f => { changed = f; } };
};
