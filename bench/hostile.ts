import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Attack, attacks } from './attacks.js';
import type { Bench } from './bench.js';
import { Latencies } from './latencies.js';
import { type Request, send } from './load.js';
import { readMemory } from './memory.js';
import { atMost, type Line } from './report.js';
import { createEntry, getEntry, searchEntries, searchFor } from './requests.js';
import type { RunningServer } from './servers.js';
import { measureThumbnails } from './thumbnails.js';

/** Pause of the good client between two of its requests. */
const pauseMs = 10;
const restMs = 20_000;

type Kind = 'read' | 'search' | 'wildcard' | 'write';
const kinds: readonly Kind[] = ['read', 'search', 'wildcard', 'write'];
type P95 = Readonly<Record<Kind, number>>;

/**
 * Measures what a good client notices while another client attacks: p95 of its reads, searches and writes compared with
 * those without the attack, the memory of the service, and how long its event loop was silent.
 */
export async function measureHostile({ servers, seconds }: Bench): Promise<Line[]> {
  const program = await servers.startProgram('hostile', {
    LOGBOOK_TRUSTED_PROXIES: '127.0.0.1',
  });
  const lines: Line[] = [];
  for (let index = 0; index < 50; index++) await behave(program, 'write', index);
  await useAsGoodClient(program, seconds);
  const before = readMemory(program.pid)?.now;
  let longestMs = 0;
  for (const attack of attacks) {
    const attacker = await startAttacker(program, attack);
    const alone = await useAsGoodClient(program, seconds);
    await readLongestSilence(program);
    const { p95, statuses } = await duringAttack(program, attacker, seconds);
    const silenceMs = await readLongestSilence(program);
    longestMs = Math.max(longestMs, silenceMs);
    lines.push(toLine(attack, alone, p95, silenceMs, statuses));
  }
  lines.push(await measureThumbnails(program));
  await sleep(restMs);
  const memory = readMemory(program.pid);
  await program.stop();
  return [...lines, ...summary(before, memory, longestMs)];
}

function toLine({ name }: Attack, alone: P95, p95: P95, silenceMs: number, statuses: string): Line {
  const ratio = Math.max(...kinds.map((kind) => p95[kind] / alone[kind]));
  const times = kinds.map((kind) => `${kind} ${p95[kind].toFixed(0)} (${alone[kind].toFixed(0)})`).join(', ');
  return {
    name: `under ${name}`,
    figure: `p95 ${times} ms; loop silent ${silenceMs.toFixed(0)} ms; attacker ${statuses}`,
    ratio: `${ratio.toFixed(1)} x alone`,
    aim: atMost(ratio, 3, 'x'),
  };
}

function summary(
  before: number | undefined,
  after: { readonly now: number; readonly peak: number } | undefined,
  longestMs: number,
): Line[] {
  const silence = {
    name: 'longest silence of the event loop',
    figure: `${longestMs.toFixed(0)} ms`,
    aim: atMost(longestMs, 100, 'ms'),
  };
  if (before === undefined || !after) return [silence];
  const megabytes = (value: number) => `${value.toFixed(0)} MB`;
  return [
    silence,
    {
      name: 'resident at most during the attacks',
      figure: `${megabytes(after.peak)}, before ${megabytes(before)}`,
      aim: atMost(after.peak - before, 300, 'MB more'),
    },
    {
      name: `resident ${restMs / 1_000} s after them`,
      figure: megabytes(after.now),
      aim: atMost(after.now - before, 100, 'MB more'),
    },
  ];
}

/**
 * Returns the measurements of the good client while another process attacks, and the statuses that the attacker
 * received.
 */
async function duringAttack(program: RunningServer, attacker: ChildProcess, seconds: number) {
  attacker.send('start');
  const p95 = await useAsGoodClient(program, seconds);
  const report = once(attacker, 'message');
  attacker.send('end');
  const [statuses] = (await report) as [string];
  return { p95, statuses };
}

/** Starts a process, and waits until it has prepared the attack. */
async function startAttacker({ origin }: RunningServer, { name }: Attack): Promise<ChildProcess> {
  const attacker = fork(fileURLToPath(new URL('./attacker-process.js', import.meta.url)), [origin, name]);
  await once(attacker, 'message');
  return attacker;
}

/** Reads, searches and writes alternately, as one client. Returns the times in milliseconds. */
async function useAsGoodClient(program: RunningServer, seconds: number): Promise<P95> {
  const latencies = {
    read: new Latencies(),
    search: new Latencies(),
    wildcard: new Latencies(),
    write: new Latencies(),
  };
  const endMs = performance.now() + seconds * 1_000;
  for (let index = 0; performance.now() < endMs; index++) {
    for (const kind of kinds) {
      const sentMs = performance.now();
      await behave(program, kind, index);
      latencies[kind].add(performance.now() - sentMs);
      await sleep(pauseMs);
    }
  }
  return {
    read: latencies.read.summary().p95,
    search: latencies.search.summary().p95,
    wildcard: latencies.wildcard.summary().p95,
    write: latencies.write.summary().p95,
  };
}

const goodAgent = new Agent({ keepAlive: true });

const requestOf: Readonly<Record<Kind, (index: number) => Request>> = {
  read: (index) => getEntry(1 + (index % 50)),
  search: searchEntries,
  wildcard: () => searchFor('ki*er'),
  write: (index) => createEntry(index),
};

function behave(program: RunningServer, kind: Kind, index: number): Promise<void> {
  const request = requestOf[kind](index);
  const headers = { ...request.headers, 'x-forwarded-for': '10.0.0.1' };
  return send(goodAgent, program.origin, { ...request, headers });
}

/** Returns the longest time between two rounds of the event loop since the last call, in milliseconds. */
async function readLongestSilence({ origin }: RunningServer): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const [, seconds] = /^logbook_event_loop_delay_seconds\{statistic="max"\} (\S+)$/m.exec(metrics) ?? [];
  return Number(seconds) * 1_000;
}
