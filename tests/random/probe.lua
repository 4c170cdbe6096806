-- From the text of a model to numbers: compiles it with the pipeline, the C with a fast compiler, and runs a program around
-- it that prints every step, or the model's operators at a state.
local P = require "gen.pipeline"
local fs = require "gen.util.fs"

local B = { folder = assert(fs.temporary_dir()) }
local here = (fs.capture("pwd -P"):gsub("\n$", ""))

local function has(program) return fs.run("command -v " .. program .. " >/dev/null 2>&1") == 0 end

-- tcc where it is installed: it compiles a model in a hundredth of a second
B.fast = has "tcc" and "tcc" or "gcc -O0"
B.compilers = { "gcc -O0", "gcc -O3", "gcc -O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all" }
if has "clang" then table.insert(B.compilers, 3, "clang -O2") end

-- Objects of the runtime by compiler. The emitted sources may differ from model to model, the runtime does not.
local objects = {}
local function object(path, cc)
  local key = cc .. " " .. path
  if not objects[key] then
    objects.count = (objects.count or 0) + 1
    local file = ("%s/%d.o"):format(B.folder, objects.count)
    local command = ("%s -std=c11 -ffp-contract=off -I%s/runtime/include -c %s/runtime/%s -o %s 2>&1"):format(cc, here, here, path, file)
    if cc:find("^tcc") then command = command:gsub("%-ffp%-contract=off ", "") end
    local said, code = fs.capture(command)
    if code ~= 0 then error(said, 0) end
    objects[key] = file
  end
  return objects[key]
end

-- Prints t, q, v, impulse, gap, impulses of the last step, how many steps were frozen (counts.frozen) after each step; on failure the
-- status. With "operators" instead: what configure, forces, solve_mass, rates, bias give at a state (numbers from the command line).
local MAIN = [[
#include "NAME.c"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static NAME state;
static void row(const char *name, const double *x, int n)
{
    printf("%s", name);
    for (int i = 0; i < n; ++i) {
        printf(" %.17g", x[i]);
    }
    printf("\n");
}
static void show(NAME *s)
{
    carom_view view;
    const carom_model *m = NAME_model();
    memset(&view, 0, sizeof view);
    m->view(s, &view);
    row("t", view.t, 1);
    row("q", view.q, POSITIONS);
    row("v", view.v, VELOCITIES);
    row("p", view.impulse, m->contacts);
    row("g", view.gap, m->contacts);
    if (view.last != NULL) {
        row("l", view.last, ROWS);
    }
    const double frozen = (double)s->counts.frozen;
    row("f", &frozen, 1);
    RATES
    if (m->outputs > 0) {
        double y[OUTPUTS + 1];
        m->output_values(s, y);
        row("y", y, m->outputs);
    }
}
int main(int argc, char **argv)
{
    NAME *s = &state;
    carom_status status = NAME_init(s, NULL);
    if (argc > 4 && strcmp(argv[1], "operators") == 0) {
        OPERATORS
        return 0;
    }
    const int steps = atoi(argv[1]);
    const double h = atof(argv[2]);
    if (status == CAROM_OK && argc > 3) {
        double q[POSITIONS], v[VELOCITIES];
        memcpy(q, s->q, sizeof q);
        memcpy(v, s->v, sizeof v);
        for (int i = 0; argc == 4 + POSITIONS + VELOCITIES && i < POSITIONS + VELOCITIES; ++i) {
            *(i < POSITIONS ? &q[i] : &v[i - POSITIONS]) = atof(argv[4 + i]);
        }
        status = NAME_set(s, atof(argv[3]), q, v);
    }
    for (int k = 0; k < steps && status == CAROM_OK; ++k) {
        if (k == 0) {
            show(s);
        }
        static NAME before; /* some states are too large for a stack */
        before = *s;
        status = NAME_step(s, h);
        if (status != CAROM_OK) {
            if (memcmp(before.q, s->q, sizeof s->q) != 0 || memcmp(before.v, s->v, sizeof s->v) != 0 || before.t != s->t) {
                printf("changed\n");
            }
            break;
        }
        show(s);
    }
    printf("status %d events %llu\n", (int)status, s->counts.events);
    return 0;
}
]]

