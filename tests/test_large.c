/* runtime/petsc on hand-written models (large_models.c): known answers, ranks, checkpoints, files, messages. The test runs itself as
 * the program of a model, under mpiexec where more than one rank is wanted. */
#define _XOPEN_SOURCE 700

#include "../runtime/petsc/motion.h"
#include "large_models.h"
#include "suite.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 2000, COLUMNS = 24 };

static const char *self;
static char folder[64];
static double table[ROWS][COLUMNS];
static int rows;

static void make_folder(void)
{
    strcpy(folder, "/tmp/carom_large_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
    char command[128];
    ck_assert_int_eq(chdir("/"), 0);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Runs a model on so many ranks; returns its exit code. Output goes to the files out and err. */
static int run(int ranks, const char *model, int n, const char *arguments)
{
    char command[1024], start[128] = "OMPI_MCA_orte_create_session_dirs=false OMPI_MCA_sharedfp=^sm "; /* shares no folder */
    if (ranks > 1) {
        (void)snprintf(start, sizeof start, "mpiexec --oversubscribe -n %d ", ranks);
    }
    (void)snprintf(command, sizeof command, "%s%s program %s %d %s >out 2>err", start, self, model, n, arguments);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *text_of(const char *name)
{
    static char text[1 << 20];
    FILE *file = fopen(name, "r");
    size_t length = 0;
    if (file != NULL) {
        length = fread(text, 1, sizeof text - 1, file);
        (void)fclose(file);
    }
    text[length] = '\0';
    return text;
}

static void read_table(const char *name)
{
    FILE *file = fopen(name, "r");
    char line[2048];
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    for (rows = 0; rows < ROWS && fgets(line, sizeof line, file) != NULL; rows++) {
        char *at = line;
        for (int c = 0; c < COLUMNS && *at != '\0'; c++) {
            table[rows][c] = strtod(at, &at);
            at += *at == ',' ? 1 : 0;
        }
    }
    (void)fclose(file);
}

/* the bar's columns: t, tip.x, tip.x.dot, kinetic, elastic, energy, wall.force, wall.impulse, wall.closed */
enum { T, TIP, TIP_RATE, KINETIC, ELASTIC, ENERGY, FORCE, IMPULSE };

/* duration 2L/c, plateau rho c v0 S, impulse 2 rho S L v0 */
static void check_bar(double duration, double force, double impulse)
{
    const double c = sqrt(210e9 / 7800), S = 3.14e-4, plateau = 7800 * c * 0.1 * S;
    double first = 0, last = 0, sum = 0;
    int count = 0;
    for (int i = 1; i < rows; i++) {
        if (table[i][FORCE] > 0.5 * plateau) {
            first = first > 0 ? first : table[i - 1][T];
            last = table[i][T];
        }
    }
    for (int i = 1; i < rows; i++) { /* the middle half of the plateau */
        if (table[i][T] > first + 0.5e-4 && table[i][T] < last - 0.5e-4) {
            sum += table[i][FORCE];
            count++;
        }
    }
    ck_assert_double_eq_tol(last - first, 2 / c, duration * 2 / c);
    ck_assert_double_eq_tol(sum / count, plateau, force * plateau);
    ck_assert_double_eq_tol(table[rows - 1][IMPULSE], 2 * 7800 * S * 0.1, impulse);
}

START_TEST(bar_impact)
{
    ck_assert_int_eq(run(1, "bar", 100, "--set speed=0.1 --result bar.csv"), 0);
    read_table("bar.csv");
    ck_assert_int_eq(rows, 601);
    check_bar(0.02, 0.005, 0.01);
    for (int i = 1; i < rows; i++) { /* e = 0, theta = 1/2: energy is never created */
        ck_assert_double_le(table[i][ENERGY], table[i - 1][ENERGY] * (1 + 1e-8));
    }
}
END_TEST

START_TEST(bar_explicit)
{
    ck_assert_int_eq(run(1, "bar_explicit", 100, "--set speed=0.1 --result bar.csv"), 0);
    read_table("bar.csv");
    check_bar(0.02, 0.005, 0.01);
    ck_assert_double_le(table[rows - 1][ENERGY], table[0][ENERGY]);
}
END_TEST

START_TEST(rubber_bar)
{
    ck_assert_int_eq(run(1, "rubber", 50, "--set speed=20 --set E=1e6 --set rho=1000 --step 1e-4 --until 0.15 --result rubber.csv"), 0);
    read_table("rubber.csv");
    ck_assert_double_gt(table[rows - 1][TIP_RATE], 0); /* it has bounced */
    ck_assert_double_gt(table[rows - 1][TIP], 0);
    double elastic = 0;
    for (int i = 1; i < rows; i++) {
        elastic = fmax(elastic, table[i][ELASTIC]);
        ck_assert_double_le(table[i][ENERGY], table[0][ENERGY] * 1.02); /* the midpoint-like rule holds it nearly */
    }
    ck_assert_double_gt(elastic, 0.5 * table[0][KINETIC]);
}
END_TEST

/* A linear field of velocity on the boundary is that of the whole body, whatever the cells look like. */
START_TEST(patch)
{
    for (int ranks = 1; ranks <= 2; ranks++) {
        ck_assert_int_eq(run(ranks, "patch", 5, "--result patch.csv -- -carom_contact_tol 1e-13"), 0);
        read_table("patch.csv");
        const double *x0 = table[0] + 1, *v0 = table[0] + 4, *x = table[rows - 1] + 1, *v = table[rows - 1] + 4;
        for (int c = 0; c < 3; c++) {
            ck_assert_double_eq_tol(v[c], v0[c], 1e-10);
            ck_assert_double_eq_tol(x[c], x0[c] + 1e-3 * v0[c], 1e-10);
        }
    }
}
END_TEST

/* A column under uniform pressure: force E strain A. */
START_TEST(contact_patch)
{
    ck_assert_int_eq(run(2, "press", 4, "--set nu=0 --result press.csv --frames 1 -- -carom_contact_tol 1e-12"), 0);
    read_table("press.csv");
    ck_assert_double_eq_tol(table[rows - 1][10], 210e9 * 0.95e-3, 210e9 * 1e-3 * 1e-9); /* mean over the last of ten steps */
    ck_assert_int_eq((int)table[rows - 1][12], 25);
    ck_assert_double_eq_tol(table[rows - 1][6], -0.5, 1e-10);
}
END_TEST

static void check_momentum(void)
{
    const char *at = strstr(text_of("record"), "\"momentum_imbalance\":");
    ck_assert_ptr_nonnull(at);
    ck_assert_double_le(strtod(at + strlen("\"momentum_imbalance\":"), NULL), 1e-7);
    ck_assert_ptr_nonnull(strstr(text_of("record"), "\"unsolved\":0"));
}

START_TEST(blocks)
{
    static const struct {
        const char *name, *arguments;
        double tolerance;
    } cases[] = {
        {"cube", "", 1e-6}, {"cube", "--set friction=0.3", 1e-5}, {"tets", "", 1e-6}, {"cube_explicit", "", 1e-9},
        {"cube_explicit", "--set friction=0.3", 1e-9}, {"heavy", "--set friction=0.3", 1e-5},
    };
    char arguments[256];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double one[COLUMNS];
        (void)snprintf(arguments, sizeof arguments, "%s --record record --result one.csv", cases[k].arguments);
        ck_assert_int_eq(run(1, cases[k].name, 6, arguments), 0);
        check_momentum();
        read_table("one.csv");
        memcpy(one, table[rows - 1], sizeof one);
        for (int i = 1; i < rows && k < 3; i++) { /* columns t, middle 3, rates 3, kinetic, elastic, energy */
            ck_assert_double_le(table[i][9], table[i - 1][9] * (1 + 1e-7));
        }
        (void)snprintf(arguments, sizeof arguments, "%s --record record --result two.csv", cases[k].arguments);
        ck_assert_int_eq(run(2, cases[k].name, 6, arguments), 0);
        check_momentum();
        read_table("two.csv");
        for (int c = 1; c <= 6; c++) { /* one rank and two: place and velocity of a node */
            ck_assert_double_eq_tol(table[rows - 1][c], one[c], cases[k].tolerance);
        }
        ck_assert_double_eq_tol(table[rows - 1][11], one[11], cases[k].tolerance * one[11]); /* total impulse */
    }
}
END_TEST

/* A run in two parts is the run in one part, to the bit. */
static void check_resume(int ranks, const char *model, const char *arguments, const char *petsc)
{
    char command[256];
    (void)snprintf(command, sizeof command, "%s --until 8e-4 --checkpoint whole.state --result whole.csv %s", arguments, petsc);
    ck_assert_int_eq(run(ranks, model, 5, command), 0);
    (void)snprintf(command, sizeof command, "%s --until 4e-4 --checkpoint half.state --result half.csv %s", arguments, petsc);
    ck_assert_int_eq(run(ranks, model, 5, command), 0);
    (void)snprintf(command, sizeof command, "%s --until 8e-4 --resume half.state --checkpoint again.state --result half.csv %s", arguments, petsc);
    ck_assert_int_eq(run(ranks, model, 5, command), 0);
    ck_assert_int_eq(system("cmp -s whole.csv half.csv"), 0);
    ck_assert_int_eq(run(ranks, model, 6, "--step 1e-5 --resume half.state"), 2);
}

/* Momentum that nothing accounts for: not a good end, whatever the contact problems say. */
START_TEST(unbalanced)
{
    ck_assert_int_eq(run(1, "lie", 4, "--record record"), 1);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "the momentum balance is off by 0.069 of what acted"));
    ck_assert_ptr_nonnull(strstr(text_of("record"), "\"status\":\"error\""));
}
END_TEST

