/* Fails the n-th allocation of a program (CAROM_FAIL=n; with CAROM_FAIL_ON=1 all after it as well): linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc. At the end CAROM_FAIL_COUNT names a file that gets how many there
 * were. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long made;

static void tell(void)
{
    const char *name = getenv("CAROM_FAIL_COUNT");
    FILE *file = name != NULL ? fopen(name, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld\n", made);
        fclose(file);
    }
}

static int refused(void)
{
    const char *which = getenv("CAROM_FAIL"), *on = getenv("CAROM_FAIL_ON");
    const long n = which != NULL ? atol(which) : 0;
    if (made == 0) {
        atexit(tell);
    }
    made++;
    if (n > 0 && (made == n || (made > n && on != NULL))) {
        errno = ENOMEM; /* as POSIX has it */
        return 1;
    }
    return 0;
}

void *__wrap_malloc(size_t size) { return refused() ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size) { return refused() ? NULL : __real_calloc(count, size); }

void *__wrap_realloc(void *old, size_t size) { return refused() ? NULL : __real_realloc(old, size); }
