import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Latencies, type Measured } from './latencies.js';

/** Measures consecutive appends of 4 kB, each with an fsync, to a new file in `dir`. */
export function measureDisk(dir: string, seconds: number): Measured {
  const block = Buffer.alloc(4_096, 'x');
  const file = openSync(join(dir, 'appended'), 'w');
  try {
    const latencies = new Latencies();
    for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; ) {
      const startedMs = performance.now();
      writeSync(file, block);
      fsyncSync(file);
      latencies.add(performance.now() - startedMs);
    }
    return latencies.summary();
  } finally {
    closeSync(file);
  }
}