/* One contact node with mu = 0.5 and a bound of 0: what keeps the law and what does not. */
static const struct {
    double lambda[3], v[3]; /* normal first */
    int good;
} states[] = {
    {{0, 0, 0}, {1, 2, 3}, 1},          {{2, 0.5, -0.5}, {0, 0, 0}, 1},   {{2, -0.6, -0.8}, {0, 3, 4}, 1}, {{2, -0.6, -0.8}, {1e-8, 3, 4}, 1},
    {{-1, 0, 0}, {0, 0, 0}, 0},         {{0, 0, 0}, {-1, 0, 0}, 0},       {{1, 0, 0}, {1, 0, 0}, 0},       {{2, 0.8, 0.8}, {0, 0, 0}, 0},
    {{2, 0.6, 0.8}, {0, 3, 4}, 0},      {{2, -0.3, -0.4}, {0, 3, 4}, 0},  {{2, -0.6, 0.8}, {0, 3, 4}, 0},  {{0, 0.1, 0}, {1, 0, 0}, 0},
    {{(double)NAN, 0, 0}, {0, 0, 0}, 0}, {{1, 0, 0}, {(double)NAN, 0, 0}, 0},
};

/* In a process of its own, which starts PETSc; returns the number of states that were judged wrongly. */
static int judge_states(void)
{
    int wrong = 0;
    if (PetscInitializeNoArguments() != 0) {
        return 99;
    }
    for (size_t k = 0; k < sizeof states / sizeof states[0]; k++) {
        static const double turned[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
        PetscInt node = 0, at[2] = {0, 1}, surface = 0, tie = -1, chosen = 0;
        PetscReal lo = 0, mu = 0.5, mass = 3, X[3] = {0}, frame[9], lambda[3], *v;
        PetscBool active = PETSC_TRUE, led = PETSC_FALSE;
        CaromSpace space = {.model = large_model("cube", 1), .d = 3, .mesh = {.comm = PETSC_COMM_SELF, .X = X}};
        CaromObstacles obstacles = {.space = &space, .d = 3, .n = 1, .node = &node, .at = at, .surface = &surface, .tie = &tie, .chosen = &chosen,
                                    .frame = frame, .lo = &lo, .mu = &mu, .lambda = lambda, .active = &active, .led = &led, .candidates = 1};
        CaromMotion motion = {.space = &space, .obstacles = &obstacles};
        CaromTrouble trouble = {0};
        PetscBool bad = (PetscBool)(VecCreateSeq(PETSC_COMM_SELF, 3, &motion.v) != 0 || VecDuplicate(motion.v, &space.mask) != 0 ||
                                    VecSet(space.mask, 1) != 0 || VecGetArray(motion.v, &v) != 0);
        memcpy(frame, turned, sizeof frame);
        memcpy(lambda, states[k].lambda, sizeof lambda);
        for (int c = 0; c < 3 && !bad; c++) {
            v[c] = turned[c] * states[k].v[0] + turned[3 + c] * states[k].v[1] + turned[6 + c] * states[k].v[2];
        }
        bad = (PetscBool)(bad || VecRestoreArray(motion.v, &v) != 0 ||
                          CaromLawCheck(&motion, 0, motion.v, motion.v, &mass, 0, &trouble) != 0);
        wrong += bad || (trouble.code == 0) != states[k].good || motion.law_broken != !states[k].good ? 1 : 0;
        (void)VecDestroy(&motion.v);
        (void)VecDestroy(&space.mask);
    }
    (void)PetscFinalize();
    return wrong;
}

START_TEST(law)
{
    ck_assert_int_eq(run(1, "law", 0, ""), 0);
}
END_TEST

START_TEST(resume)
{
    check_resume(1, "cube", "--step 4e-5 --set friction=0.3", "");
    check_resume(2, "cube", "--step 4e-5", "-- -carom_contact_type mprgp");
    check_resume(2, "cube", "--step 4e-5", "-- -carom_contact_type nsgs");
    check_resume(2, "cube_explicit", "--step 1e-5 --set friction=0.3", "");
}
END_TEST

START_TEST(interrupted)
{
    char *arguments[] = {(char *)(size_t)self, "program", "cube_explicit", "16", "--until", "10", "--checkpoint", "state", "--progress", NULL};
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        if (freopen("err", "w", stderr) != NULL && freopen("out", "w", stdout) != NULL) {
            execv(self, arguments);
        }
        _exit(9);
    }
    const struct timespec moment = {.tv_nsec = 50000000};
    for (int k = 0; k < 1000 && strstr(text_of("err"), "step ") == NULL; k++) { /* until it shows progress */
        (void)nanosleep(&moment, NULL);
    }
    ck_assert_int_eq(kill(child, SIGINT), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 130);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "--resume state"));
    ck_assert_int_eq(access("state", R_OK), 0);
}
END_TEST

