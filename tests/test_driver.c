/* The driver, run in a child process with a hand-made integrator: arguments, csv, json, failures, signals. */
#define _XOPEN_SOURCE 700

#include "fake_model.h"
#include "../runtime/driver/deform.h"
#include "suite.h"

#include <carom/driver.h>

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_SIZE = 1 << 16, ARGUMENTS_MAX = 24 };

static rlim_t file_limit = RLIM_INFINITY; /* of the driver */
static int in_parts; /* the model that makes its steps in parts */
static char folder[64];
static char out[TEXT_SIZE], err[TEXT_SIZE], csv[TEXT_SIZE];

static void make_folder(void)
{
    strcpy(folder, "/tmp/carom_driver_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        count += entry->d_name[0] != '.' && strcmp(entry->d_name, "stdout") != 0 &&
                 strcmp(entry->d_name, "stderr") != 0;
    }
    (void)closedir(dir);
    return count;
}

static void remove_folder(void)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            (void)unlink(entry->d_name);
        }
    }
    (void)closedir(dir);
    (void)rmdir(folder);
}

static void read_text(const char *name, char *text)
{
    size_t length = 0;
    FILE *file = fopen(name, "r");
    if (file != NULL) {
        length = fread(text, 1, TEXT_SIZE - 1, file);
        (void)fclose(file);
    }
    text[length] = '\0';
}

/* Starts the driver with the blank-separated arguments in a child whose output goes to two files. */
static pid_t start(const char *arguments)
{
    pid_t child;
    (void)fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        char *argv[ARGUMENTS_MAX] = {"fake"};
        int argc = 1;
        char *copy = strdup(arguments);
        for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
            argv[argc++] = word;
        }
        if (freopen("stdout", "w", stdout) == NULL || freopen("stderr", "w", stderr) == NULL) {
            _exit(99);
        }
        const struct rlimit limit = {.rlim_cur = file_limit, .rlim_max = file_limit};
        if (file_limit != RLIM_INFINITY && setrlimit(RLIMIT_FSIZE, &limit) != 0) {
            _exit(98);
        }
        int code = carom_drive(in_parts ? fake_model_in_parts() : fake_model(), argc, argv);
        (void)fflush(NULL);
        _exit(code);
    }
    return child;
}

static int finish(pid_t child)
{
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    read_text("stdout", out);
    read_text("stderr", err);
    read_text("r.csv", csv);
    return WEXITSTATUS(status);
}

static int drive(const char *arguments)
{
    return finish(start(arguments));
}

static void has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' not found in: %s", part, text);
}

