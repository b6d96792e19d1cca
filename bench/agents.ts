import { Agent } from 'node:http';
import type { Bench } from './bench.js';
import { readThreadTimes } from './cpu.js';
import { Latencies } from './latencies.js';
import { drive, type Request, send } from './load.js';
import { atMost, type Line } from './report.js';
import { createEntry, getEntry, searchEntries } from './requests.js';
import type { RunningServer } from './servers.js';
import { tokenOf } from './sign-in.js';

type RequestAt = (index: number) => Request;

const entries = 1_000;

/**
 * Measures calls of tools by agents, compared with the same requests to the REST API with the same token. Neither side
 * parses its answers. Only a tool checks the token and is audited: the REST API lets everyone read these entries.
 */
export async function measureAgents({ servers, seconds }: Bench): Promise<Line[]> {
  const program = await servers.startProgram('agents', { LOGBOOK_MCP: 'true' });
  let created = 0;
  await drive(program.origin, 16, () => (created < entries ? createEntry(created++) : undefined));
  const headers = await tokenOf(program, 'user:userPass');
  const lines: Line[] = [];
  for (const { name, rest, args } of [
    {
      name: 'getEntry',
      rest: (at: number) => getEntry((at % entries) + 1),
      args: (at: number) => ({ id: (at % entries) + 1 }),
    },
    {
      name: 'searchEntries',
      rest: (at: number) => listEntries(wordOf(searchEntries(at))),
      args: (at: number) => ({ query: wordOf(searchEntries(at)), size: 20 }),
    },
  ]) {
    const [plain, called] = await measureInTurns(program, seconds, [
      (at) => ({ ...rest(at), headers }),
      (at) => callOf(name, args(at), headers),
    ]);
    const ratio = called.p95 / plain.p95;
    lines.push(
      { name: `${name} by REST with a token`, figure: figureOf(plain) },
      {
        name: `${name} as a tool`,
        figure: figureOf(called),
        ratio: `p95 ${ratio.toFixed(1)} x, CPU ${(called.cpuMs / plain.cpuMs).toFixed(1)} x REST`,
        aim: atMost(ratio, 2, 'x'),
      },
    );
  }
  await program.stop();
  return lines;
}

interface Cost {
  readonly p50: number;
  readonly p95: number;
  /** Processor time of the main thread per request. */
  readonly cpuMs: number;
}

const batch = 50;

/**
 * Measures two kinds of requests of one client on one connection. They take turns in batches, so that a change of the
 * load on the machine affects both. The first half is not measured.
 */
async function measureInTurns(
  { pid, origin }: RunningServer,
  seconds: number,
  requests: readonly [RequestAt, RequestAt],
): Promise<[Cost, Cost]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sides = requests.map((request) => ({ request, times: new Latencies(), cpuMs: 0, count: 0 }));
  const startMs = performance.now();
  let at = 0;
  for (let isWarm = false; performance.now() < startMs + seconds * 4_000; ) {
    isWarm = performance.now() > startMs + seconds * 2_000;
    for (const side of sides) {
      const before = readThreadTimes(pid).mainThread;
      for (let sent = 0; sent < batch; sent++) {
        const sentMs = performance.now();
        await send(agent, origin, side.request(at++));
        if (isWarm) side.times.add(performance.now() - sentMs);
      }
      if (!isWarm) continue;
      side.cpuMs += readThreadTimes(pid).mainThread - before;
      side.count += batch;
    }
  }
  agent.destroy();
  const [one, other] = sides.map(({ times, cpuMs, count }) => ({ ...times.summary(), cpuMs: cpuMs / count }));
  if (!one || !other) throw new Error('nothing was measured');
  return [one, other];
}

function figureOf({ p50, p95, cpuMs }: Cost): string {
  return `p50 ${p50.toFixed(2)}   p95 ${p95.toFixed(2)}   CPU ${cpuMs.toFixed(2)} ms`;
}

const wordOf = ({ path }: Request) => new URL(path, 'http://localhost').searchParams.get('text');

/** The request that the tool sends. */
function listEntries(word: string | null): Request {
  return { method: 'GET', path: `/logbook/logs/search?query=${word}&size=20&page=1&view=list`, headers: {}, body: [] };
}

function callOf(name: string, args: object, headers: Request['headers']): Request {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const body = Buffer.from(JSON.stringify(message));
  const describe = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  };
  return { method: 'POST', path: '/mcp', headers: { ...headers, ...describe }, body: [body] };
}