/* Killed without notice: what the checkpoint has is on the disk, and the run that goes on has every row; damage is told. */
START_TEST(killed)
{
    char *arguments[] = {(char *)(size_t)self, "program", "cube_explicit", "6", "--step", "1e-5", "--until", "10", "--checkpoint", "state",
                         "--checkpoint-minutes", "0.0005", "--result", "k.csv", "--every", "3", NULL};
    char words[160];
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        if (freopen("err", "w", stderr) != NULL && freopen("out", "w", stdout) != NULL) {
            execv(self, arguments);
        }
        _exit(9);
    }
    const struct timespec moment = {.tv_nsec = 20000000};
    for (int k = 0; k < 2000 && access("state", R_OK) != 0; k++) {
        (void)nanosleep(&moment, NULL);
    }
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_ne(access("k.csv", R_OK), 0);
    ck_assert_int_eq(system("grep -c . k.csv.part >count"), 0);
    const int written = atoi(text_of("count")); /* header and every third step; some row may be cut */
    ck_assert_int_gt(written, 1);
    (void)snprintf(words, sizeof words, "--step 1e-5 --every 3 --until %.17g --resume state --result k.csv", 3e-5 * (written + 1));
    ck_assert_int_eq(run(1, "cube_explicit", 6, words), 0);
    (void)snprintf(words, sizeof words, "--step 1e-5 --every 3 --until %.17g --result whole.csv", 3e-5 * (written + 1));
    ck_assert_int_eq(run(1, "cube_explicit", 6, words), 0);
    ck_assert_int_eq(system("cmp k.csv whole.csv"), 0);
    ck_assert_int_ne(access("k.csv.part", F_OK), 0);
    static const char *const places[] = {"100", "300", "700", "3000"};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        char damage[160];
        (void)snprintf(damage, sizeof damage, "cp state bad && printf '\\125' | dd of=bad bs=1 seek=%s conv=notrunc 2>/dev/null", places[k]);
        ck_assert_int_eq(system(damage), 0);
        ck_assert_int_eq(run(1, "cube_explicit", 6, "--step 1e-5 --until 10 --resume bad"), 2);
    }
    ck_assert_ptr_nonnull(strstr(text_of("err"), "is damaged"));
    ck_assert_int_eq(run(1, "cube", 3, "--step 1e-4 --until 2e-4 --report /dev/full"), 3);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "cannot write /dev/full"));
}
END_TEST

