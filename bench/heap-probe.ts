import { setImmediate as nextTurn } from 'node:timers/promises';

// Loaded into the measured program before its own code: answers each message with the bytes on the heap after a full
// garbage collection. Needs --expose-gc.
process.on('message', () => void reportHeap());
// The open channel must not keep the program running.
process.channel?.unref();

async function reportHeap(): Promise<void> {
  // Objects with a finalizer are freed only by the collection after the one that found them unreachable.
  for (let times = 0; times < 3; times += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
  process.send?.(process.memoryUsage().heapUsed);
}
