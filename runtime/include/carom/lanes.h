/* Several numbers side by side, on the vector extensions of GCC and Clang: a carom_lanes is CAROM_LANES doubles, one of
 * each instance of a model, and arithmetic on it is that of each lane alone: a lane's bits depend neither on its
 * neighbours nor on how many there are. A condition is a carom_mask: all bits of a lane, or none.
 *
 * Functions are handed lanes at their places: by value they would be passed in ways that differ between processors. */
#ifndef CAROM_LANES_H
#define CAROM_LANES_H

#if !defined(__GNUC__)
#error "lanes want the vector extensions of GCC or Clang"
#endif

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* 1, 2, 4 or 8; as many as this processor's registers hold, unless it is said. */
#ifndef CAROM_LANES
#if defined(__AVX512F__)
#define CAROM_LANES 8
#elif defined(__AVX__)
#define CAROM_LANES 4
#else
#define CAROM_LANES 2
#endif
#endif

#if (CAROM_LANES == 8 && defined(__AVX512F__)) || (CAROM_LANES == 4 && defined(__AVX__))
#include <immintrin.h>
#endif

typedef double carom_lanes __attribute__((vector_size(8 * CAROM_LANES)));
typedef int64_t carom_mask __attribute__((vector_size(8 * CAROM_LANES)));
typedef uint64_t carom_bits __attribute__((vector_size(8 * CAROM_LANES)));

/* the number x in every lane; a where the mask holds, else b, of lanes and of masks */
#define CAROM_ALL(x) ((carom_lanes){0.0} + (x))
#define CAROM_NONE ((carom_mask){0})
#if CAROM_LANES == 4 && defined(__AVX__)
#define CAROM_PICK(mask, a, b) ((carom_lanes)_mm256_blendv_pd((__m256d)(b), (__m256d)(a), (__m256d)(carom_mask)(mask)))
#elif CAROM_LANES == 8 && defined(__AVX512DQ__)
#define CAROM_PICK(mask, a, b)                                                                                         \
    ((carom_lanes)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)(carom_mask)(mask)), (__m512d)(b), (__m512d)(a)))
#else
#define CAROM_PICK(mask, a, b) ((carom_lanes)(((mask) & (carom_mask)(a)) | (~(mask) & (carom_mask)(b))))
#endif
/* a in lanes where a whole number is odd, else b; these blends look at the highest bit only */
#if (CAROM_LANES == 4 && defined(__AVX__)) || (CAROM_LANES == 8 && defined(__AVX512DQ__))
#define CAROM_PICK_ODD(n, a, b) CAROM_PICK((n) << 63, a, b)
#else
#define CAROM_PICK_ODD(n, a, b) CAROM_PICK(-((n)&1), a, b)
#endif
#define CAROM_PICK_MASK(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))
#define CAROM_ABS(x) ((carom_lanes)((carom_mask)(x)&INT64_MAX))

/* Does it hold in any lane? */
static inline bool carom_any(const carom_mask *mask)
{
#if CAROM_LANES == 8 && defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)*mask, (__m512i)*mask) != 0;
#elif CAROM_LANES == 4 && defined(__AVX__)
    return _mm256_movemask_pd((__m256d)*mask) != 0;
#else
    int64_t any = 0;
    for (int l = 0; l < CAROM_LANES; ++l) {
        any |= (*mask)[l];
    }
    return any != 0;
#endif
}

/* A function of libm, lane by lane: x := f(x). Handed on as its place. */
static inline const carom_lanes *carom_each(double (*f)(double), carom_lanes *x)
{
    for (int l = 0; l < CAROM_LANES; ++l) {
        (*x)[l] = f((*x)[l]);
    }
    return x;
}

static inline const carom_lanes *carom_each_2(double (*f)(double, double), carom_lanes *x, const carom_lanes *y)
{
    for (int l = 0; l < CAROM_LANES; ++l) {
        (*x)[l] = f((*x)[l], (*y)[l]);
    }
    return x;
}

#define CAROM_EACH(f, x) (*carom_each(f, (carom_lanes[1]){CAROM_ALL(x)}))
#define CAROM_EACH_2(f, x, y) (*carom_each_2(f, (carom_lanes[1]){CAROM_ALL(x)}, (carom_lanes[1]){CAROM_ALL(y)}))

/* Angles up to here have sines in lanes, to about one unit in the last place; lanes beyond are added to a mask. */
#define CAROM_FAR 1e6

/* a + b without its rounding, which is *low, where |a| >= |b| or the sum is exact */
static inline void carom_fast_sum(const carom_lanes *a, const carom_lanes *b, carom_lanes *high, carom_lanes *low)
{
    *high = *a + *b;
    *low = *b - (*high - *a);
}

/* x = n pi/2 + r + e with |r| up to pi/4: pi/2 in three parts, of which the first two have so few digits that their
 * products with n are exact. */
static inline void carom_reduce(const carom_lanes *x, carom_lanes *r, carom_lanes *e, carom_bits *quarter)
{
    const double round = 0x1.8p52; /* in whose last place is 1 */
    const carom_lanes shifted = *x * 0x1.45f306dc9c883p-1 + round, n = shifted - round;
    const carom_lanes first = *x - n * 0x1.921fb544p+0, second = -(n * 0x1.0b4611a6p-34);
    carom_lanes high, low;
    carom_fast_sum(&first, &second, &high, &low);
    low = low - n * 0x1.3198a2e037073p-69;
    carom_fast_sum(&high, &low, r, e);
    *quarter = (carom_bits)shifted;
}

/* Sine (turn 0) and cosine (turn 1) of every lane: polynomials in r^2, the best of their degrees on |r| < pi/4. */
static inline const carom_lanes *carom_sine(carom_lanes *x, int turn, carom_mask *far)
{
    carom_lanes r, e;
    carom_bits quarter;
    *far |= ~(carom_mask)(CAROM_ABS(*x) <= CAROM_FAR);
    carom_reduce(x, &r, &e, &quarter);
    const carom_lanes z = r * r, half = 0.5 * z;
    const carom_lanes odd =
        -0.16666666666666632 +
        z * (0.008333333333322424 +
             z * (-0.00019841269829816292 +
                  z * (2.755731369502731e-06 + z * (-2.5050758625163565e-08 + z * 1.5896826425744443e-10))));
    const carom_lanes even =
        0.0416666666666666 +
        z * (-0.0013888888888874138 +
             z * (2.480158728949167e-05 +
                  z * (-2.7557314355199066e-07 + z * (2.0875723678804126e-09 - z * 1.1359669581281035e-11))));
    const carom_lanes sine = r + (z * (r * odd) + e * (1.0 - half)), most = 1.0 - half;
    const carom_lanes cosine = most + (((1.0 - most) - half) + (z * z * even - r * e));
    const carom_lanes size = turn == 0 ? CAROM_PICK_ODD(quarter, cosine, sine) : CAROM_PICK_ODD(quarter, sine, cosine);
    *x = (carom_lanes)((carom_bits)size ^ ((quarter + (uint64_t)turn) << 62 & (uint64_t)INT64_MIN));
    return x;
}

#define CAROM_SIN(x) (*carom_sine((carom_lanes[1]){CAROM_ALL(x)}, 0, &s->odd))
#define CAROM_COS(x) (*carom_sine((carom_lanes[1]){CAROM_ALL(x)}, 1, &s->odd))

#endif