START_TEST(pictures)
{
    ck_assert_int_eq(run(2, "cube", 4, "--frames 3 --frames-dir seen"), 0);
    ck_assert_ptr_nonnull(strstr(text_of("seen/cube.pvd"), "file=\"cube_0003.vtu\""));
    const char *text = text_of("seen/cube_0003.vtu");
    static const char *const fields[] = {"displacement", "velocity", "stress", "contact pressure", "contact status", "connectivity"};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        ck_assert_ptr_nonnull(strstr(text, fields[k]));
    }
    ck_assert_ptr_nonnull(strstr(text, "<Piece NumberOfPoints=\"150\" NumberOfCells=\"64\">")); /* of both ranks, 75 points each */
    ck_assert_ptr_nonnull(strstr(text, "</VTKFile>"));
}
END_TEST

/* Two tetrahedra and names, as gmsh writes them; the second time one of them inside out. */
static void write_mesh(int inverted)
{
    FILE *file = fopen("block.msh", "w");
    ck_assert_ptr_nonnull(file);
    fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"bottom\"\n3 2 \"solid\"\n$EndPhysicalNames\n", file);
    fputs("$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n", file);
    fprintf(file, "$Elements\n3\n1 2 2 1 1 1 2 3\n2 4 2 2 1 1 2 3 4\n3 4 2 2 1 %s 4\n$EndElements\n", inverted ? "2 3 5" : "2 5 3");
    (void)fclose(file);
}

