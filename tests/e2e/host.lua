-- What a host asks of an emitted integrator between steps: other parameters, events, forces, energy, time, bytes; and its C++ wrapper.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

-- Compiles a unit with a main whose body is given and returns what it prints, by lines.
local function lines(unit, body)
  local X = unit.name
  local main = ('#include "%s.h"\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n'
    .. '#define CHECK(x) do { if (!(x)) { printf("line %%d: %%s\\n", __LINE__, #x); exit(1); } } while (0)\n'
    .. "int main(void)\n{\n    static %s s;\n    CHECK(%s_init(&s, NULL) == CAROM_OK);\n%s\n    return 0;\n}\n"):format(X, X, X, body)
  local list = {}
  for line in S.command(fs.quote(S.compile(unit, { main = main }).program)):gmatch("[^\n]+") do list[#list + 1] = line end
  return list
end

T.test("time does not drift", function()
  local said = lines(S.unit("bouncing_ball", "D-:M=1"), [[
    for (int k = 1; k <= 20000; ++k) {
        CHECK(bouncing_ball_step(&s, 5e-4) == CAROM_OK);
        CHECK(fabs(s.t - k * 5e-4) <= 2.3e-16 * s.t);
    }
    printf("%.17g\n", s.t);]])
  T.eq(said[1], "10")
end)

T.test("a ball tells of its hits: how hard, with which speeds before and after", function()
  local said = lines(S.unit("bouncing_ball", "D-:M=1"), [[
    carom_contact_event heard[4];
    int hits = 0;
    s.events = (carom_contact_events){.item = heard, .room = 4};
    for (int k = 0; k < 3000; ++k) {
        const double before = s.impulse[0];
        CHECK(bouncing_ball_step(&s, 5e-4) == CAROM_OK);
        for (int i = 0; i < s.events.count; ++i) {
            CHECK(heard[i].contact == 0 && heard[i].t == s.t);
            if (heard[i].kind == CAROM_EVENT_CLOSING) {
                ++hits;
                CHECK(heard[i].before < -1.0 && fabs(heard[i].after + 0.9 * heard[i].before) < 0.01);
                CHECK(fabs(heard[i].impulse - (s.impulse[0] - before)) < 1e-12);
            } else {
                CHECK(heard[i].kind == CAROM_EVENT_OPENING && heard[i].impulse == 0.0);
            }
        }
        s.events.count = 0;
    }
    CHECK(s.events.lost == 0 && hits == (int)s.counts.events);
    printf("%d\n", hits);]])
  T.eq(said[1], "2", "hits in 1.5 s")
end)

T.test("free flight, one step or many, gives the bits of the whole step, which is made where somebody listens", function()
  for _, case in ipairs { { "bouncing_ball", "D-:M=1", 3000, 5e-4 }, { "slider_crank", "D-:M=1", 1000, 1e-5, { friction = 0.01 } },
    { "slider_crank", "moreau-jean", 1000, 1e-5 }, { "bead_column", "moreau-jean", 1500, 5e-4 } } do
    local unit = S.unit(case[1], case[2], { set = case[5] })
    local X = unit.name
    T.ok(unit.files[1].text:find("_aloft", 1, true) or unit.files[2].text:find("_aloft", 1, true), X .. " has free flight")
    lines(unit, (([[
    static X_name whole, many;
    carom_contact_event heard[64];
    CHECK(X_name_init(&whole, NULL) == CAROM_OK && X_name_init(&many, NULL) == CAROM_OK);
    for (int k = 0; k < STEPS; ++k) {
        whole.events = (carom_contact_events){.item = heard, .room = 64};
        CHECK(X_name_step(&s, H) == CAROM_OK && X_name_step(&whole, H) == CAROM_OK);
        CHECK(memcmp(s.q, whole.q, sizeof s.q) == 0 && memcmp(s.v, whole.v, sizeof s.v) == 0 && s.t == whole.t);
        CHECK(memcmp(s.impulse, whole.impulse, sizeof s.impulse) == 0 && memcmp(s.last, whole.last, sizeof s.last) == 0);
        CHECK(memcmp(s.at[s.now].g, whole.at[s.now].g, sizeof s.at[0].g) == 0 && s.last_step == whole.last_step);
        CHECK(memcmp(s.pressing, whole.pressing, sizeof s.pressing) == 0 && s.deepest.depth == whole.deepest.depth);
        CHECK(s.counts.evaluations == whole.counts.evaluations && s.counts.events == whole.counts.events);
        CHECK(s.counts.steps == whole.counts.steps && s.info.iterations == whole.info.iterations);
    }
    CHECK(s.counts.events > 0);
    for (int k = 0; k < STEPS; k += 100) { /* many steps at once */
        CHECK(X_name_steps(&many, 99, H) == CAROM_OK && X_name_steps(&many, 1, H) == CAROM_OK);
        CHECK(X_name_steps(&many, 0, H) == CAROM_OK);
    }
    CHECK(memcmp(s.q, many.q, sizeof s.q) == 0 && memcmp(s.v, many.v, sizeof s.v) == 0 && s.t == many.t && s.t_low == many.t_low);
    CHECK(memcmp(s.impulse, many.impulse, sizeof s.impulse) == 0 && memcmp(s.last, many.last, sizeof s.last) == 0);
    CHECK(memcmp(&s.counts, &many.counts, sizeof s.counts) == 0 && memcmp(&s.deepest, &many.deepest, sizeof s.deepest) == 0);
    CHECK(X_name_steps(&many, 3, -1.0) == CAROM_ARGUMENT && many.counts.steps == s.counts.steps);]]):gsub("X_name", X)
      :gsub("STEPS", case[3]):gsub("%f[%w]H%f[%W]", ("%g"):format(case[4]))))
  end
end)

T.test("moreau-jean makes no correction that is foreseen to be far below the tolerance", function()
  lines(S.unit("slider_crank", "moreau-jean:mass=end"), [[
    CHECK(slider_crank_steps(&s, 2500, 1e-5) == CAROM_OK && s.counts.events > 0);
    CHECK(s.counts.evaluations < 4 * s.counts.steps); /* 3.6 each; 4.5 where every correction is made */]])
end)

T.test("a friction of 0 that is burnt in leaves nothing of friction; the same bits", function()
  local said = {}
  for i, burn in ipairs { {}, { friction = 0.0 } } do
    local unit = S.unit("slider_crank", "D-:M=1", { burn = burn })
    local text = unit.files[1].text .. unit.files[2].text
    for _, word in ipairs { "friction", "_t1" } do T.eq(text:find(word, 1, true) ~= nil, i == 1, word) end
    said[i] = lines(unit, [[
    CHECK(slider_crank_steps(&s, 2000, 1e-5) == CAROM_OK && s.counts.events > 0);
    printf("%a %a %a %a\n", s.q[0], s.q[2], s.v[1], s.impulse[0]);]])[1]
  end
  T.eq(said[2], said[1])
end)

T.test("capture and steps by doubling tell of the same hits", function()
  for _, scheme in ipairs { "capture:rk=radau5", "D-:M=1,adaptive=on" } do
    local said = lines(S.unit("bouncing_ball", scheme), [[
    carom_contact_event heard[64];
    s.events = (carom_contact_events){.item = heard, .room = 64};
    CHECK(bouncing_ball_advance(&s, 1.5, 0.01) == CAROM_OK);
    int hits = 0;
    for (int i = 0; i < s.events.count; ++i) {
        hits += heard[i].kind == CAROM_EVENT_CLOSING;
    }
    printf("%d %llu\n", hits, s.events.lost);]])
    T.eq(said[1], "2 0", scheme)
  end
end)

T.test("capture and impacts with a time of their own tell when contacts closed, how hard, and how they left", function()
  -- from 1 m: first impact after sqrt(2/9.81) s; delta of capture is about 1e-8 here, the step of split ends at the impact
  for _, case in ipairs { { "capture:rk=radau5", 1e-7 }, { "capture:rk=dopri5,adaptive=on,rtol=1e-9", 1e-8 },
    { "D-:M=2,impact=split", 1e-9, 0.1 } } do -- the piece before the impact began up to 0.01 s earlier
    local said = lines(S.unit("bouncing_ball", case[1]), ([[
    carom_contact_event heard[64];
    double first = sqrt(2.0 / 9.81), speed = sqrt(2.0 * 9.81);
    s.events = (carom_contact_events){.item = heard, .room = 64};
    CHECK(bouncing_ball_advance(&s, 1.5, 0.01) == CAROM_OK);
    CHECK(s.events.count == 4 && s.events.lost == 0);
    printf("%.17g %.17g\n", heard[0].t - first, heard[2].t - first * 2.8);
    for (int i = 0; i < 4; i += 2) {
        CHECK(heard[i].kind == CAROM_EVENT_CLOSING && heard[i + 1].kind == CAROM_EVENT_OPENING && heard[i].contact == 0);
        CHECK(fabs(heard[i].before + speed) < BEFORE && fabs(heard[i].after - 0.9 * speed) < 1e-6);
        CHECK(fabs(heard[i].impulse - s.params.mass * 1.9 * speed) < 1e-6);
        CHECK(heard[i + 1].t - heard[i].t <= 0.01 && heard[i + 1].impulse == 0.0);
        speed *= 0.9;
    }]]):gsub("BEFORE", case[3] or 1e-6))
    for x in said[1]:gmatch "%S+" do T.near(tonumber(x), 0, case[2], case[1]) end
  end
end)

T.test("capture tells when a block at rest breaks loose and when it stops", function()
  lines(S.unit({ text = [[
local carom = require "carom"
local m = carom.model "pushed"
local x = m:coordinate("x", { unit = "m" })
local y = m:coordinate("y", { unit = "m" })
local t = m:time()
m:body("block", { mass = 2, at = { x, y } })
m:gravity(0, -10)
m:force { at = { x, y }, value = { carom.select(carom.lt(t, 0.7), 20 * t, 0), 0 } }
m:contact("floor", { gap = y, slide = x, friction = 0.5, restitution = 0 })
m:run { until_time = 1, step = 1e-3 }
return m]] }, "capture:rk=rk4,time=1"), [[
    carom_contact_event heard[8];
    s.events = (carom_contact_events){.item = heard, .room = 8};
    CHECK(pushed_advance(&s, 1.0, 0.03) == CAROM_OK);
    CHECK(s.events.count == 3 && heard[0].kind == CAROM_EVENT_CLOSING && heard[0].t == 0.0 && heard[0].impulse == 0.0);
    CHECK(heard[1].kind == CAROM_EVENT_SLIPPING && fabs(heard[1].t - 0.5) < 1e-5);
    /* 5 (t^2 - 0.25) - 5 (t - 0.5) = 0.2 m/s at t = 0.7; then -5 m/s2 */
    CHECK(heard[2].kind == CAROM_EVENT_STICKING && fabs(heard[2].t - 0.74) < 1e-5);]])
end)

T.test("a block that sticks and slides tells of it, and its forces are mean forces", function()
  local said = lines(S.unit({ text = [[
local carom = require "carom"
local m = carom.model "pushed"
local x = m:coordinate("x", { unit = "m" })
local y = m:coordinate("y", { unit = "m" })
local t = m:time()
m:body("block", { mass = 2, at = { x, y } })
m:gravity(0, -10)
m:force { at = { x, y }, value = { 20 * t, 0 } }
m:contact("floor", { gap = y, slide = x, friction = 0.5, restitution = 0 })
m:run { until_time = 1, step = 1e-3 }
return m]] }, "D-:M=1"), [[
    carom_contact_event heard[8];
    double r[2];
    s.events = (carom_contact_events){.item = heard, .room = 8};
    CHECK(pushed_advance(&s, 0.25, 1e-3) == CAROM_OK);
    CHECK(s.events.count == 1 && heard[0].kind == CAROM_EVENT_CLOSING);
    pushed_forces_last(&s, r);
    CHECK(fabs(r[0] - 20.0) < 1e-9 && fabs(r[1] + 20.0 * 0.25) < 0.02);
    CHECK(pushed_advance(&s, 0.7, 1e-3) == CAROM_OK);
    CHECK(s.events.count == 2 && heard[1].kind == CAROM_EVENT_SLIPPING);
    printf("%.3f\n", heard[1].t);
    pushed_forces_last(&s, r);
    CHECK(fabs(r[1] + 10.0) < 1e-9);]])
  T.near(tonumber(said[1]), 0.5, 0.003)
end)

T.test("other parameters in the middle of a run: motion, impulses and history stay; bad ones are refused", function()
  for _, sample in ipairs { { "D-:M=1" }, { "capture:rk=radau5" }, { "moreau-jean" }, { "D-:M=1", "looped" } } do
    lines(S.unit("bouncing_ball", sample[1], { form = sample[2] }), [[
    static bouncing_ball other, before;
    bouncing_ball_params p;
    CHECK(bouncing_ball_advance(&s, 0.6, 1e-3) == CAROM_OK); /* after the first hit */
    p = s.params;
    before = s;
    p.gravity = 1.62;
    CHECK(bouncing_ball_set_params(&s, &p) == CAROM_OK);
    CHECK(s.t == before.t && s.q[0] == before.q[0] && s.v[0] == before.v[0] && s.impulse[0] == before.impulse[0]);
    CHECK(bouncing_ball_init(&other, &p) == CAROM_OK && bouncing_ball_set(&other, s.t, s.q, s.v) == CAROM_OK);
    CHECK(bouncing_ball_advance(&s, 0.9, 1e-3) == CAROM_OK && bouncing_ball_advance(&other, 0.9, 1e-3) == CAROM_OK);
    CHECK(fabs(s.q[0] - other.q[0]) < 1e-12 && fabs(s.v[0] - other.v[0]) < 1e-12);
    CHECK(s.impulse[0] == before.impulse[0] && s.impulse[0] > 0.0);
    before = s;
    p.mass = 0.0;
    CHECK(bouncing_ball_set_params(&s, &p) < CAROM_OK && s.params.mass == 1.0);
    p.mass = NAN;
    CHECK(bouncing_ball_set_params(&s, &p) == CAROM_ARGUMENT);
    CHECK(bouncing_ball_step(&s, 1e-3) == CAROM_OK && bouncing_ball_step(&before, 1e-3) == CAROM_OK);
    CHECK(s.q[0] == before.q[0] && s.v[0] == before.v[0]);]])
  end
end)

T.test("saved in the middle and loaded elsewhere: the same bits; another model, scheme or damage is refused", function()
  for _, sample in ipairs { { "D-:M=1" }, { "capture:rk=radau5" }, { "moreau-jean", "looped" }, { "D-:M=2,stages=newton" } } do
    local unit = S.unit("slider_crank", sample[1], { form = sample[2] })
    lines(unit, [[
    static slider_crank other;
    static unsigned char bytes[SLIDER_CRANK_SAVED_SIZE];
    CHECK(slider_crank_init(&other, NULL) == CAROM_OK);
    CHECK(slider_crank_advance(&s, 0.004, 2e-5) == CAROM_OK);
    CHECK(slider_crank_save(&s, bytes, sizeof bytes - 1) == 0 && slider_crank_save(&s, bytes, sizeof bytes) == sizeof bytes);
    CHECK(slider_crank_model()->saved_size == sizeof bytes);
    CHECK(slider_crank_advance(&s, 0.008, 2e-5) == CAROM_OK);
    CHECK(slider_crank_load(&other, bytes, sizeof bytes) == CAROM_OK);
    CHECK(slider_crank_advance(&other, 0.008, 2e-5) == CAROM_OK);
    CHECK(memcmp(s.q, other.q, sizeof s.q) == 0 && memcmp(s.v, other.v, sizeof s.v) == 0 && s.t == other.t);
    CHECK(memcmp(s.impulse, other.impulse, sizeof s.impulse) == 0);
    bytes[40] ^= 1; /* another digest */
    CHECK(slider_crank_load(&other, bytes, sizeof bytes) == CAROM_FOREIGN);
    CHECK(slider_crank_step(&other, 2e-5) == CAROM_OK); /* as it was */]])
  end
end)

T.test("energy is what the models say it is, and what links swing with is conserved", function()
  for _, name in ipairs { "bouncing_ball", "constrained_pendulum", "gyro_top" } do
    local unit, at = S.unit(name, "D-:M=1"), nil
    for i, o in ipairs(unit.model.outputs) do if o.name == "energy" then at = i - 1 end end
    lines(unit, ([[
    double y[%d];
    for (int k = 0; k < 100; ++k) {
        CHECK(%s_step(&s, 1e-3) == CAROM_OK);
        %s_outputs(&s, y);
        CHECK(fabs(%s_energy(&s) - y[%d]) <= 1e-12 * (1.0 + fabs(y[%d])));
    }]]):format(#unit.model.outputs, name, name, name, at, at))
  end
  lines(S.unit("spatial_pendulum_link", "capture:rk=radau5"), [[
    const double start = spatial_pendulum_link_energy(&s);
    double least = s.q[1], most = s.q[1];
    for (int k = 0; k < 300; ++k) {
        CHECK(spatial_pendulum_link_step(&s, 5e-3) == CAROM_OK);
        CHECK(fabs(spatial_pendulum_link_energy(&s) - start) < 1e-6);
        least = fmin(least, s.q[1]);
        most = fmax(most, s.q[1]);
    }
    CHECK(most - least > 0.5);]])
end)

if S.has "g++" then
  T.test("the C++ wrapper is clean, copies, saves and throws", function()
    local unit = S.unit("slider_crank", "D-:M=1")
    local dir = S.write(unit)
    assert(fs.write(dir .. "/use.cpp", [[
#include "slider_crank.hpp"
int main()
{
    carom::slider_crank a;
    a.listen(64);
    a.advance(0.004, 2e-5);
    carom::slider_crank b = a, c;
    c.load(a.save());
    for (carom::slider_crank *m : {&a, &b, &c}) {
        m->advance(0.006, 2e-5);
    }
    int wrong = a.q()[0] != b.q()[0] || a.q()[1] != c.q()[1] || a.events().empty() || a.q().size() != 3;
    auto p = a.params();
    p.m1 = -1.0;
    try {
        a.set_params(p);
        wrong = 1;
    } catch (const carom::error &e) {
        wrong = wrong || e.status >= 0;
    }
    b = std::move(c);
    return wrong || b.outputs().size() != SLIDER_CRANK_NY ? 1 : 0;
}
]]))
    S.command(("cd %s && gcc %s -O1 -I. -c %s"):format(dir, S.base, table.concat(unit.sources, " ")))
    for _, version in ipairs { "17", "20" } do
      S.command(("cd %s && g++ -std=c++%s -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I. use.cpp *.o -o use -lm && ./use")
        :format(dir, version))
    end
  end)
else
  T.skip("the C++ wrapper is clean, copies, saves and throws", "no g++")
end

S.finish()
