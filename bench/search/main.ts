import { readdirSync, statSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lockDataDir } from '../../src/engines/sqlite/data-dir-lock.js';
import { runInterruptibly } from '../interruption.js';
import { atLeast, type Line, table } from '../report.js';
import { Servers } from '../servers.js';
import { ScatteredReads } from './baseline.js';
import { Corpus } from './corpus.js';
import { indexCaughtUp, openEngine, openSearcher } from './engine.js';
import {
  baselineLine,
  type EngineBench,
  type MeasuredRow,
  measureClients,
  measureFacets,
  measureRow,
  measureSimilar,
  measureWhileWriting,
} from './engine-rows.js';
import { measureHttp } from './http-rows.js';
import { type LoadTimes, loadCorpus } from './load-corpus.js';
import { type SearchRow, searchRows } from './rows.js';

const rowNames = [...Object.keys(searchRows), 'facets', 'similar', 'clients', 'writing', 'http'];
/** The rows measured with many clients, and while entries are created. */
const selection = ['common', 'two-common', 'word-tag', 'phrase', 'suffix-130'];
const httpSelection = ['common', 'two-common'];

const usage = `npm run bench:search -- [--entries N] [--seed N] [--seconds N] [--rows NAMES] [--dir DIR] [--fresh] [--postgres]
  --entries   how many entries there are; default 100000
  --seed      number from which the entries are generated; default 1
  --seconds   how long each row lasts; default 2
  --rows      the rows to run, comma separated; default all:
              ${rowNames.join(', ')}
  --dir       where the entries are stored for the next run; default dist/bench-search-ENTRIES-SEED
  --fresh     reloads the entries
  --postgres  runs the same searches on a PostgreSQL of this machine, started for it`;

interface Options {
  readonly corpus: Corpus;
  readonly dataDir: string;
  readonly seconds: number;
  readonly rows: readonly string[];
  readonly fresh: boolean;
  readonly postgres: boolean;
  readonly signal: AbortSignal;
}

await runInterruptibly((signal) => run({ ...readOptions(), signal }));

function readOptions(): Omit<Options, 'signal'> {
  const { values } = parseArgs({
    options: {
      entries: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '2' },
      rows: { type: 'string', default: rowNames.join(',') },
      dir: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
    },
  });
  const [entries, seed, seconds] = [values.entries, values.seed, values.seconds].map(Number) as [
    number,
    number,
    number,
  ];
  if (!(Number.isInteger(entries) && entries > 0)) throw new Error(`--entries is not a number above 0\n${usage}`);
  if (!Number.isInteger(seed)) throw new Error(`--seed is not a whole number\n${usage}`);
  if (!(seconds > 0)) throw new Error(`--seconds is not a number above 0\n${usage}`);
  const rows = values.rows.split(',').map((name) => name.trim());
  const unknown = rows.find((name) => !rowNames.includes(name));
  if (unknown !== undefined) throw new Error(`unknown row ${unknown}\n${usage}`);
  return {
    corpus: new Corpus(seed, entries),
    dataDir: resolve(values.dir ?? `dist/bench-search-${entries}-${seed}`),
    seconds,
    rows,
    fresh: values.fresh,
    postgres: values.postgres,
  };
}

async function run(options: Options): Promise<void> {
  const { corpus, dataDir, seconds, rows } = options;
  console.log(
    `Node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model}, ${corpus.entries} entries, ${seconds} s each, data in ${dataDir}`,
  );
  print(await loadLines(options));

  await measureInProcess(options);
  if (rows.includes('http')) await measureOverHttp(options);
}

async function loadLines({ corpus, dataDir, fresh, signal }: Options): Promise<Line[]> {
  const times = await loadCorpus(corpus, dataDir, { fresh, signal });
  const sizes = [
    { name: 'documents on the disk', figure: megabytes(dataDir, /^logbook\.sqlite(-wal)?$/) },
    { name: 'index on the disk', figure: megabytes(dataDir, /^search(-rebuilt)?\.sqlite(-wal)?$/) },
  ];
  if (!times) return sizes;
  return [...rateLines(times, corpus.entries), ...sizes];
}

