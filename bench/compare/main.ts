import { availableParallelism, cpus, tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { medianOf } from '../median.js';
import { type Line, streamedLine, timings } from '../report.js';
import { Corpus } from '../search/corpus.js';
import { Servers } from '../servers.js';
import { fill } from './fill.js';
import { type Figures, type Measurable, takeTurns } from './measure.js';
import { type CompareRow, compareRows } from './rows.js';
import { Side } from './side.js';

const usage = `npm run bench:compare -- --a URL --b URL [--pids-a PIDS] [--pids-b PIDS] [--user NAME:PASSWORD] [--entries N] [--seed N]
    [--clients NUMBERS] [--rounds N] [--seconds N] [--rest N] [--rows NAMES]
  --a, --b    base URLs of two services of this interface, such as http://localhost:8080/logbook; each with an empty
              store, or with the entries of an earlier run
  --pids-a, --pids-b
              their processes on this machine, comma separated, for CPU and memory
  --user      who writes; default admin:adminPass
  --entries   how many entries each gets; default 20000
  --seed      number from which the entries are generated; default 1
  --clients   how many clients at the same time, comma separated; default 1,8
  --rounds    how often the services take turns; the figures are medians; default 3
  --seconds   how long each service is under load in each round; default 2
  --rest      how many seconds each service rests before its load; default 0
  --rows      the rows to run, comma separated; default all:
              ${Object.keys(compareRows).join(', ')}`;

interface Options {
  readonly sides: readonly [Side, Side];
  readonly corpus: Corpus;
  readonly clients: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly restSeconds: number;
  readonly rows: readonly CompareRow[];
}

try {
  await run(readOptions());
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/** @throws Error when an option has no usable value */
function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      a: { type: 'string' },
      b: { type: 'string' },
      'pids-a': { type: 'string', default: '' },
      'pids-b': { type: 'string', default: '' },
      user: { type: 'string', default: 'admin:adminPass' },
      entries: { type: 'string', default: '20000' },
      seed: { type: 'string', default: '1' },
      clients: { type: 'string', default: '1,8' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      rest: { type: 'string', default: '0' },
      rows: { type: 'string', default: Object.keys(compareRows).join(',') },
    },
  });
  if (values.a === undefined || values.b === undefined) throw new Error(usage);
  const positive = (name: 'entries' | 'rounds' | 'seconds') => {
    const number = Number(values[name]);
    if (!(number > 0)) throw new Error(`--${name} ${values[name]} is not a number above 0\n${usage}`);
    return number;
  };
  const numbers = (list: string) => list.split(',').filter(Boolean).map(Number);
  const rows = values.rows.split(',').map((name) => {
    const row = compareRows[name.trim()];
    if (!row) throw new Error(`unknown row ${name}\n${usage}`);
    return row;
  });
  return {
    sides: [
      new Side('a', values.a, values.user, numbers(values['pids-a'])),
      new Side('b', values.b, values.user, numbers(values['pids-b'])),
    ],
    corpus: new Corpus(Number(values.seed), positive('entries')),
    clients: numbers(values.clients),
    rounds: positive('rounds'),
    seconds: positive('seconds'),
    restSeconds: Number(values.rest),
    rows,
  };
}

async function run(options: Options): Promise<void> {
  const { sides, corpus, clients, rows } = options;
  console.log(
    `Node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model}, ${corpus.entries} entries, ${options.rounds} rounds of ${options.seconds} s, ${options.restSeconds} s of rest before each`,
  );
  for (const side of sides) await fill(side, corpus);
  const servers = await Servers.in(tmpdir(), []);
  try {
    for (const row of rows) {
      for (const count of clients) print(await measureRow(row, count, servers, options));
    }
  } finally {
    await servers.clear();
  }
  print(
    sides.map((side) => ({
      name: `${side.name}: resident`,
      figure: `${side.residentMb()?.toFixed(0) ?? 'unknown'} MB`,
    })),
  );
}

