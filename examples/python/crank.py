"""Runs a slider-crank with a few coefficients of restitution."""
from slider_crank import Model

r = Model().run(until=0.2, step=1e-5)
print("%d rows, the crank turned by %.5f rad" % (len(r["t"]), r["theta1"][-1]))
for restitution in (0.0, 0.4, 0.8):
    m = Model(restitution=restitution)
    m.run(until=0.05, columns=["t"])
    print("restitution %.1f: total impulse %.6f N s" % (restitution, sum(m["corner%d.impulse" % k] for k in (1, 2, 3, 4))))
