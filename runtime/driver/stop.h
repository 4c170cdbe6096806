/* Signals and the clock of a run: Ctrl-C or a polite kill ends it after the current step; asked twice it ends at once.
 * Private to the runtime. */
#ifndef CAROM_DRIVER_STOP_H
#define CAROM_DRIVER_STOP_H

/* Catches SIGINT, SIGTERM, SIGHUP and SIGUSR1 (which mpiexec hands on to its ranks); what was ignored stays ignored. */
void carom_stop_catch(void);

/* The signal that asked for the end; 0: none did. */
int carom_stop_asked(void);

/* As if that signal had come. */
void carom_stop_ask(int number);

/* A file to remove when the run ends at once; NULL: none. */
void carom_stop_removes(const char *path);

/* Seconds by the clock on the wall, and of this process on the processor. */
double carom_wall_seconds(void);
double carom_cpu_seconds(void);

#endif