function rateLines({ generatedMs, storedMs, indexedMs, unindexedWrites }: LoadTimes, entries: number): Line[] {
  const rate = (count: number, ms: number) => `${((count * 1_000) / ms).toFixed(0)}/s in ${(ms / 1_000).toFixed(1)} s`;
  const [storingMs, catchingUpMs] = [storedMs - generatedMs, indexedMs - storedMs];
  const ratio = unindexedWrites / catchingUpMs / (entries / storingMs);
  return [
    { name: 'made', figure: rate(entries, generatedMs) },
    { name: 'stored, without the time to make them', figure: rate(entries, storingMs) },
    {
      name: 'indexed after that',
      figure: rate(unindexedWrites, catchingUpMs),
      ratio: `${ratio.toFixed(2)} x stored`,
      aim: atLeast(ratio, 0.5, 'x stored'),
    },
    { name: 'stored and indexed, with that time', figure: rate(entries, indexedMs) },
  ];
}

async function measureInProcess(options: Options): Promise<void> {
  const { corpus, dataDir, seconds, rows, signal } = options;
  const lock = await lockDataDir(dataDir);
  if (!lock) throw new Error(`Another process is using ${dataDir}. Stop it, or take another --dir.`);
  const { storage, searchIndex } = await openEngine(dataDir);
  const baseline = await ScatteredReads.of(dataDir, corpus.entries);
  let searcher: Awaited<ReturnType<typeof openSearcher>> | undefined;
  try {
    await indexCaughtUp(searchIndex, signal);
    searcher = await openSearcher(dataDir);
    const f = baseline.measureWarm(seconds);
    const bench: EngineBench = { corpus, dataDir, storage, searchIndex, searcher, baseline, f, seconds, signal };
    const measured = await measureRows(bench, rows);
    if (rows.includes('similar')) {
      console.error('similar …');
      print([await measureSimilar(bench, rowOf('newest'))]);
    }
    if (rows.includes('clients')) {
      console.error('clients …');
      const lines: Line[] = [];
      for (const name of selection) lines.push(...(await measureClients(bench, rowOf(name))));
      print(lines);
    }
    if (rows.includes('writing')) {
      console.error('writing …');
      print(await measureWhileWriting(bench, selection.map(rowOf)));
    }
    if (options.postgres) {
      const { comparePostgres } = await import('./postgres-peer.js');
      const { entries } = storage.committed;
      print(await comparePostgres(corpus, entries, measured, { ...options, dir: `${dataDir}-postgres` }));
    }
  } finally {
    searcher?.close();
    baseline.close();
    await storage.close();
    lock.release();
  }
}

/** Measures every kind of search with one client. */
async function measureRows(bench: EngineBench, rows: readonly string[]): Promise<MeasuredRow[]> {
  const chosen = Object.entries(searchRows).filter(([name]) => rows.includes(name));
  if (chosen.length === 0 && !rows.includes('facets')) return [];
  const lines = [baselineLine(bench)];
  const results: MeasuredRow[] = [];
  for (const [name, row] of chosen) {
    console.error(`${name} …`);
    const { line, measured } = await measureRow(bench, row);
    lines.push(line);
    results.push({ row, measured });
  }
  const facets = rows.includes('facets') ? await measureFacets(bench, rowOf('common')) : undefined;
  print(facets ? [...lines, facets] : lines);
  return results;
}

async function measureOverHttp({ corpus, dataDir, seconds, signal }: Options): Promise<void> {
  signal.throwIfAborted();
  console.error('http …');
  const servers = await Servers.in(dirname(dataDir), []);
  const clear = () => void servers.clear();
  signal.addEventListener('abort', clear);
  try {
    const rows = httpSelection.map(rowOf);
    print(await measureHttp(servers, corpus, { dataDir, seconds, rows }));
  } finally {
    await servers.clear();
  }
}

/** Prints each part as soon as it is measured, so that a run that ends early has shown it. */
function print(lines: readonly Line[]): void {
  console.log(`\n${table(lines)}`);
}

function rowOf(name: string): SearchRow {
  const row = searchRows[name];
  if (!row) throw new Error(`unknown row ${name}`);
  return row;
}

/** Returns the size of the files with a matching name, including their write-ahead logs. */
function megabytes(dir: string, name: RegExp): string {
  const bytes = readdirSync(dir)
    .filter((file) => name.test(file))
    .reduce((sum, file) => sum + statSync(join(dir, file)).size, 0);
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