async function measureRow(row: CompareRow, clients: number, servers: Servers, options: Options): Promise<Line[]> {
  const { sides, corpus } = options;
  const [a, b] = [contender(sides[0], row, corpus), contender(sides[1], row, corpus)];
  const facts = row.writes ? [] : await Promise.all([a, b].map(factsOf));
  // The answer to a write is about as long as an entry, for which 1 kB is typical.
  const bareServer = await servers.startBareServer(facts[0]?.bytes ?? 1_024);
  const bare = { ...bareOf(bareServer.origin), next: a.next };
  const before = await Promise.all(sides.map((side) => side.searchResults()));
  const figures = await takeTurns([a, b, bare], ({ next }) => next, { ...options, clients });
  await bareServer.stop();
  const after = await Promise.all(sides.map((side) => side.searchResults()));
  const [cachedA, cachedB] = after.map((now, at) => cachedShare(before[at], now));
  const of = (one: Measurable) => figures.get(one as Contender) as Figures;
  const suffix = clients === 1 ? '1 client' : `${clients} clients`;
  const hits = facts.map(({ hits }) => hits ?? '-').join(' and ');
  const cpu = (one: Measurable) => `CPU ${of(one).cpuMsPerRequest?.toFixed(2) ?? '?'} ms`;
  const shown = (one: Measurable) => ({ figure: `${timings({ count: 0, ...of(one) })}   ${cpu(one)}` });
  return [
    { name: `${row.name}, ${suffix}: bare node:http`, ...shown(bare) },
    { name: `   b${cachedB}`, ...shown(b) },
    {
      name: `   a${cachedA}${facts.length > 0 ? `, median hits ${hits}` : ''}`,
      ...shown(a),
      ratio: `of b: rate ${ratio(of(a).perSecond, of(b).perSecond)}, p50 ${ratio(of(a).p50, of(b).p50)}, p95 ${ratio(of(a).p95, of(b).p95)}, CPU ${ratio(of(a).cpuMsPerRequest, of(b).cpuMsPerRequest)}; of bare: rate ${ratio(of(a).perSecond, of(bare).perSecond)}, p50 ${ratio(of(a).p50, of(bare).p50)}; p95/p50 ${ratio(of(a).p95, of(a).p50)}`,
    },
  ];
}

/** A service with the requests of a row. */
interface Contender extends Measurable {
  readonly next: (index: number) => ReturnType<Side['get']>;
}

function contender(side: Side, row: CompareRow, corpus: Corpus): Contender {
  return { name: side.name, origin: side.origin, cpuMs: () => side.cpuMs(), next: row.requests(corpus, side) };
}

function bareOf(origin: string): Measurable {
  return { name: 'bare node:http', origin, cpuMs: () => undefined };
}

/** Returns medians over some requests of a row: bytes of the answer, and hits if the answer reports them. */
async function factsOf({ origin, next }: Contender): Promise<{ bytes: number; hits: number | undefined }> {
  const bytes: number[] = [];
  const hits: number[] = [];
  for (let index = 0; index < 25; index++) {
    const body = await (await fetch(`${origin}${next(index).path}`)).text();
    bytes.push(Buffer.byteLength(body));
    const { hitCount } = JSON.parse(body) as { hitCount?: number };
    if (hitCount !== undefined) hits.push(hitCount);
  }
  return { bytes: medianOf(bytes), hits: hits.length === 0 ? undefined : medianOf(hits) };
}

type SearchResults = Awaited<ReturnType<Side['searchResults']>>;

/** Says which share of the results a cache answered; empty when there were none or they are not counted. */
function cachedShare(before: SearchResults, after: SearchResults): string {
  if (!before || !after || after.all === before.all) return '';
  return `, ${((100 * (after.reused - before.reused)) / (after.all - before.all)).toFixed(0)} % from a cache`;
}

function ratio(value: number | undefined, other: number | undefined): string {
  return value === undefined || other === undefined ? '?' : (value / other).toFixed(2);
}

function print(lines: readonly Line[]): void {
  for (const line of lines) console.log(streamedLine(line));
}
