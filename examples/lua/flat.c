/* The flat functions of a library (carom/library.h) as a module of plain Lua, which has no ffi: require "flat" gives a
 * function that opens a library. Handles are userdata that end with the collector. */
#include <dlfcn.h>
#include <lauxlib.h>
#include <lua.h>

typedef struct {
    int (*count)(int kind);
    const char *(*name)(int kind, int index);
    const char *(*text)(int status);
    void *(*make)(void);
    void (*end)(void *handle);
    int (*start)(void *handle);
    int (*get)(void *handle, const unsigned *reference, int count, double *value);
    int (*set)(void *handle, const unsigned *reference, int count, const double *value);
    int (*step)(void *handle, double h);
    int (*run)(void *handle, double t_end, double h, long every, const unsigned *reference, int count, double *table,
               long rows, long *made);
} functions;

typedef struct {
    void *handle;
    void (*end)(void *handle);
} instance;

static const functions *library(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }
static void *handle(lua_State *L) { return ((instance *)luaL_checkudata(L, 1, "carom.instance"))->handle; }

static int answer(lua_State *L, int status)
{
    lua_pushinteger(L, status);
    return 1;
}

static int count(lua_State *L) { return answer(L, library(L)->count((int)luaL_checkinteger(L, 1))); }
static int start(lua_State *L) { return answer(L, library(L)->start(handle(L))); }
static int step(lua_State *L) { return answer(L, library(L)->step(handle(L), luaL_checknumber(L, 2))); }

static int name(lua_State *L)
{
    lua_pushstring(L, library(L)->name((int)luaL_checkinteger(L, 1), (int)luaL_checkinteger(L, 2)));
    return 1;
}

static int text(lua_State *L)
{
    lua_pushstring(L, library(L)->text((int)luaL_checkinteger(L, 1)));
    return 1;
}

static int make(lua_State *L)
{
    instance *const i = lua_newuserdatauv(L, sizeof *i, 0);
    *i = (instance){library(L)->make(), library(L)->end};
    luaL_setmetatable(L, "carom.instance");
    return i->handle != NULL ? 1 : luaL_error(L, "out of memory");
}

static int end(lua_State *L)
{
    instance *const i = luaL_checkudata(L, 1, "carom.instance");
    i->end(i->handle);
    return 0;
}

static int run(lua_State *L)
{
    long made = 0;
    return answer(L, library(L)->run(handle(L), luaL_checknumber(L, 2), luaL_checknumber(L, 3), 1, NULL, 0, NULL, 0,
                                     &made));
}

static int get(lua_State *L)
{
    const unsigned reference = (unsigned)luaL_checkinteger(L, 2);
    double value = 0.0;
    if (library(L)->get(handle(L), &reference, 1, &value) != 0) {
        return luaL_error(L, "no such variable");
    }
    lua_pushnumber(L, value);
    return 1;
}

static int set(lua_State *L)
{
    const unsigned reference = (unsigned)luaL_checkinteger(L, 2);
    const double value = luaL_checknumber(L, 3);
    return answer(L, library(L)->set(handle(L), &reference, 1, &value));
}

static const luaL_Reg module[] = {{"count", count}, {"name", name}, {"text", text}, {"new", make}, {"start", start},
                                  {"step", step},   {"run", run},   {"get", get},   {"set", set},  {NULL, NULL}};

static int open(lua_State *L)
{
    void *const lib = dlopen(luaL_checkstring(L, 1), RTLD_NOW);
    if (lib == NULL) {
        return luaL_error(L, "%s", dlerror());
    }
    lua_newtable(L);
    functions *const f = lua_newuserdatauv(L, sizeof *f, 0);
#define FIND(member, symbol) *(void **)&f->member = dlsym(lib, "carom_library_" symbol)
    FIND(count, "count");
    FIND(name, "name");
    FIND(text, "text");
    FIND(make, "new");
    FIND(end, "free");
    FIND(start, "start");
    FIND(get, "get");
    FIND(set, "set");
    FIND(step, "step");
    FIND(run, "run");
#undef FIND
    if (f->count == NULL || f->run == NULL) {
        return luaL_error(L, "this is no library of carom gen --target lib");
    }
    luaL_setfuncs(L, module, 1);
    return 1;
}

int luaopen_flat(lua_State *L);
int luaopen_flat(lua_State *L)
{
    luaL_newmetatable(L, "carom.instance");
    lua_pushcfunction(L, end);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, open);
    return 1;
}
