/* What engineers look at of a stress xx, yy, zz, yz, xz, xy. Private to the runtime. */
#ifndef CAROM_DRIVER_STRESS_H
#define CAROM_DRIVER_STRESS_H

/* Von Mises' equivalent stress. */
double carom_stress_mises(const double s[6]);

/* The principal stresses, the largest first. */
void carom_stress_principal(const double s[6], double out[3]);

/* The order in which readers of VTK take six components: xx, yy, zz, xy, yz, xz. In place. */
void carom_stress_order(double s[6]);

#endif