START_TEST(mesh_files)
{
    write_mesh(0);
    ck_assert_int_eq(run(1, "file", 1, "--record record"), 0);
    check_momentum();
    ck_assert_int_eq(run(2, "file", 1, "--record record"), 0);
    check_momentum();
    write_mesh(1);
    ck_assert_int_eq(run(1, "file", 1, ""), 2);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "cell 2 is inverted"));
    (void)remove("block.msh");
    ck_assert_int_eq(run(1, "file", 1, ""), 2);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "the mesh block.msh of body block: it cannot be read: "));
}
END_TEST

START_TEST(messages)
{
    ck_assert_int_eq(run(1, "misspelt", 3, ""), 2);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "cube.lua:9: body block has no boundary \"bottm\"; it has left, right, near, far, bottom, top"));
    ck_assert_int_eq(run(1, "cube_explicit", 8, "--cfl 1.5"), 2);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "beyond the stability limit"));
    ck_assert_int_eq(run(1, "cube", 5000, ""), 3);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "GB free"));
    ck_assert_int_eq(run(1, "cube", 3, "--set weight=1"), 2);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "has no parameter, input, coordinate or velocity of that name"));
    ck_assert_int_eq(run(1, "cube", 3, "--fast"), 2);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "unknown option --fast"));
    ck_assert_int_eq(run(1, "cube", 3, "--json --step 1e-4 --until 2e-4"), 0);
    ck_assert_ptr_eq(strstr(text_of("out"), "{\"model\":\"cube\""), text_of("out"));
    /* a contact problem that cannot be solved to an impossible tolerance ends the run, unless that is accepted */
    ck_assert_int_eq(run(1, "cube", 4, "--set friction=0.3 -- -carom_contact_type tnn -carom_contact_tol 1e-30"), 1);
    ck_assert_ptr_nonnull(strstr(text_of("err"), "step 1 from t = 0 "));
    ck_assert_ptr_nonnull(strstr(text_of("err"), "worst at "));
    ck_assert_int_eq(run(1, "cube", 4, "--set friction=0.3 -- -carom_contact_type tnn -carom_contact_tol 1e-30 -carom_contact_accept"), 0);
    ck_assert_ptr_null(strstr(text_of("out"), "not solved 0"));
}
END_TEST

int main(int argc, char **argv)
{
    static char path[4096];
    if (argc > 3 && strcmp(argv[1], "program") == 0) {
        if (strcmp(argv[2], "law") == 0) {
            return judge_states();
        }
        const carom_large *model = large_model(argv[2], atoi(argv[3]));
        argv[3] = argv[0];
        return model != NULL ? carom_large_main(model, argc - 3, argv + 3) : 9;
    }
    if (realpath(argv[0], path) == NULL) {
        return 99;
    }
    self = path;
    (void)setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    (void)setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    (void)setenv("OMP_NUM_THREADS", "1", 1);
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
    TCase *tests = tcase_create("runs");
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, bar_impact);
    tcase_add_test(tests, bar_explicit);
    tcase_add_test(tests, rubber_bar);
    tcase_add_test(tests, patch);
    tcase_add_test(tests, contact_patch);
    tcase_add_test(tests, blocks);
    tcase_add_test(tests, unbalanced);
    tcase_add_test(tests, law);
    tcase_add_test(tests, resume);
    tcase_add_test(tests, interrupted);
    tcase_add_test(tests, killed);
    tcase_add_test(tests, pictures);
    tcase_add_test(tests, mesh_files);
    tcase_add_test(tests, messages);
    return run_suite("large", tests);
}
