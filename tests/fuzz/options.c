/* libFuzzer: the command line of a compiled integrator (the driver). The input is a list of words, one per line. Names of files
 * are left out: what is written where is tested elsewhere. */
#include "../../runtime/driver/options.h"
#include "../fake_model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[2001], *word[101];
    const size_t length = size < 2000 ? size : 2000;
    int words = 1;
    memcpy(text, data, length);
    text[length] = '\0';
    word[0] = text + length; /* "" */
    for (char *at = text; at < text + length && words < 100;) {
        char *end = memchr(at, '\n', (size_t)(text + length - at));
        word[words++] = at;
        if (end == NULL) {
            break;
        }
        *end = '\0';
        at = end + 1;
    }
    word[words] = NULL;
    const carom_model *const model = fake_model();
    carom_options options;
    memset(&options, 0, sizeof options);
    char message[CAROM_MESSAGE_SIZE] = "";
    if (carom_options_read(&options, model, size % 2 == 0 ? CAROM_ON_HOST : CAROM_ON_PETSC, words, word, message) == 0) {
        double *x = calloc((size_t)(model->parameters + model->coordinates + model->velocities + model->inputs) + 4, sizeof *x);
        if (x != NULL) {
            carom_targets targets = {.parameter = x, .q = x + model->parameters + 1};
            targets.v = targets.q + model->coordinates + 1;
            targets.input = targets.v + model->velocities + 1;
            for (int k = 0; k < 2; ++k) {
                if (carom_options_assign(&options, model, k, &targets, message) != 0 && message[0] == '\0') {
                    abort();
                }
            }
        }
        free(x);
    } else if (message[0] == '\0' || memchr(message, '\0', sizeof message) == NULL) {
        abort(); /* refused without a word */
    }
    free(options.assign);
    return 0;
}