local OPERATORS = [[
double x[POSITIONS + VELOCITIES + 1], y[VELOCITIES + 1], w[ROWS + 1];
        const double t = atof(argv[2]);
        for (int i = 0; i < POSITIONS + VELOCITIES; ++i) {
            x[i] = atof(argv[3 + i]);
        }
        NAME_config *const c = &s->at[0];
        status = NAME_configure(s, t, x, c);
        printf("configured %d\n", (int)status);
        if (status != CAROM_OK) {
            return 0;
        }
        const double *const v = x + POSITIONS;
        (void)v;
        (void)w;
        (void)y;
]]

-- For meshes, whose forces are loops over cells: at a state, and at its place alone, the forces that the C computes (h, k) and the
-- slopes of the elastic energy that it reports (d, e); the mass of each coordinate (w) from its kinetic
-- energy.
local MESH_OPERATORS = [[
static double x[POSITIONS + VELOCITIES + 1], y[VELOCITIES + 1], z[OUTPUTS + 1], still[VELOCITIES + 1];
        const double step = 1e-5, t = atof(argv[2]);
        for (int i = 0; i < POSITIONS + VELOCITIES; ++i) {
            x[i] = atof(argv[3 + i]);
        }
        for (int k = 0; k < 2; ++k) { /* where the state is, and undeformed */
            status = NAME_configure(s, t, x, &s->at[0]);
            NAME_forces(s, &s->at[0], still, y);
            row(k == 0 ? "h" : "k", y, VELOCITIES);
            for (int i = 0; i < POSITIONS && status == CAROM_OK; ++i) {
                const double q = x[i];
                x[i] = q + step;
                status = NAME_set(s, t, x, still);
                NAME_outputs(s, z);
                y[i] = z[ELASTIC];
                x[i] = q - step;
                status = status == CAROM_OK ? NAME_set(s, t, x, still) : status;
                NAME_outputs(s, z);
                y[i] = (y[i] - z[ELASTIC]) / (2.0 * step);
                x[i] = q;
            }
            if (status == CAROM_OK) {
                row(k == 0 ? "d" : "e", y, POSITIONS);
            }
            for (int i = 0; i < POSITIONS; ++i) {
                x[i] = x[POSITIONS + i]; /* the velocities are a place here */
            }
        }
        for (int i = 0; i < VELOCITIES && status == CAROM_OK; ++i) { /* with all nodes along its direction: what moves there */
            y[i] = 0.0;
            for (int k = -1; k < 2; k += 2) {
                for (int j = 0; j < VELOCITIES; ++j) {
                    still[j] = j % DIMENSION == i % DIMENSION ? 1.0 : 0.0;
                }
                still[i] += k;
                status = NAME_set(s, t, x, still);
                NAME_outputs(s, z);
                y[i] += k * z[KINETIC] / 2.0;
            }
        }
        row("w", y, VELOCITIES);
        printf("configured %d\n", (int)status);
]]

--- Reads a model text and compiles it with a scheme; errors are those of the pipeline. options: form
function B.unit(text, scheme, options)
  return P.compile(P.load("random.lua", { text = text }), { scheme = scheme, form = options and options.form })
end

