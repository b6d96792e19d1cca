import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Bench } from './bench.js';
import type { Burst } from './burst-worker.js';
import type { Measured } from './latencies.js';
import { drive } from './load.js';
import { atMost, type Line, timings } from './report.js';
import { createEntry } from './requests.js';
import { tokenOf } from './sign-in.js';

/** Number of requests of one program at the start of a run, and of the connections of all its processes. */
const requests = 20_000;
const connections = 2_000;
/** Number of entries of a person, and the pause between two of them. */
const entries = 100;
const pauseMs = 50;

/** Measures the writes of a person alone and during a burst of a program. It fails if a request is refused or lost. */
export async function measureBurst({ servers }: Bench): Promise<Line[]> {
  const program = await servers.startProgram('burst');
  const { origin } = program;
  const token = await tokenOf(program, 'admin:adminPass');
  const write = (isDue: (at: number) => boolean) => {
    let at = 0;
    return drive(origin, 1, () => (isDue(at) ? createEntry(at++) : undefined), pause);
  };
  await write((at) => at < entries);
  const alone = await write((at) => at < entries);
  let isOver = false;
  const startedMs = performance.now();
  const [burst, during] = await Promise.all([
    runBurst({ origin, requests, connections, credentials: token }).finally(() => {
      isOver = true;
    }),
    write(() => !isOver),
  ]);
  const seconds = (performance.now() - startedMs) / 1_000;
  const answer = await fetch(`${origin}/logbook/logs/search?owner=admin&size=1`);
  const { hitCount } = (await answer.json()) as { hitCount: number };
  await program.stop();
  if (hitCount !== requests) throw new Error(`${hitCount} of ${requests} acknowledged entries were found`);
  const ratio = during.p95 / alone.p95;
  return [
    { name: `burst of ${requests} creates of a program`, figure: timings(burst), ratio: `${seconds.toFixed(1)} s` },
    { name: 'creates of a person alone', figure: timings(alone) },
    {
      name: 'creates of a person during the burst',
      figure: timings(during),
      ratio: `p95 ${ratio.toFixed(1)} x alone`,
      aim: atMost(ratio, 3, 'x'),
    },
  ];
}

const pause = () => sleep(pauseMs);

async function runBurst(burst: Burst): Promise<Measured> {
  const worker = new Worker(new URL('./burst-worker.js', import.meta.url), { workerData: burst });
  const [measured] = (await once(worker, 'message')) as [Measured];
  return measured;
}
