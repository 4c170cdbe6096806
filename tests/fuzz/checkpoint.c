/* libFuzzer: checkpoint files of runs on PETSc. One run is made ready once; every input is then read as the checkpoint it should go on from.
 * It is refused with a message, or every number that goes on is finite. Half of the inputs get the checksum that belongs to them, so that what
 * stands behind it is reached as well. */
#include "../../runtime/petsc/main.c"
#include "../../runtime/petsc/checkpoint.c"
#include "../large_models.h"

static CaromRun run;
static char path[256];
static unsigned char *whole; /* a good one */
static size_t whole_size;

static void demand(int truth)
{
    if (!truth) {
        abort();
    }
}

static void put(const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    demand(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static PetscErrorCode make_ready(void)
{
    static char *arguments[] = {"checkpoint", "--step", "1e-4", "--until", "1e-3", "--set", "friction=0.3", "--quiet", NULL};
    char message[CAROM_MESSAGE_SIZE];
    FILE *file;
    PetscFunctionBeginUser;
    run.model = large_model("cube", 2);
    run.comm = PETSC_COMM_WORLD;
    run.ranks = 1;
    PetscCall(CaromFaceCreate(&run));
    demand(carom_options_read(&run.options, &run.face.model, CAROM_ON_PETSC, 8, arguments, message) == 0);
    PetscCall(prepare(&run));
    (void)snprintf(path, sizeof path, "%s/carom_state_%ld", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp", (long)getpid());
    run.options.checkpoint = run.options.resume = path;
    while (run.steps.step < 3 && run.trouble.code == 0) {
        PetscCall(one_step(&run));
    }
    PetscCall(CaromCheckpointWrite(&run));
    demand(run.trouble.code == 0);
    file = fopen(path, "rb");
    demand(file != NULL && fseek(file, 0, SEEK_END) == 0);
    whole_size = (size_t)ftell(file);
    whole = malloc(whole_size);
    rewind(file);
    demand(whole != NULL && fread(whole, 1, whole_size, file) == whole_size && fclose(file) == 0);
    PetscFunctionReturn(0);
}

static void tidy_up(void)
{
    (void)unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    demand(PetscInitializeNoArguments() == 0 && PetscPopSignalHandler() == 0 && make_ready() == 0);
    return atexit(tidy_up);
}

/* The checksum that the file would have, had it been written like this by one rank. */
static void sum_again(unsigned char *data, size_t size)
{
    Header header;
    if (size != whole_size) {
        return;
    }
    memcpy(&header, data, sizeof header);
    header.head.checksum = 0;
    const Layout at = layout_of((const Header *)whole, &run);
    uint64_t mine = 1, sum = carom_saved_sum(1, &header, sizeof header);
    mine = carom_saved_sum(mine, data + at.u, (size_t)(at.v - at.u));
    mine = carom_saved_sum(mine, data + at.v, (size_t)(at.memory - at.v));
    mine = carom_saved_sum(mine, data + at.memory, size - (size_t)at.memory);
    sum = carom_saved_sum(sum, data + at.parameters, (size_t)(at.totals - at.parameters));
    sum = carom_saved_sum(sum, data + at.totals, (size_t)(at.u - at.totals));
    header.head.checksum = carom_saved_sum(sum, &mine, sizeof mine);
    memcpy(data, &header, sizeof header);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    if (most < whole_size || seed % 8 != 0) { /* in place: a number of the file becomes another */
        const double odd[] = {NAN, -NAN, INFINITY, -INFINITY, 1e308, -1e308, 0, -1, 5e-324};
        if (size != whole_size) {
            size = whole_size < most ? whole_size : most;
            memcpy(data, whole, size);
        }
        for (unsigned k = 0; k < 1 + seed / 8 % 3; ++k) {
            const size_t at = (size_t)(seed * 2654435761U + k * 40503U) % (size / 8) * 8;
            if (seed / 64 % 2 == 0) {
                memcpy(data + at, &odd[(seed >> 8) % (sizeof odd / sizeof odd[0])], 8);
            } else {
                (void)LLVMFuzzerMutate(data + at, 8, 8);
            }
        }
    } else {
        size = LLVMFuzzerMutate(data, size, most);
    }
    if (seed % 2 == 0) {
        sum_again(data, size);
    }
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PetscReal u, v;
    put(data, size);
    run.trouble = (CaromTrouble){0};
    demand(CaromCheckpointRead(&run) == 0);
    if (run.trouble.code != 0) {
        demand(run.trouble.code == 2 && run.trouble.text[0] != '\0');
        return 0;
    }
    demand(VecNorm(run.motion.u, NORM_1, &u) == 0 && VecNorm(run.motion.v, NORM_1, &v) == 0);
    demand(!isnan(u) && !isnan(v) && isfinite(run.motion.t) && isfinite(run.energy0) && isfinite(run.cpu) &&
           isfinite(run.motion.worst) && isfinite(run.motion.acted) && isfinite(run.motion.slack) &&
           isfinite(run.motion.law_worst) && isfinite(run.motion.law_force) && isfinite(run.motion.deepest.depth));
    for (int c = 0; c < 3; ++c) {
        demand(isfinite(run.motion.impulse[c]) && isfinite(run.motion.momentum[c]));
    }
    for (int s = 0; s < CaromMeetings(run.model); ++s) {
        demand(isfinite(run.obstacles.total[s].normal) && isfinite(run.obstacles.total[s].total));
    }
    for (int b = 0; b < run.model->bodies; ++b) {
        demand(isfinite(run.deformed[b].strain) && isfinite(run.deformed[b].rotation));
    }
    count_steps(&run);
    return 0;
}