static int lines(const char *text)
{
    int count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

START_TEST(csv_has_header_and_rows)
{
    ck_assert_int_eq(drive("--result r.csv"), 0);
    ck_assert_str_eq(csv, "t,x,x.dot,ground.gap,ground.impulse,third,nothing,ground.friction,ground.status,rail.force,contacts.deepest\n"
                          "0,1,0.5,1,0,0.3333333333333333,nan,0,0,0,0\n"
                          "0.25,1.125,0.5,1.125,0.25,0.375,nan,0.0625,3,-2,0.125\n"
                          "0.5,1.25,0.5,1.25,0.5,0.4166666666666667,nan,0.125,3,-2,0.125\n"
                          "0.75,1.375,0.5,1.375,0.75,0.4583333333333333,nan,0.1875,3,-2,0.125\n"
                          "1,1.5,0.5,1.5,1,0.5,nan,0.25,3,-2,0.125\n");
    has(out, "ground.impulse       1 (total), gap 1.5, friction 0.25, slip\n");
    has(out, "contacts             1 of 1 press (0 stick, 1 slide); deepest penetration 0.125, ground at t = 0.25\n");
    has(out, "constraints          greatest force of the last step -2, rail\n");
    has(out, "fake with none: t = 1 after 4 steps of 0.25\n");
    has(out, "5 rows in r.csv");
    ck_assert_str_eq(err, "");
    ck_assert_int_eq(files_in_folder(), 1);
}
END_TEST

START_TEST(every_keeps_first_and_last)
{
    ck_assert_int_eq(drive("--result=r.csv --every 3 --quiet"), 0);
    ck_assert_int_eq(lines(csv), 4);
    has(csv, "\n0.75,");
    has(csv, "\n1,");
    ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(result_to_standard_output)
{
    ck_assert_int_eq(drive("--result -"), 0);
    ck_assert_int_eq(lines(out), 6);
    ck_assert_int_eq(strncmp(out, "t,x,", 4), 0);
    has(err, "after 4 steps");
}
END_TEST

START_TEST(links_are_replaced_and_devices_are_not)
{
    static const char *const names[] = {"r.csv", "report", "record"};
    struct stat about;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ck_assert_int_eq(symlink("target", names[i]), 0);
    }
    FILE *file = fopen("target", "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs("mine", file);
    (void)fclose(file);
    ck_assert_int_eq(drive("--result r.csv --report report --record record --quiet"), 0);
    ck_assert_int_eq(lines(csv), 6);
    read_text("target", out);
    ck_assert_str_eq(out, "mine");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ck_assert_int_eq(lstat(names[i], &about), 0);
        ck_assert(S_ISREG(about.st_mode));
    }
    ck_assert_int_eq(symlink("/dev/null", "sink"), 0);
    ck_assert_int_eq(drive("--result /dev/null --report sink --quiet"), 0);
    ck_assert_int_eq(lstat("sink", &about), 0);
    ck_assert(S_ISLNK(about.st_mode));
    ck_assert_int_eq(lstat("/dev/null", &about), 0);
    ck_assert(S_ISCHR(about.st_mode));
    ck_assert_int_eq(drive("--result /dev/stdout --quiet"), 0); /* a regular file behind links, but not ours to replace */
    ck_assert_int_eq(lines(out), 6);
}
END_TEST

/* Nothing may be left under its own name when the disk is full; the limit on file sizes stands for that. */
START_TEST(full_disk_leaves_no_half_file)
{
    file_limit = 600; /* enough for the messages and the report */
    ck_assert_int_eq(drive("--result r.csv --report report --until 1e9 --step 1 --quiet"), 3); /* it ends at once */
    has(err, "cannot write r.csv: File too large");
    ck_assert_int_eq(access("r.csv", F_OK), -1);
    ck_assert_int_eq(files_in_folder(), 1); /* the report, which tells it */
    read_text("report", out);
    has(out, "error: cannot write r.csv");
    file_limit = 80;
    ck_assert_int_eq(unlink("report"), 0);
    ck_assert_int_eq(drive("--report report --quiet"), 3);
    has(err, "cannot write report");
    ck_assert_int_eq(files_in_folder(), 0);
    file_limit = RLIM_INFINITY;
    ck_assert_int_eq(drive("--report /dev/full --json"), 3);
    has(out, "\"status\":\"error\",\"message\":\"cannot write /dev/full");
}
END_TEST

START_TEST(json_object_has_the_fields_in_order)
{
    ck_assert_int_eq(drive("--json --result r.csv"), 0);
    has(out, "{\"model\":\"fake\",\"scheme\":\"none\",\"status\":\"ok\",\"t\":1.0,\"steps\":4,\"q\":{\"x\":1.5},"
             "\"v\":{\"x\":0.5},\"impulse\":{\"ground\":1.0},\"outputs\":{\"third\":0.5,\"nothing\":null},"
             "\"friction\":{\"ground.friction\":0.25},\"contacts\":{\"ground\":\"slip\"},\"force\":{\"rail\":-2.0,\"ground\":1.0},"
             "\"deepest\":{\"contact\":\"ground\",\"depth\":0.125,\"t\":0.25},"
             "\"counts\":{\"evaluations\":8,\"contact_solves\":4,\"events\":0},\"cpu_seconds\":");
    has(out, ",\"files\":{\"result\":\"r.csv\"}}\n");
    ck_assert_int_eq(lines(out), 1);
    ck_assert_str_eq(err, "");
}
END_TEST

START_TEST(record_and_report_go_to_files)
{
    ck_assert_int_eq(drive("--record a.json --report b.txt --quiet"), 0);
    ck_assert_str_eq(out, "");
    read_text("a.json", csv);
    has(csv, "\"files\":{}}\n");
    read_text("b.txt", csv);
    has(csv, "4 steps");
}
END_TEST

START_TEST(set_reaches_parameters_states_and_inputs)
{
    ck_assert_int_eq(drive("--json --set x=2 --set x.dot=-1 --set=push=4 --set limit=1e3"), 0);
    has(out, "\"q\":{\"x\":2.5}"); /* 2 - (4 * 0.25) + 4*0.25*0.25*(0+1+2+3) */
    has(out, "\"v\":{\"x\":3.0}");
    ck_assert_int_eq(drive("--json --until 0.25 --set x.dot=-1"), 0); /* places that are not given stay */
    has(out, "\"q\":{\"x\":0.75}");
    ck_assert_int_eq(drive("--set limit=1.25"), 1);
}
END_TEST

START_TEST(steps_are_counted_with_tolerance)
{
    ck_assert_int_eq(drive("--json --until 4 --step 0.009828009828009828"), 0); /* 4/407 */
    has(out, "\"steps\":407,");
    ck_assert_int_eq(drive("--json --until 1 --step 0.4"), 0);
    has(out, "\"t\":1.0,\"steps\":3,");
    ck_assert_int_eq(drive("--json --until 0"), 0);
    has(out, "\"t\":0.0,\"steps\":0,");
    ck_assert_int_eq(drive("--json --until 0.1 --step 1"), 0);
    has(out, "\"t\":0.1,\"steps\":1,");
}
END_TEST

START_TEST(long_runs_take_many_batches)
{
    ck_assert_int_eq(drive("--json --until 20000 --result r.csv --every 1"), 0);
    has(out, "\"t\":20000.0,\"steps\":80000,");
    ck_assert_int_eq(drive("--json --until 2e6"), 0);
    has(out, "\"steps\":8000000,");
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"--stop 1", "unknown option --stop"},
        {"--until", "--until needs a value"},
        {"--until 1x", "--until 1x is not a finite number"},
        {"--until inf", "not a finite number"},
        {"--until -1", "--until -1 lies before the start"},
        {"--step 0", "--step 0 is not a positive number"},
        {"--step 1e-300", "would take"},
        {"--every 1.5", "whole number"},
        {"--set x", "write --set name=value"},
        {"--set x=", "'' is not a finite number"},
        {"--set x=1e400", "'1e400' is not a finite number"},
        {"--set z=1", "fake has no parameter, input, coordinate or velocity of that name"},
        {"--json --result -", "both want standard output"},
        {"--set x=-0.5", "a contact penetrates in the initial configuration (contact ground, gap -0.5)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char arguments[256];
        (void)snprintf(arguments, sizeof arguments, "--result r.csv %s", cases[i].arguments);
        ck_assert_int_eq(drive(arguments), 2);
        has(strstr(arguments, "--json") ? out : err, cases[i].message);
        ck_assert_int_eq(files_in_folder(), 0);
        (void)snprintf(arguments, sizeof arguments, "--json %s", cases[i].arguments);
        ck_assert_int_eq(drive(arguments), 2);
        has(out, "{\"model\":\"fake\",\"scheme\":\"none\",\"status\":\"error\",\"message\":\"");
        has(out, cases[i].message);
        ck_assert_str_eq(err, "");
    }
}
END_TEST

