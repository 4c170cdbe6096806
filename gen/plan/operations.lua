-- The seventeen operations of a step plan: what each does, and what it takes and gives. Every back end can do these and nothing else.
--
-- Data. vector: over the velocities. rows: bilateral rows, normals of contacts, then their tangents. set: of bilateral rows and contacts;
-- tangents follow their contact where it has friction. point: a position. configuration: all that depends on (t, q): gaps g, Jacobian G,
-- g_t, mass M; lazily what is made of them. operator: "mass@c", or one that `operator` made.
--
-- Fields are written name:kind, ! for what is defined, ? for what may be absent, * for a list.
local O = {}

O.list = {
  { "kinematics", "c:configuration! node:number q:point find:flag? by:displacements?",
    "the configuration at (t + node h, q). find: choose the rows of this step. by: every row at its own point, q moved by this" },
  { "forces", "f:vector! c:configuration v:vector", "all forces but those of contacts and bilateral rows" },
  { "rates", "U:rows! c:configuration v:vector homogeneous:flag?", "U = G v + g_t; homogeneous: G v" },
  { "bias", "gam:rows! c:configuration v:vector", "gam, so that the second derivative of the gaps is G a + gam" },
  { "combine", "y:any! terms:form", "y = sum of c h^k x, over vectors or rows" },
  { "ratio", "y:rows! a:rows b:rows", "y = a/b of normals clipped to [0, 1], 1 where b = 0; tangents have that of their contact" },
  { "retract", "q1:point!* q:point x:vector? V:vector*? B:matrix? weights:matrix?",
    "q1 = q + x, rotations by exp. Stages: q + h sum_k w_k V_k, a row of weights for each point; rotations by collocation, "
    .. "Q_l = q + h sum_k B_lk H(Q_k) V_k, then q + h sum_k w_k H(Q_k) V_k" },
  { "apply", "y:vector! A:operator x:vector", "y = A x" },
  { "solve", "y:vector!* A:operator x:vector*",
    "A y = x. A of several vectors (wv, wq matrices) corrects accelerations: A y = M x, held rows G y + wv Cc y + wq Kc y = G x" },
  { "operator", "A:operator! c:configuration v:vector a:vector? wv:weight wq:weight r:rows? on:set? grip:set? slide:rows? turning:set? "
    .. "symmetric:flag?",
    "A = M + wv C + wq K, C = -df/dv, K = d(M a - f - G^T r)/dq (a absent: M is constant); symmetric: of their symmetric parts; "
    .. "matrices wv, wq: over several vectors, with the rows of `on` held, as `contact` holds them; turning: contacts whose direction of "
    .. "sliding turns with the velocity" },
  { "spread", "f:vector! c:configuration r:rows on:set", "f = G^T r of the rows in a set" },
  { "set", "S:set! where:predicate", "the rows for which a predicate holds" },
  { "direction", "s:rows! U:rows? from:rows? where:rows? on:set? turns:number? frozen:set? forward:flag?",
    "of each contact U_T/|U_T| where |U_T| > ts, else 0; where: only if it slides there. A contact whose direction, from iteration "
    .. "`turns` of a repeat on, still is another than in the one before joins `frozen`, and there `where` itself holds. forward: `where` "
    .. "holds on too where U_T points back from it. from J: -J_T/(mu J_N) on a set" },
  { "contact", "x:vector! r:rows! A:operator at:configuration set:set rhs:vector? b:rows carried:rows? laws:word? rows:word? grip:set? "
    .. "slide:rows? along:configuration? along_on:set? mean:weight? guess:rows? drop:set? fallback:flag? within:flag? borne:flag? "
    .. "rebound:set? felt:vector? sliding:rows?",
    "A x = rhs + F^T (r - carried), u = G x + b, law(u, r) on the set, r = carried (or 0) outside it. F = G but at `along` (for "
    .. "`along_on`); mean m: F^T = m G^T + (1-m) M M(along)^-1 G(along)^T. laws own or equal; rows all or normal; grip: of equal laws, the "
    .. "contacts whose tangents are held too. slide: r_T = -mu slide r_N where it is not 0; if that pivot is not positive the contact "
    .. "leaves `drop`, or (fallback) the whole law is solved. within: forces inside the step, whose end tells whether the law holds. "
    .. "borne: of equal laws, where r is not unique it is the least that contacts can bear. "
    .. "rebound: contacts of these were hit; where restitution is one of impulses, expansion follows: r_N >= e r_N of compression. "
    .. "felt: coefficients that depend on their contact's motion are those at this velocity, not at the start of the step, of contacts "
    .. "that slide where `sliding` is not 0 (absent: where they move)" },
  { "repeat", "max:number body:body small:vector*? of:vector*? defect:vector*? speeds:vector*? same:set*? holds:predicate? falls:rows? "
    .. "rounds:rounds? floor:point?",
    "at most max times, until every vector in small is small beside those in `of` (and those in defect not large; or h times them is "
    .. "rounding of those in speeds and no longer falls), or while a predicate holds anywhere (and the rows in falls are halved there), or "
    .. "until two sets are the same (else the second becomes the first). rounds: what is tried when contacts alternate between modes. "
    .. "floor: where stiff forces leave "
    .. "velocities, as far as rounding of these places lets them be known" },
  { "when", "any:set body:body other:body?", "body if the set has a member, else other" },
  { "accept", "q:point? v:vector? at:configuration? impulse:rows*? events:set*? keep:keep dense:dense? watch:rows? on:set? halt:flag?",
    "the end of the step, if all is finite and the law holds: memory is written here only. dense: v is the polynomial through vectors at "
    .. "nodes and q its integral, or goes along a path. watch: contacts of `on` that slide with these rates are counted where no finite "
    .. "force is. halt: the step is not made, only these inputs are written, for the program that runs the plan" },
}

-- { name, optional, defines, list } of "x:vector!*?"
local function field(text)
  local name, kind, marks = text:match("^([%w_]+):(%a+)([!%*%?]*)$")
  return { name = name, kind = kind, defines = marks:find("!", 1, true) ~= nil, list = marks:find("*", 1, true) ~= nil,
    optional = marks:find("?", 1, true) ~= nil }
end

O.of = {}
for _, line in ipairs(O.list) do
  local fields, known = {}, { op = true, text = true, kind = true }
  for text in line[2]:gmatch("%S+") do
    fields[#fields + 1] = field(text)
    known[fields[#fields].name] = true
  end
  O.of[line[1]] = { name = line[1], fields = fields, known = known, text = line[3] }
end

--- Words that `laws` and `rows` of a contact problem take.
O.words = { laws = { own = true, equal = true }, rows = { all = true, normal = true } }

--- Rows that every model has: its restitution, what Schatzman-Paoli makes of it, friction.
O.data = { "e", "1+e", "1/(1+e)", "e/(1+e)", "mu" }

--- Lengths and speeds that count as nothing: tg and tv of gaps and rates, ts of slip, eps of what projection leaves.
O.tolerances = { tg = true, tv = true, ts = true, eps = true, zero = true }

return O