local function program_text(unit, c)
  local X, eq = unit.name, unit.eq
  local function exists(f) return c:find("%f[%w_]" .. X .. "_" .. f .. "%(") end
  local nq = eq and #eq.q or 7 * #(unit.model.rotations or {})
  local nv = eq and eq.n or 6 * #(unit.model.rotations or {})
  local rows = eq and #eq.rows or 0
  local operators = {}
  if eq and not unit.model.elements then
    operators[1] = OPERATORS
    local function add(line) operators[#operators + 1] = "        " .. line end
    if rows > 0 then add(('row("g", c->g, %d);'):format(eq.gaps)) end
    if exists "forces" then add(X .. "_forces(s, c, v, y); row(\"h\", y, VELOCITIES);") end
    if exists "solve_mass" then
      add("for (int i = 0; i < VELOCITIES; ++i) { memset(y, 0, sizeof y); y[i] = 1.0; " .. X
        .. "_solve_mass(s, c, y); row(\"m\", y, VELOCITIES); }")
    end
    if exists "rates" and rows > 0 then
      add("memset(y, 0, sizeof y); " .. X .. "_rates(s, c, y, w); row(\"u\", w, ROWS);")
      add("for (int i = 0; i < VELOCITIES; ++i) { memset(y, 0, sizeof y); y[i] = 1.0; " .. X
        .. "_rates(s, c, y, w); row(\"u\", w, ROWS); }")
    end
    if exists "bias" and rows > 0 then add(X .. "_bias(s, c, v, w); row(\"b\", w, ROWS);") end
  end
  if unit.model.elements then operators[1] = MESH_OPERATORS end
  local place = {}
  for i, y in ipairs(unit.model.outputs) do place[y.name] = i - 1 end
  local rates = ""
  if exists "rates" and rows > 0 and not unit.model.elements then
    rates = ("{ double U[%d]; memset(U, 0, sizeof U); %s_rates(s, &s->at[s->now], s->v, U); row(\"u\", U, %d); }"):format(rows, X, rows)
  end
  if unit.pile then -- of each contact point: normal, impulse (both as on its first body), gap
    rates = ([[{ const NAME_config *const c = &s->at[s->now]; for (int i = 0; i < s->found.count; ++i) {
      double x[7] = {0}; for (int l = 0; l < 3; ++l) { const int j = l == 0 ? i : s->found.gaps + 2 * i + l - 1;
      for (int k = 0; k < 3; ++k) { const double g = c->G[s->found.Gp[j] + k]; x[k] = l == 0 ? g : x[k]; x[3 + k] += s->force[j] * g; } }
      x[6] = c->g[i]; row("c", x, 7); } }]]):gsub("NAME", X)
  end
  local values = { NAME = X, POSITIONS = nq, VELOCITIES = nv, ROWS = rows, OUTPUTS = #unit.model.outputs + 8, RATES = rates,
    ELASTIC = place.elastic, KINETIC = place.kinetic,
    DIMENSION = unit.model.elements and unit.model.elements.bodies[1].mesh.dimension }
  local function fill(text) return (text:gsub("%f[%w_]%u+%f[^%w]", function(word) return values[word] and tostring(values[word]) end)) end
  values.OPERATORS = fill(table.concat(operators, "\n"))
  return (MAIN:gsub("%f[%w_]NAME", X):gsub("%f[%w_]%u+%f[^%w_]", function(word) return values[word] and tostring(values[word]) end)
    :gsub("%f[%w_]NAME", X))
end

local counter = 0
--- Compiles the C of a unit; returns a program. cc: a compiler with its flags (B.fast when nil).
function B.program(unit, cc)
  cc = cc or B.fast
  counter = (counter + 1) % 32 -- programs are used soon or not at all
  local dir = ("%s/m%d"):format(B.folder, counter)
  assert(fs.mkdir(dir))
  local c
  for _, file in ipairs(unit.files) do
    if file.name == unit.name .. ".c" or file.name == unit.name .. ".h" then
      local out = assert(io.open(dir .. "/" .. file.name, "wb"))
      out:write(file.text)
      out:close()
      if file.name:find("%.c$") then c = file.text end
    end
  end
  local main = assert(io.open(dir .. "/main.c", "wb"))
  main:write(program_text(unit, c))
  main:close()
  local link = {}
  for _, name in ipairs(unit.sources) do
    if name ~= unit.name .. ".c" then link[#link + 1] = object(name, cc) end
  end
  local flags = cc:find("^tcc") and "-std=c11" or "-std=c11 -ffp-contract=off -Wno-unused-function"
  local said, code = fs.capture(("cd %s && %s %s -I. -I%s/runtime/include main.c %s -o run -lm 2>&1"):format(dir, cc, flags, here,
    table.concat(link, " ")))
  if code ~= 0 then error("the C does not compile with " .. cc .. ":\n" .. said, 0) end
  return { dir = dir, unit = unit, path = dir .. "/run" }
end

local function numbers(text)
  local list = {}
  for word in text:gmatch("%S+") do
    list[#list + 1] = tonumber(word) or (word:find("nan") and 0 / 0) or (word:find("^-") and -math.huge) or math.huge
  end
  return list
end

--- Runs `steps` steps of h, from time `start` if given, and there from the state { q =, v = } if given:
-- { rows = { { t=, q=, v=, p=, g=, l=, f=, u=, y=, c= } ... }, status =, events = }
function B.run(program, steps, h, start, state)
  local words = { ("timeout 120 %s %d %.17g"):format(program.path, steps, h) }
  words[2] = (start or state) and ("%.17g"):format(start or 0)
  for _, list in ipairs { state and state.q or {}, state and state.v or {} } do
    for _, x in ipairs(list) do words[#words + 1] = ("%.17g"):format(x) end
  end
  local said, code = fs.capture(table.concat(words, " ") .. " 2>&1")
  local result = { rows = {}, text = said, code = code }
  local current
  for name, rest in said:gmatch("([^\n ]+) ?([^\n]*)\n") do
    if name == "t" then
      current = {}
      result.rows[#result.rows + 1] = current
    end
    if name == "status" then
      result.status, result.events = tonumber(rest:match("^(%-?%d+)")), tonumber(rest:match("events (%d+)"))
    elseif name == "changed" then
      result.changed = true
    elseif current and name == "c" then
      current.c = current.c or {}
      table.insert(current.c, numbers(rest))
    elseif current and #name == 1 then
      current[name] = numbers(rest)
    end
  end
  if code ~= 0 or not result.status then error(("the program ended with code %d\n%s"):format(code, said:sub(-2000)), 0) end
  return result
end

--- The operators at a time and state: { configured=, g=, h=, m = rows of M^-1, u = rates at 0 and at each unit vector, b= }
function B.operators(program, t, q, v)
  local words = { program.path, "operators", ("%.17g"):format(t) }
  for _, list in ipairs { q, v } do for _, x in ipairs(list) do words[#words + 1] = ("%.17g"):format(x) end end
  local said, code = fs.capture("timeout 120 " .. table.concat(words, " ") .. " 2>&1")
  if code ~= 0 then error(("the program ended with code %d\n%s"):format(code, said:sub(-2000)), 0) end
  local o = { m = {}, u = {} }
  for name, rest in said:gmatch("([^\n ]+) ?([^\n]*)\n") do
    if name == "m" or name == "u" then
      table.insert(o[name], numbers(rest))
    elseif name == "configured" then
      o.configured = tonumber(rest)
    else
      o[name] = numbers(rest)
    end
  end
  return o
end

B.has_petsc = has "mpicc" and has "mpiexec" and fs.run "pkg-config --exists PETSc 2>/dev/null" == 0

--- The model of a text on PETSc: result.csv as a list of rows by name, or the error message.
function B.petsc(text, scheme)
  local file, out = B.folder .. "/sample.lua", B.folder .. "/petsc"
  assert(fs.write(file, text))
  local said, code = fs.capture(("env CAROM_NO_INSTALL=1 CAROM_CFLAGS=-O1 %s lua5.4 gen/cli/main.lua run %s --path petsc --scheme %s "
    .. "--json --out %s 2>&1 </dev/null"):format(os.getenv "CAROM_CACHE" and "" or "CAROM_CACHE=" .. fs.quote(B.folder .. "/cache"), file,
    fs.quote(scheme), out))
  local csv = fs.read(out .. "/result.csv")
  if code > 1 or not csv then return nil, said end
  local names, rows = {}, {}
  for line in csv:gmatch("[^\n]+") do
    local row, i = {}, 0
    for word in line:gmatch("[^,]+") do
      i = i + 1
      if line:find("^t,") then names[i] = word else row[names[i]] = tonumber(word) end
    end
    if row.t then rows[#rows + 1] = row end
  end
  return rows, said
end

function B.finish() fs.remove_tree(B.folder) end

return B
