import { setTimeout as sleep } from 'node:timers/promises';
import { measureAgents } from './agents.js';
import type { Bench } from './bench.js';
import { measureBurst } from './burst.js';
import { measureControlSystem } from './control-system.js';
import { measureDisk } from './disk.js';
import { measureHostile } from './hostile.js';
import type { Measured } from './latencies.js';
import { measureDelivery, mostClients } from './live.js';
import { drive, load, type Request } from './load.js';
import { medianOf } from './median.js';
import { readMemory } from './memory.js';
import { atLeast, atMost, type Line, timings } from './report.js';
import { createEntry, createEntryWithFiles, getEntry } from './requests.js';
import { measureRuns } from './runs.js';
import { measureSearch } from './search/report-rows.js';
import type { RunningServer } from './servers.js';
import { measureSignIn } from './sign-in.js';

/** The rows in the order in which they run. Each includes the figures to compare with, measured just before. */
export const rows: Readonly<Record<string, (bench: Bench) => Promise<Line[]>>> = {
  start,
  read,
  create,
  multipart,
  memory,
  uploads,
  search: measureSearch,
  'sign-in': measureSignIn,
  agents: measureAgents,
  'control-system': measureControlSystem,
  runs: measureRuns,
  burst: measureBurst,
  live,
  hostile: measureHostile,
};

const restMs = 60_000;
const megabyte = 1_048_576;
const noProc = 'not measured: there is no /proc on this system';

async function start({ servers }: Bench): Promise<Line[]> {
  const starts = 5;
  const first = await servers.startProgram('start');
  await fill(first, 2_000);
  await first.stop();
  const times: number[] = [];
  const bareTimes: number[] = [];
  let resident: number | undefined;
  for (let at = 0; at < starts; at++) {
    const bare = await servers.startBareServer(0);
    bareTimes.push(bare.readyMs);
    await bare.stop();
    const program = await servers.startProgram('start');
    times.push(program.readyMs);
    resident = readMemory(program.pid)?.now;
    await program.stop();
  }
  const median = medianOf(times);
  return [
    {
      name: 'start on 2,000 entries',
      figure: `${median.toFixed(0)} ms until ready (median of ${starts}, longest ${Math.max(...times).toFixed(0)})`,
      ratio: `${(median / medianOf(bareTimes)).toFixed(1)} x the start of bare node:http`,
      aim: atMost(median, 1_000, 'ms'),
    },
    {
      name: 'resident after the start',
      ...(resident === undefined
        ? { figure: noProc }
        : { figure: `${resident.toFixed(0)} MB`, aim: atMost(resident, 120, 'MB') }),
    },
  ];
}

async function read({ servers, program, seconds }: Bench): Promise<Line[]> {
  const entries = 1_000;
  await fill(program, entries);
  const answer = await fetch(`${program.origin}${getEntry(1).path}`);
  const bare = await servers.startBareServer((await answer.arrayBuffer()).byteLength);
  const lines: Line[] = [];
  for (const clients of [1, 16]) {
    const request = (index: number) => getEntry((index % entries) + 1);
    const most = await load(bare.origin, clients, seconds, request);
    const ours = await load(program.origin, clients, seconds, request);
    lines.push(
      { name: `H: bare node:http, ${inWords(clients)}`, figure: timings(most) },
      {
        name: `GET /logs/{id}, ${inWords(clients)}`,
        figure: timings(ours),
        ratio: `${(ours.perSecond / most.perSecond).toFixed(2)} of H/s, p50 ${(ours.p50 / most.p50).toFixed(1)} x H`,
      },
    );
  }
  await bare.stop();
  return lines;
}

async function create({ servers, program, seconds }: Bench): Promise<Line[]> {
  const disk = measureDisk(servers.dir, seconds);
  const alone = await load(program.origin, 1, seconds, createEntry);
  const some = await load(program.origin, 16, seconds, createEntry);
  const many = await load(program.origin, 64, seconds, createEntry);
  const times = ({ p50 }: Measured) => `p50 ${(p50 / disk.p50).toFixed(1)} x S`;
  return [
    { name: 'S: append 4 kB + fsync', figure: timings(disk) },
    {
      name: `PUT /logs, ${inWords(1)}`,
      figure: timings(alone),
      ratio: times(alone),
      aim: atMost(alone.p50 / disk.p50, 4, 'x S'),
    },
    { name: `PUT /logs, ${inWords(16)}`, figure: timings(some), ratio: times(some) },
    {
      name: `PUT /logs, ${inWords(64)}`,
      figure: timings(many),
      ratio: times(many),
      aim: atLeast(many.perSecond, 3_000, '/s'),
    },
  ];
}

async function multipart({ program, seconds }: Bench): Promise<Line[]> {
  const content = Buffer.alloc(megabyte, 'trace ');
  const lines: Line[] = [];
  for (const clients of [1, 8]) {
    const measured = await load(program.origin, clients, seconds, (index) => createEntryWithFiles(index, 1, content));
    lines.push({
      name: `PUT /logs/multipart, 1 MB, ${inWords(clients)}`,
      figure: timings(measured),
      ratio: `${measured.perSecond.toFixed(0)} MB/s`,
    });
  }
  return lines;
}

async function memory({ program }: Bench): Promise<Line[]> {
  const before = readMemory(program.pid);
  await sleep(restMs);
  const after = readMemory(program.pid);
  if (!before || !after) return [{ name: 'resident under the load above', figure: noProc }];
  return [
    {
      name: 'resident under the load above',
      figure: `${before.peak.toFixed(0)} MB at most, ${before.now.toFixed(0)} MB at its end`,
      aim: atMost(before.peak, 250, 'MB'),
    },
    {
      name: 'resident after a minute of rest',
      figure: `${after.now.toFixed(0)} MB`,
      aim: atMost(after.now, 160, 'MB'),
    },
  ];
}

async function uploads({ servers }: Bench): Promise<Line[]> {
  const clients = 10;
  const program = await servers.startProgram('uploads');
  // Four such files are just below the limit of a request, 50 MB.
  const content = Buffer.alloc(13_000_000, 'trace ');
  const before = readMemory(program.pid);
  const requests = Array.from({ length: clients }, (_, index) => createEntryWithFiles(index, 4, content));
  const measured = await send(program, clients, requests);
  const after = readMemory(program.pid);
  await program.stop();
  const line = { name: `${clients} uploads of 50 MB at the same time`, figure: timings(measured) };
  const name = 'extra resident during them';
  if (!before || !after) return [line, { name, figure: noProc }];
  const extra = after.peak - before.now;
  const figure = `${extra.toFixed(0)} MB (from ${before.now.toFixed(0)} to ${after.peak.toFixed(0)})`;
  return [line, { name, figure, aim: atMost(extra, 150, 'MB') }];
}

async function live({ servers, seconds }: Bench): Promise<Line[]> {
  // All clients come from one address.
  const program = await servers.startProgram('live', {
    LOGBOOK_MAX_LIVE_CONNECTIONS_PER_ADDRESS: String(mostClients),
  });
  const lines = await measureDelivery(program, seconds);
  await program.stop();
  return lines;
}

function fill(program: RunningServer, entries: number) {
  return send(
    program,
    16,
    Array.from({ length: entries }, (_, index) => createEntry(index)),
  );
}

function send(program: RunningServer, clients: number, requests: Request[]) {
  return drive(program.origin, clients, () => requests.shift());
}

function inWords(clients: number): string {
  return clients === 1 ? '1 client' : `${clients} clients`;
}
