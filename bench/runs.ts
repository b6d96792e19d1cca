import type { Bench } from './bench.js';
import { readCpuMs } from './cpu.js';
import { drive } from './load.js';
import { atLeast, type Line, timings } from './report.js';
import { appendBlock, openRun } from './requests.js';
import type { RunningServer } from './servers.js';

/** Lengths of one run between which appends are measured, in blocks of 200 characters. */
const lengths = [0, 250, 500, 1_000, 1_200];
const runs = 16;
const blocks = 250;
const secondsPerMinute = 60;

/** Measures appends to one run as it grows, and to several runs at the same time. */
export async function measureRuns({ servers }: Bench): Promise<Line[]> {
  const program = await servers.startProgram('runs');
  let opened = 0;
  await drive(program.origin, 1, () => (opened++ < runs + 2 ? openRun() : undefined));
  // The first run is unmeasured, so that both sides have compiled their code.
  await append(program, [1], 0, blocks);
  const lines: Line[] = [];
  for (const [at, to] of lengths.entries()) {
    const from = lengths[at - 1];
    if (from !== undefined) lines.push(await append(program, [2], from, to));
  }
  lines.push(
    await append(
      program,
      Array.from({ length: runs }, (_, at) => at + 3),
      0,
      blocks,
    ),
  );
  await program.stop();
  return lines;
}

async function append({ origin, pid }: RunningServer, ids: readonly number[], from: number, to: number): Promise<Line> {
  const beforeMs = readCpuMs(pid);
  // One client for each run, because a block is refused before the one with the number below it is stored.
  const measured = await Promise.all(
    ids.map((id) => {
      let sequence = from;
      return drive(origin, 1, () => (sequence < to ? appendBlock(id, ++sequence) : undefined));
    }),
  );
  const cpuMs = (readCpuMs(pid) - beforeMs) / (ids.length * (to - from));
  const perMinute = measured.reduce((sum, { perSecond }) => sum + perSecond, 0) * secondsPerMinute;
  const clients = ids.length === 1 ? '1 client' : `${ids.length} clients, each to a run`;
  const [slowest] = measured.toSorted((a, b) => b.p95 - a.p95);
  return {
    name: `append, ${from} to ${to} blocks, ${clients}`,
    figure: slowest ? timings(slowest) : '',
    ratio: `${perMinute.toFixed(0)} a minute, ${cpuMs.toFixed(1)} ms of CPU each`,
    ...(ids.length > 1 && { aim: atLeast(perMinute, 10_000, 'a minute') }),
  };
}
