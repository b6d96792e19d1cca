import type { SearchParams } from '../../src/search/search-params.js';
import { Bystander } from '../bystander.js';
import { drive, load, type Request } from '../load.js';
import { readMemory } from '../memory.js';
import { atMost, type Line, timings } from '../report.js';
import { putEntry } from '../requests.js';
import type { RunningServer, Servers } from '../servers.js';
import type { Corpus } from './corpus.js';
import { measureHostile } from './hostile-rows.js';
import { distinctParams, type SearchRow } from './rows.js';

/** Measures the real program on the corpus, compared with bare `node:http` and answers of the same size. */
export async function measureHttp(
  servers: Servers,
  corpus: Corpus,
  options: { readonly dataDir: string; readonly seconds: number; readonly rows: readonly SearchRow[] },
): Promise<Line[]> {
  const program = await servers.startProgramOn(options.dataDir);
  const bystander = await Bystander.beside(servers.dir);
  const lines: Line[] = [
    {
      name: `start on ${corpus.entries} entries`,
      figure: `${program.readyMs.toFixed(0)} ms until ready`,
      aim: atMost(program.readyMs, 3_000, 'ms'),
    },
  ];
  for (const row of options.rows) {
    const paramsOf = distinctParams(row, corpus);
    let sent = 0;
    const next = () => searchRequest(paramsOf(sent++));
    const bare = await servers.startBareServer(await medianBodyBytes(program.origin, Array.from({ length: 25 }, next)));
    for (const clients of [1, 16]) {
      const most = await load(bare.origin, clients, options.seconds, next);
      await lagSinceLastAskedMs(program);
      await bystander.witnessed();
      const ours = await load(program.origin, clients, options.seconds, next);
      const lagMs = await lagSinceLastAskedMs(program);
      const { late } = await bystander.witnessed();
      const times = ours.p95 / most.p95;
      const inWords = clients === 1 ? '1 client' : `${clients} clients`;
      lines.push(
        { name: `H: bare node:http, ${inWords}`, figure: timings(most) },
        {
          name: `GET /logs/search, ${row.name}, ${inWords}`,
          figure: timings(ours),
          ratio: `p50 ${(ours.p50 / most.p50).toFixed(1)}   p95 ${times.toFixed(1)} x H`,
          ...(clients === 1 && { aim: atMost(times, 4, 'x H') }),
        },
        {
          name: '   event loop delay during the load',
          figure: `p99 ${lagMs.toFixed(1)} ms`,
          ratio: `an idle process at the same time: ${late.p99.toFixed(1)} ms`,
          aim: atMost(lagMs, 10, 'ms'),
        },
      );
    }
    await bare.stop();
  }
  await bystander.stop();
  lines.push(residentLine(program, 'resident under that load'));
  for (const row of options.rows) lines.push(...(await measureCreates(program, corpus, row, options.seconds)));
  lines.push(...(await measureHostile(program.origin)), residentLine(program, 'resident after them'));
  await program.stop();
  return lines;
}

/** Measures creates alone, and while 16 clients search. The entries stay in the corpus. */
async function measureCreates(
  { origin }: RunningServer,
  corpus: Corpus,
  row: SearchRow,
  seconds: number,
): Promise<Line[]> {
  const paramsOf = distinctParams(row, corpus);
  let [created, sent] = [0, 0];
  const create = () => {
    const { title, description, logbooks } = corpus.entry(created++).content;
    return putEntry({ title, source: description, logbooks });
  };
  const alone = await load(origin, 1, seconds, create);
  const end = new AbortController();
  const searching = drive(origin, 16, () => (end.signal.aborted ? undefined : searchRequest(paramsOf(sent++))));
  const beside = await load(origin, 1, seconds, create).finally(() => end.abort());
  await searching;
  const times = beside.p95 / alone.p95;
  return [
    { name: 'PUT /logs, 1 client', figure: timings(alone) },
    {
      name: `   while 16 clients search, ${row.name}`,
      figure: timings(beside),
      ratio: `p95 ${times.toFixed(1)} x alone`,
      aim: atMost(times, 3, 'x alone'),
    },
  ];
}

export function searchRequest(params: SearchParams): Request {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) query.set(key, String(value));
  return { method: 'GET', path: `/logbook/logs/search?${query}`, headers: {}, body: [] };
}

async function medianBodyBytes(origin: string, requests: readonly Request[]): Promise<number> {
  const sizes: number[] = [];
  for (const { path } of requests) {
    const answer = await fetch(`${origin}${path}`);
    sizes.push((await answer.arrayBuffer()).byteLength);
  }
  return sizes.sort((a, b) => a - b)[sizes.length >> 1] ?? 0;
}

/** Returns the 99th percentile of the event loop delay since the last call, in milliseconds. */
async function lagSinceLastAskedMs({ origin }: RunningServer): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const [, seconds] = /^logbook_event_loop_delay_seconds\{statistic="p99"\} (\S+)$/m.exec(metrics) ?? [];
  return Number(seconds) * 1_000;
}

function residentLine({ pid }: RunningServer, name: string): Line {
  const memory = readMemory(pid);
  if (!memory) return { name, figure: 'not measured: there is no /proc on this system' };
  return {
    name,
    figure: `${memory.peak.toFixed(0)} MB at most, ${memory.now.toFixed(0)} MB after it`,
    aim: atMost(memory.peak, 700, 'MB'),
  };
}
