import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LogbookProcess } from '../../test/fixtures/process.js';
import { runMixedLoad, Tally } from './mixed-load.js';
import { describeSample, judge, type Sample, sampleHeader, takeSample } from './samples.js';

/** Runs mixed load for some minutes, and checks that memory, open files and write-ahead logs stay bounded. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  const dataDir = await mkdtemp(join(tmpdir(), 'logbook-soak-'));
  const service = await LogbookProcess.start(dataDir);
  const stop = new AbortController();
  const tally = new Tally();
  const startMs = performance.now();
  const samples: Sample[] = [];
  console.log(`${minutes} minutes on Node.js ${process.versions.node}, ${cpus().length} cores`);
  try {
    const load = runMixedLoad(service.base, tally, stop.signal);
    const intervalMs = Math.min(30_000, (minutes * 60_000) / 30);
    console.log(sampleHeader);
    while (performance.now() - startMs < minutes * 60_000) {
      await sleep(intervalMs);
      const sample = await takeSample(service.child.pid ?? 0, service.origin, dataDir, startMs);
      samples.push(sample);
      console.log(describeSample(sample));
    }
    stop.abort();
    await load;
    const code = await service.stop();
    if (code !== 0) throw new Error(`the service ended with ${code}: ${service.errors.slice(-2_000)}`);
  } finally {
    stop.abort();
    service.signal('SIGKILL');
    await service.exit();
    await rm(dataDir, { recursive: true, force: true });
  }
  report(samples, tally);
}

function report(samples: readonly Sample[], tally: Tally): void {
  console.log(
    `load of the machine at the end: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
  for (const [kind, { done, failed }] of tally.counts) console.log(`${kind.padEnd(8)} ${done} done, ${failed} failed`);
  const bounds = judge(samples);
  for (const { holds, what, measured, limit } of bounds) {
    console.log(`${holds ? 'ok     ' : 'EXCEEDED'}  ${what}: ${measured}; ${limit}`);
  }
  const failed = [...tally.counts.values()].some((count) => count.failed > 0);
  if (failed || bounds.some(({ holds }) => !holds)) process.exitCode = 1;
}

await main();
