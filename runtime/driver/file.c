/* Files that get their names when they are whole. */
#define _XOPEN_SOURCE 700

#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Devices, pipes and the names of open files in /dev and /proc cannot be replaced. */
static int in_place(const char *path)
{
    struct stat about;
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) {
        return 1;
    }
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

int carom_file_renamed(const char *path) { return strcmp(path, "-") != 0 && !in_place(path); }

static int choose_names(carom_file *file, const char *path)
{
    const size_t size = strlen(path) + 32;
    file->path = strdup(path);
    file->temporary = malloc(size);
    if (file->path == NULL || file->temporary == NULL) {
        return -1;
    }
    if (file->lasting) {
        (void)snprintf(file->temporary, size, "%s.part", path);
    } else {
        (void)snprintf(file->temporary, size, "%s.%ld.part", path, (long)getpid());
    }
    return 0;
}

static int open_file(carom_file *file, const char *path, int lasting)
{
    *file = (carom_file){.lasting = lasting};
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        return 0;
    }
    if (!in_place(path) && choose_names(file, path) != 0) {
        carom_file_drop(file);
        errno = ENOMEM;
        return -1;
    }
    if (file->temporary != NULL) {
        (void)unlink(file->temporary); /* left by a run that was killed, or a link that somebody put there */
    }
    file->stream = fopen(file->temporary != NULL ? file->temporary : path, "w"); /* a folder fails here */
    if (file->stream == NULL) {
        const int why = errno;
        free(file->temporary);
        file->temporary = NULL;
        carom_file_drop(file);
        errno = why;
        return -1;
    }
    return 0;
}

int carom_file_open(carom_file *file, const char *path) { return open_file(file, path, 0); }

int carom_file_open_lasting(carom_file *file, const char *path) { return open_file(file, path, 1); }

int carom_file_settle(const carom_file *file)
{
    errno = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream) ||
        (file->lasting && file->temporary != NULL && fsync(fileno(file->stream)) != 0)) {
        errno = errno != 0 ? errno : EIO;
        return -1;
    }
    return 0;
}

int carom_file_keep(carom_file *file)
{
    int why = 0;
    if (file->stream == NULL) {
        errno = EBADF;
        return -1;
    }
    if (carom_file_settle(file) != 0) {
        why = errno;
    }
    if (file->stream != stdout && fclose(file->stream) != 0 && why == 0) {
        why = errno;
    }
    file->stream = NULL;
    if (why == 0 && file->temporary != NULL && rename(file->temporary, file->path) != 0) {
        why = errno;
    }
    if (why == 0) {
        free(file->temporary);
        file->temporary = NULL; /* it has its name now */
    }
    carom_file_drop(file);
    errno = why;
    return why == 0 ? 0 : -1;
}

void carom_file_drop(carom_file *file)
{
    if (file->stream != NULL && file->stream != stdout) {
        (void)fclose(file->stream);
    }
    if (file->temporary != NULL && !file->lasting) {
        (void)unlink(file->temporary);
    }
    free(file->temporary);
    free(file->path);
    *file = (carom_file){0};
}