START_TEST(failed_step_names_its_cause_and_keeps_the_rows)
{
    ck_assert_int_eq(drive("--result r.csv --set limit=1.25"), 1);
    has(err, "carom: error: step 3 from t = 0.5 with h = 0.25 failed: the contact problem was not solved to tolerance; "
             "try a smaller step (contact ground, residual 0.125)\n");
    ck_assert_int_eq(lines(csv), 4);
    ck_assert_int_eq(drive("--result r.csv --set limit=1.25 --json"), 1);
    has(out, "\"status\":\"error\",\"message\":\"step 3 from");
    has(out, "\"contact\":\"ground\",\"residual\":0.125,\"t\":0.5,\"steps\":2,\"q\":{\"x\":"); /* where it started from */
    has(out, ",\"files\":{\"result\":\"r.csv\"}}\n");
}
END_TEST

START_TEST(unwritable_result_is_an_environment_error)
{
    ck_assert_int_eq(drive("--result no/such/r.csv"), 3);
    has(err, "cannot write no/such/r.csv");
    ck_assert_int_eq(drive("--result /dev/full"), 3);
    has(err, "cannot write /dev/full");
    ck_assert_int_eq(drive("--result ."), 3);
}
END_TEST

static void nap(long milliseconds)
{
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    (void)nanosleep(&pause, NULL);
}

