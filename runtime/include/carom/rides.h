/* Contacts that ride on others: resistance to rolling and pivoting (THEORY 6.12). The moment m against a relative spin
 * omega, -m in rho r_N Sgn(omega), is Coulomb's law of a contact with the slip rho omega and the coefficient 1 whose
 * normal impulse is that of the contact it rides on. Such a contact has no gap of its own: its row of G is empty, and
 * in the contact problem
 *
 *     u'_N = w (r'_N - r_N),    0 <= r'_N _|_ u'_N >= 0,    w > 0
 *
 * says r'_N = r_N, since r_N >= 0. So the standard problem has one contact more, every solver of it solves that (W is
 * not symmetric any more), and carom/law.h judges it. A rider is in a set where the contact is that it rides on.
 *
 * Asks for CAROM_RIDES, 1 where there are such, and then the table CAROM(rides), of contacts that are found
 * s->found.rides: the contact that each one rides on, -1 where it rides on none. See carom/algorithm.h. */
#ifndef CAROM_RIDES_H
#define CAROM_RIDES_H

#include "algorithm.h"

/* The contact that contact k rides on, -1: none. */
#if CAROM_RIDES > 0 && CAROM_FOUND > 0
#define CAROM_MOUNT(k) s->found.rides[k]
#elif CAROM_RIDES > 0
#define CAROM_MOUNT(k) CAROM(rides)[k]
#else
#define CAROM_MOUNT(k) (-1)
#endif

#endif
