-- Libraries for other languages: the Python package, and a library that is called without headers.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

if S.has "python3" and S.has "gcc" then
  T.test("a Python package: arrays, parameters as attributes, pickles; the bits of carom run", function()
    local dir = S.place "package"
    S.command(("./carom gen slider_crank --target python -o %s -q"):format(dir))
    assert(fs.write(dir .. "/use.py", [[
import pickle, sys
import slider_crank
from slider_crank import Model, Error, COLUMNS, UNITS
if len(sys.argv) > 1:
    slider_crank.numpy = None
m = Model(restitution=0.4)
r = m.run(until=0.02, step=1e-5, every=100)
assert len(r["t"]) == 21 and r["t"][0] == 0.0 and r["t"][-1] == 0.02 and list(r) == COLUMNS, r["t"]
assert UNITS["theta1.dot"] == "rad/s" and m.restitution == 0.4
for name in ("theta1", "theta2", "theta3"):
    print("%.17g" % r[name][-1])
n = pickle.loads(pickle.dumps(m))
assert n.restitution == 0.4
m.run(until=0.03)
n.run(until=0.03)
assert m["theta3"] == n["theta3"] and m["corner1.impulse"] == n["corner1.impulse"]
before = m["theta1"]
m.m1 = 0.05
assert m["theta1"] == before and m.m1 == 0.05
m.step(1e-5)
for wrong in (lambda: setattr(m, "nothing", 1.0), lambda: Model(nothing=1.0)):
    try:
        wrong()
        raise SystemExit("not refused")
    except AttributeError as e:
        assert "restitution" in str(e)
for wrong in (lambda: Model(m1=-1.0), lambda: setattr(m, "m1", float("nan")), lambda: m.load(b"12345")):
    try:
        wrong()
        raise SystemExit("not refused")
    except Error as e:
        assert e.status < 0
m.step(1e-5)
m.place(0.0, [0.0, 0.0, 0.0], [150.0, -75.0, 0.0])
assert m["t"] == 0.0 and m.start()["theta1.dot"] == 150.0
]]))
    local r = json.read(S.command(("./carom run slider_crank --set restitution=0.4 --json --no-report --step 1e-5 --until 0.02 "
      .. "--out %s/run")
      :format(dir)))
    local expected = ("%.17g\n%.17g\n%.17g\n"):format(r.q.theta1, r.q.theta2, r.q.theta3)
    for _, words in ipairs { "", "plain" } do -- with NumPy where it is there, and without
      T.eq(S.command(("cd %s && python3 use.py %s"):format(dir, words)), expected)
    end
    if fs.run("python3 -c 'import pip, setuptools' 2>/dev/null") == 0 then
      S.command(("cd %s && python3 -m pip install -q --no-deps --no-build-isolation --target there . && cd there && python3 -c "
        .. "'import slider_crank; slider_crank.Model().step(1e-5)'"):format(dir))
    end
  end)
else
  T.skip("a Python package", "python3 or gcc is not here")
end

if S.has "gcc" then
  T.test("a library: flat functions without headers, and those of the model", function()
    local dir = S.place "lib"
    S.command(("./carom gen zeno_ball --target lib -o %s -q"):format(dir))
    assert(fs.write(dir .. "/host.c", [[
#include <dlfcn.h>
#include <math.h>
int main(void)
{
    void *const lib = dlopen("./libzeno_ball.so", RTLD_NOW);
    if (lib == 0 || dlsym(lib, "zeno_ball_step") == 0) return 1;
    void *(*const make)(void) = (void *(*)(void))dlsym(lib, "carom_library_new");
    int (*const start)(void *) = (int (*)(void *))dlsym(lib, "carom_library_start");
    int (*const step)(void *, double) = (int (*)(void *, double))dlsym(lib, "carom_library_step");
    int (*const get)(void *, const unsigned *, int, double *) =
        (int (*)(void *, const unsigned *, int, double *))dlsym(lib, "carom_library_get");
    const unsigned q = 4000000, none = 4000001;
    double x = 1.0;
    void *const m = make();
    if (start(m) != 0) return 2;
    for (int k = 0; k < 4000; k++) if (step(m, 1e-3) != 0) return 3;
    return get(m, &q, 1, &x) != 0 || fabs(x) > 1e-3 || get(m, &none, 1, &x) == 0 ? 4 : 0;
}
]]))
    S.command(("cd %s && gcc -std=c11 host.c -o host -ldl -lm && ./host"):format(dir))
  end)
end

S.finish()