START_TEST(interrupt_keeps_the_rows)
{
    static const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        pid_t child = start("--result r.csv --until 1000 --set delay=0.002 --record a.json");
        nap(150);
        ck_assert_int_eq(access("r.csv", F_OK), i == 0 ? -1 : 0); /* the name comes at the end */
        ck_assert_int_eq(kill(child, signals[i]), 0);
        ck_assert_int_eq(finish(child), 128 + signals[i]);
        has(err, "carom: stopped by a signal at t = ");
        has(err, "the results so far are kept");
        ck_assert_int_gt(lines(csv), 3);
        ck_assert_int_eq(csv[strlen(csv) - 1], '\n');
        ck_assert_int_eq(files_in_folder(), 2);
        read_text("a.json", csv);
        has(csv, "\"status\":\"interrupted\",\"message\":\"stopped by a signal at t = ");
    }
}
END_TEST

START_TEST(second_interrupt_leaves_nothing)
{
    pid_t child = start("--result r.csv --until 1000 --set delay=5");
    nap(100);
    (void)kill(child, SIGINT);
    nap(50);
    ck_assert_int_eq(files_in_folder(), 1); /* still inside its long step */
    (void)kill(child, SIGINT);
    ck_assert_int_eq(finish(child), 130);
    ck_assert_int_eq(files_in_folder(), 0);
}
END_TEST

