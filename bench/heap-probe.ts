import { setImmediate as nextTurn } from 'node:timers/promises';

// Loaded into the measured program ahead of its own code: at each message it answers with the bytes that the heap has
// after a full garbage collection. Needs --expose-gc.
process.on('message', async () => {
  // Objects with a finalizer are freed by the collection after the one that found them.
  for (let times = 0; times < 3; times += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
  process.send?.(process.memoryUsage().heapUsed);
});
// The program is to end as it does without the probe.
process.channel?.unref();
