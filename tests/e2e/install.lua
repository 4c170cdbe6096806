-- What `meson install` puts where, and examples built from the installed tree alone, in an empty folder. Long run: it compiles the runtime.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local function installed()
  local build, prefix = S.place "build", S.place "prefix"
  S.command(("meson setup %s %s --prefix %s -Dlibdir=lib -Dbuildtype=plain && cd %s && meson compile carom:static_library carom-solve "
    .. "carom-compare man completion completion_zsh completion_fish && meson install --no-rebuild"):format(build, fs.quote(S.here), prefix,
    build))
  return prefix
end

if S.has "meson" and S.has "ninja" then
  T.long_test("everything is there, and examples are built with it in an empty folder", function()
    local prefix = installed()
    for _, path in ipairs { "bin/carom", "include/carom/model.h", "include/carom/host.hpp", "lib/libcarom.a", "lib/pkgconfig/carom.pc",
      "lib/cmake/carom/caromConfig.cmake", "share/man/man1/carom.1", "share/bash-completion/completions/carom",
      "share/zsh/site-functions/_carom", "share/fish/vendor_completions.d/carom.fish", "share/carom/templates/target/fmu2.xml.in" } do
      T.ok(fs.exists(prefix .. "/" .. path), path .. " is missing")
    end
    local empty = S.place "empty"
    local env = ("cd %s && PATH=%s/bin:$PATH CAROM_CACHE=%s/cache"):format(empty, prefix, empty)
    for _, words in ipairs { "carom run zeno_ball -q --no-report", "carom gen slider_crank --target python -o py -q",
      "carom gen bouncing_ball --target fmu3 -o fmu -q", "carom sweep zeno_ball --vary restitution=0.1:0.9:10 -q" } do
      S.command(env .. " " .. words)
    end
    T.ok(fs.exists(empty .. "/fmu/bouncing_ball.fmu"))
    -- the commands that the pages of examples show, with the installed carom where a clone has its own
    S.command(("mkdir %s/examples && ln -s %s/bin/carom %s/carom"):format(empty, prefix, empty))
    for _, name in ipairs { "embed", "fmu", "monte_carlo", "realtime_loop", "python" } do
      S.command(("cp -R %s/examples/%s %s/examples/ && rm -rf %s/examples/%s/out"):format(fs.quote(S.here), name, empty, empty, name))
      for block in fs.read(("%s/examples/%s/README.md"):format(S.here, name)):gmatch "```sh\n(.-)```" do
        assert(fs.write(empty .. "/block.sh", block))
        S.command(("%s && cd examples/%s && sh -e ../../block.sh"):format(env, name))
      end
    end
    if S.has "cmake" and S.has "g++" then
      S.command(("cp -R %s/examples/embed_cmake %s/"):format(fs.quote(S.here), empty))
      T.ok(S.command(env .. " cmake -S embed_cmake -B out && cmake --build out && out/crank"):find "the same bits")
      assert(fs.write(empty .. "/user/CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(user C)\n"
        .. "find_package(carom REQUIRED)\n"
        .. "add_executable(user main.c)\ntarget_link_libraries(user PRIVATE carom::carom)\n"))
      assert(fs.write(empty .. "/user/main.c", "#include <carom/lcp.h>\nint main(void) { double z; unsigned char b = 0; "
        .. "return carom_lcp_1(1.0, -2.0, &z, &b) && z == 2.0 ? 0 : 1; }\n"))
      S.command(("cd %s/user && cmake -S . -B b -DCMAKE_PREFIX_PATH=%s && cmake --build b && b/user"):format(empty, prefix))
    end
  end)
else
  T.skip("everything is there, and examples are built with it in an empty folder", "meson or ninja is not here")
end

if S.has "dpkg-buildpackage" and S.has "dh" and S.has "git" then
  T.long_test("the Debian package builds, and what is in it runs", function()
    local place = S.place "debian"
    S.command(("cd %s && git ls-files -z | tar --null -T - -cf - | (mkdir -p %s/carom && tar xf - -C %s/carom)"):format(fs.quote(S.here),
      place, place))
    S.command(("cd %s/carom && dpkg-buildpackage -us -uc -b -d && cd .. && dpkg-deb -x carom_*.deb tree"):format(place))
    -- its link to the launcher is absolute: the launcher itself is asked
    local said = S.command(("cd %s && CAROM_CACHE=%s/cache tree/usr/share/carom/carom run zeno_ball --no-report"):format(place, place))
    T.ok(said:find "zeno_ball with D%-:M=1: t = 4", said)
    T.ok(fs.exists(place .. "/tree/usr/share/man/man1/carom.1.gz") and fs.exists(place .. "/tree/usr/include/carom/model.h"))
  end)
else
  T.skip("the Debian package builds, and what is in it runs", "dpkg-buildpackage or debhelper is not here")
end

S.finish()
