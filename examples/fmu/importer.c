/* Opens a unit of FMI 3.0 and runs it, as simulation tools do. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *instance;

static void *library;

static void *function(const char *name)
{
    void *const f = dlsym(library, name);
    if (f == NULL) {
        fprintf(stderr, "the unit has no %s\n", name);
        exit(1);
    }
    return f;
}

static void need(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "%s was refused (%d)\n", what, status);
        exit(1);
    }
}

static void message(void *environment, int status, const char *category, const char *text)
{
    (void)environment;
    (void)status;
    printf("%s: %s\n", category, text);
}

int main(void)
{
    enum { GRAVITY = 1000001, HEIGHT = 3000000 }; /* value references: see modelDescription.xml */
    library = dlopen(LIBRARY, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    instance (*const make)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
        void (*)(void *, int, const char *, const char *), void *) = (instance(*)(const char *, const char *, const char *, bool, bool, bool,
        bool, const uint32_t *, size_t, void *, void (*)(void *, int, const char *, const char *), void *))function("fmi3InstantiateCoSimulation");
    int (*const enter)(instance, bool, double, double, bool, double) =
        (int (*)(instance, bool, double, double, bool, double))function("fmi3EnterInitializationMode");
    int (*const leave)(instance) = (int (*)(instance))function("fmi3ExitInitializationMode");
    int (*const step)(instance, double, double, bool, bool *, bool *, bool *, double *) =
        (int (*)(instance, double, double, bool, bool *, bool *, bool *, double *))function("fmi3DoStep");
    int (*const get)(instance, const uint32_t *, size_t, double *, size_t) =
        (int (*)(instance, const uint32_t *, size_t, double *, size_t))function("fmi3GetFloat64");
    int (*const set)(instance, const uint32_t *, size_t, const double *, size_t) =
        (int (*)(instance, const uint32_t *, size_t, const double *, size_t))function("fmi3SetFloat64");
    const uint32_t gravity = GRAVITY, height = HEIGHT;
    const double moon = 1.62;

    instance ball = make("ball", TOKEN, NULL, false, false, false, false, NULL, 0, NULL, message, NULL);
    if (ball == NULL) {
        return 1;
    }
    need(enter(ball, false, 0.0, 0.0, true, 4.0), "the start");
    need(leave(ball), "the start");
    for (int k = 0; k < 400; ++k) {
        bool event, ends, early;
        double last, x;
        if (k == 200) {
            puts("from here on the Moon");
            need(set(ball, &gravity, 1, &moon, 1), "a parameter");
        }
        need(step(ball, 0.01 * k, 0.01, true, &event, &ends, &early, &last), "a step");
        if (k % 100 == 99) {
            need(get(ball, &height, 1, &x, 1), "an output");
            printf("t = %.1f s: height %.4f m\n", 0.01 * (k + 1), x);
        }
    }
    need(((int (*)(instance))function("fmi3Terminate"))(ball), "the end");
    ((void (*)(instance))function("fmi3FreeInstance"))(ball);
    return 0;
}