static void copy(const char *from, const char *to, size_t damaged)
{
    static char bytes[TEXT_SIZE];
    FILE *file = fopen(from, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    bytes[damaged] ^= damaged > 0 ? 1 : 0;
    file = fopen(to, "wb");
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    (void)fclose(file);
}

/* Half of a run, then the rest from its checkpoint: the rows of the whole, byte for byte. */
START_TEST(a_checkpoint_goes_on_to_the_same_bits)
{
    static char whole[TEXT_SIZE];
    ck_assert_int_eq(drive("--result r.csv --until 3.1 --step 0.1 --every 4 --set push=0.3 --quiet"), 0);
    memcpy(whole, csv, sizeof whole);
    ck_assert_int_eq(drive("--result r.csv --until 1.5 --step 0.1 --every 4 --set push=0.3 --checkpoint state"), 0);
    has(out, "the state is in state: --resume goes on from there\n");
    ck_assert_int_eq(files_in_folder(), 2);
    ck_assert_int_eq(drive("--result r.csv --until 3.1 --step 0.1 --every 4 --set push=0.3 --resume state --json"), 0);
    ck_assert_str_eq(csv, whole);
    has(out, "\"steps\":31,");
    /* a short last step is off the grid of times: steps go on from there */
    ck_assert_int_eq(drive("--until 0.6 --checkpoint state --quiet"), 0);
    ck_assert_int_eq(drive("--until 1.2 --resume state --json"), 0);
    has(out, "\"t\":1.2");
    has(out, ",\"steps\":6,");
    /* and a run that was killed left its rows under the name that they had */
    ck_assert_int_eq(unlink("r.csv"), 0);
    const pid_t child =
        start("--result r.csv --until 3.1 --step 0.1 --every 4 --set push=0.3 --set delay=0.02 --checkpoint state --checkpoint-minutes 1e-9");
    nap(400);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(access("r.csv", F_OK), -1);
    ck_assert_int_eq(drive("--result r.csv --until 3.1 --step 0.1 --every 4 --set push=0.3 --set delay=0.02 --resume state --quiet"), 0);
    ck_assert_str_eq(csv, whole);
    char half[64]; /* of a checkpoint that was being written when the run was killed */
    (void)snprintf(half, sizeof half, "state.%ld.part", (long)child);
    (void)unlink(half);
    (void)unlink("state.part");
    ck_assert_int_eq(files_in_folder(), 2); /* and nothing under another name */
}
END_TEST

START_TEST(an_interrupted_run_goes_on)
{
    static char whole[TEXT_SIZE];
    ck_assert_int_eq(drive("--result r.csv --until 20 --set delay=0.005 --quiet"), 0);
    memcpy(whole, csv, sizeof whole);
    static const char *const arguments[] = {"--result r.csv --until 20 --set delay=0.005 --checkpoint state",
                                            "--result r.csv --until 20 --set delay=0.005 --stopped state"};
    for (int i = 0; i < 2; i++) {
        const pid_t child = start(arguments[i]);
        nap(150);
        ck_assert_int_eq(kill(child, SIGINT), 0);
        ck_assert_int_eq(finish(child), 130);
        has(err, "; the results so far are kept; go on with --resume state\n");
        ck_assert_int_lt(lines(csv), lines(whole));
        ck_assert_int_eq(drive("--result r.csv --until 20 --set delay=0.005 --resume state --quiet"), 0);
        ck_assert_str_eq(csv, whole);
        ck_assert_int_eq(unlink("state"), 0);
        ck_assert_int_eq(drive("--result r.csv --until 20 --stopped state --quiet"), 0);
        ck_assert_int_eq(access("state", F_OK), -1); /* a run that comes to its end is not stopped */
    }
}
END_TEST

/* Steps that are made in parts: it stops, and goes on, within one. */
START_TEST(a_step_in_parts_goes_on_where_it_was)
{
    static char whole[TEXT_SIZE];
    in_parts = 1;
    ck_assert_int_eq(drive("--result r.csv --until 4 --step 0.75 --set delay=0.001 --quiet"), 0);
    memcpy(whole, csv, sizeof whole);
    const pid_t child = start("--result r.csv --until 4 --step 0.75 --set delay=0.001 --checkpoint state --json");
    nap(150);
    ck_assert_int_eq(kill(child, SIGINT), 0);
    ck_assert_int_eq(finish(child), 130);
    double t = 0.0;
    ck_assert_int_eq(sscanf(strstr(out, "\"t\":"), "\"t\":%lf", &t), 1);
    ck_assert_msg(t > 0.0 && t < 4.0, "t = %g", t); /* mostly within a step */
    ck_assert_int_eq(drive("--result r.csv --until 4 --step 0.75 --set delay=0.001 --resume state --json"), 0);
    has(out, ",\"steps\":6,");
    ck_assert_str_eq(csv, whole);
    in_parts = 0;
}
END_TEST

START_TEST(foreign_and_damaged_checkpoints_are_refused)
{
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"--resume no", "cannot read the checkpoint no"},
        {"--resume r.csv", "r.csv is not a checkpoint"},
        {"--resume short", "short is not a whole checkpoint"},
        {"--resume state --step 0.2", "state has step 0.25, this run has 0.20000000000000001; say --step 0.25"},
        {"--resume state --set limit=7", "state has limit = 1000000000, this run has 7"},
        {"--resume state --set x=2", "state is of a run with other initial values or inputs; give the same --set"},
        {"--resume state --set push=1", "state is of a run with other initial values or inputs; give the same --set"},
        {"--resume state --until 0.25", "--until 0.25 lies before the start, t = 1"},
        {"--resume damaged", "damaged is damaged: its checksum is not that of what it holds"},
        {"--resume other", "other belongs to another model or scheme"},
        {"--resume petsc", "petsc is of a run on PETSc; take the same --path"},
    };
    ck_assert_int_eq(drive("--result r.csv --checkpoint state --quiet"), 0);
    FILE *file = fopen("short", "w");
    ck_assert(fputs("carom state 4\n", file) >= 0 && fclose(file) == 0);
    copy("state", "damaged", 300);
    copy("state", "other", 22); /* the digest of the model begins there */
    copy("state", "petsc", 0);
    file = fopen("petsc", "r+");
    ck_assert(fseek(file, 16, SEEK_SET) == 0 && fputs("PETSc", file) >= 0 && fclose(file) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(drive(cases[i].arguments), 2);
        has(err, cases[i].message);
    }
    ck_assert_int_eq(drive("--checkpoint no/such/state --quiet"), 3);
    has(err, "cannot write no/such/state");
}
END_TEST

