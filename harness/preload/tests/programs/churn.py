"""json and dict churn leaves nothing: live bytes after a collection are the same at every mark."""

import array
import gc
import json
import sys

import tracker

LEAK_BYTES = int(sys.argv[1])
ROUNDS, WARM_UP = 60, 20
tracker.attach()
documents = [
    {"id": i, "name": f"user-{i:06}", "tags": [f"t{(i * j) % 100}" for j in range(6)], "w": i / 7}
    for i in range(100)
]
leaked = [None] * ROUNDS
reading = tracker.Reading()
place = tracker.ctypes.byref(reading)
# Not a list, which would keep an int per mark.
live = array.array("q", [0] * ROUNDS)


def work():
    texts = [json.dumps(document) for document in documents]
    parsed = [json.loads(text) for text in texts]
    groups = {}
    for document in parsed:
        for tag in document["tags"]:
            groups.setdefault(tag, []).append(document["w"])
    means = {tag: sum(values) / len(values) for tag, values in groups.items()}
    return [{**document, "mean": means[document["tags"][0]]} for document in parsed]


for index in range(ROUNDS):
    work()
    if LEAK_BYTES:
        leaked[index] = b"x" * (LEAK_BYTES - 33)
    gc.collect()
    sys._clear_type_cache()
    tracker.library.highwater_read(place)
    live[index] = reading.live

growth = {after - before for before, after in zip(live[WARM_UP:], live[WARM_UP + 1 :])}
tracker.check_sound()
print(sorted(growth))
