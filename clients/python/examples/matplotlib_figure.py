#!/usr/bin/env python3
"""Posts a figure where it belongs in the text, and its data as a CSV file."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from logbook_client import Client
from logbook_client.files import to_file

seconds = [0, 1, 2, 3, 4]
current = [350.0, 349.7, 349.2, 120.4, 0.0]
figure, axes = plt.subplots(num="beam current")
axes.plot(seconds, current)
axes.set_xlabel("time / s")
axes.set_ylabel("current / mA")

plot = to_file(figure)
data = "time,current\n" + "".join(f"{at},{value}\n" for at, value in zip(seconds, current))
with Client() as logbook:
    entry = logbook.post(
        "Beam lost",
        f"The beam was lost within two seconds:\n\n{plot.markup}{{width=600}}",
        logbooks="operations",
        files=[plot, ("current.csv", data.encode())],
    )
print(entry.url)