START_TEST(progress_when_asked_for)
{
    ck_assert_int_eq(drive("--progress --until 150 --set delay=0.002 --quiet"), 0);
    ck_assert_str_eq(err, "");
    ck_assert_int_eq(drive("--progress --until 170 --set delay=0.002"), 0);
    has(err, "step ");
    has(err, " of 680, t = ");
    has(err, " s left\n");
}
END_TEST

/* F = R U of known parts: what is found is what was put in. */
START_TEST(deformation_is_taken_apart)
{
    const double angle = 0.7, axis[3] = {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0}, stretch[3] = {1.25, 0.9, 1.1};
    double R[3][3], H[9], strain, rotation;
    for (int i = 0; i < 3; i++) { /* Rodrigues */
        for (int j = 0; j < 3; j++) {
            const int k = 3 - i - j;
            const double cross = i == j ? 0.0 : ((j - i + 3) % 3 == 1 ? -axis[k] : axis[k]);
            R[i][j] = (i == j ? cos(angle) : 0.0) + sin(angle) * cross + (1.0 - cos(angle)) * axis[i] * axis[j];
        }
    }
    for (int i = 0; i < 9; i++) {
        H[i] = R[i / 3][i % 3] * stretch[i % 3] - (i % 4 == 0 ? 1.0 : 0.0);
    }
    carom_deform_gradient(3, H, &strain, &rotation);
    ck_assert_double_eq_tol(strain, 0.25, 1e-12);
    ck_assert_double_eq_tol(rotation, angle, 1e-12);
    const double plane[4] = {cos(2.5) * 1.1 - 1.0, -sin(2.5) * 0.7, sin(2.5) * 1.1, cos(2.5) * 0.7 - 1.0};
    carom_deform_gradient(2, plane, &strain, &rotation);
    ck_assert_double_eq_tol(strain, 0.3, 1e-12);
    ck_assert_double_eq_tol(rotation, 2.5, 1e-12);
}
END_TEST

START_TEST(help_lists_the_names)
{
    ck_assert_int_eq(drive("--help"), 0);
    has(out, "--every N");
    has(out, "parameters: limit delay\n");
    has(out, "velocities: x.dot\n");
}
END_TEST

int main(void)
{
    const TTest *tests[] = {
        csv_has_header_and_rows, every_keeps_first_and_last, result_to_standard_output,
        links_are_replaced_and_devices_are_not, full_disk_leaves_no_half_file, json_object_has_the_fields_in_order, record_and_report_go_to_files,
        set_reaches_parameters_states_and_inputs, steps_are_counted_with_tolerance, long_runs_take_many_batches,
        wrong_arguments_are_refused,
        failed_step_names_its_cause_and_keeps_the_rows, unwritable_result_is_an_environment_error,
        interrupt_keeps_the_rows, a_checkpoint_goes_on_to_the_same_bits, an_interrupted_run_goes_on, a_step_in_parts_goes_on_where_it_was,
        foreign_and_damaged_checkpoints_are_refused, second_interrupt_leaves_nothing, progress_when_asked_for, deformation_is_taken_apart, help_lists_the_names,
    };
    TCase *all = tcase_create("driver");
    tcase_add_checked_fixture(all, make_folder, remove_folder);
    tcase_set_timeout(all, 30);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        tcase_add_test(all, tests[i]);
    }
    return run_suite("driver", all);
}
