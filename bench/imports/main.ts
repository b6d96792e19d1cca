import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { writeLogbookFile } from '../../src/exports/write-logbook-file.js';
import { ZipReader } from '../../src/imports/zip-reader.js';
import { FileImportSource } from '../../src/integrations/logbook-file/file-import-source.js';
import { medianOf } from '../median.js';
import { atLeast, atMost, type Line, table } from '../report.js';
import { Corpus, type CorpusEntry } from '../search/corpus.js';
import { openEngine } from '../search/engine.js';
import { loadCorpus } from '../search/load-corpus.js';
import { type BulkEntry, readEntries, storeInBulk } from './bulk-store.js';
import { importFile } from './import-file.js';
import { measure, type Timing } from './measure.js';
import { searchUntil } from './search-until.js';

/** Minimum speed as a share of the speed at which the storage stores in bulk. */
const wantedShare = 0.7;
const maxBlockedMs = 10;

/** The entries of the corpus without their files, which would measure the disk. */
class PlainCorpus extends Corpus {
  override entry(index: number): CorpusEntry {
    const entry = super.entry(index);
    return { ...entry, content: { ...entry.content, attachments: [] } };
  }
}

const { values } = parseArgs({
  options: { entries: { type: 'string', default: '15000' }, rounds: { type: 'string', default: '5' } },
});
const corpus = new PlainCorpus(1, Number(values.entries));
const rounds = Number(values.rounds);
const { signal } = new AbortController();
const dir = await mkdtemp(join(tmpdir(), 'logbook-bench-'));
const blobs = await openFileBlobStore({
  dir: join(dir, 'blobs'),
  onDamage: () => undefined,
  onIntact: () => undefined,
});
try {
  await loadCorpus(corpus, join(dir, 'source'), { fresh: true, signal });
  const file = join(dir, 'export.zip');
  const lines = [await measureExport(file), ...(await measureTurns(file)), ...(await measureSearches(file))];
  console.log(table(lines));
} finally {
  await rm(dir, { recursive: true, force: true });
}

async function measureExport(file: string): Promise<Line> {
  const { storage } = await openEngine(join(dir, 'source'));
  const deps = { committed: storage.committed, blobs, storeId: 'bench', nowMs: Date.now() };
  const ignore = () => undefined;
  const timing = await measure(() =>
    writeLogbookFile({ ...deps, onProgress: ignore, onProblem: ignore, linkOf: ignore }, file, signal),
  );
  await storage.close();
  return { name: 'export to a file', figure: figureOf([timing]) };
}

/** Stores the same versions in bulk and by an import, in alternating order. */
async function measureTurns(file: string): Promise<Line[]> {
  const source = await FileImportSource.open(await ZipReader.open(file), new AbortController().signal);
  const entries = await readEntries(source, signal);
  await source.close();
  const bulk: Timing[] = [];
  const imported: Timing[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const turns = [
      async () => bulk.push(await storeOnce(entries)),
      async () => imported.push(await importOnce(file, (run) => measure(run))),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  const ratios = (figure: 'ms' | 'mainThreadMs') =>
    imported.map((one, at) => (bulk[at] as Timing)[figure] / one[figure]);
  const share = medianOf(ratios('ms'));
  return [
    { name: 'bulk store', figure: figureOf(bulk) },
    {
      name: 'import from a file',
      figure: figureOf(imported),
      ratio: `${shares(ratios('ms'))} of the bulk store`,
      aim: atLeast(share, wantedShare, 'of it'),
    },
    { name: 'by the CPU time of the main thread', figure: '', ratio: `${shares(ratios('mainThreadMs'))} of it` },
    delayLine('longest turn of the event loop, bulk store', bulk),
    {
      ...delayLine('longest turn of the event loop, import', imported),
      aim: atMost(medianOf(imported.map(({ maxDelayMs }) => maxDelayMs)), maxBlockedMs, 'ms'),
    },
  ];
}

async function measureSearches(file: string): Promise<Line[]> {
  const { storage, searchIndex, warmedUp } = await openEngine(await mkdtemp(join(dir, 'target-')));
  await warmedUp;
  const done = new AbortController();
  const searching = searchUntil(searchIndex, done.signal);
  const stored = await measure(() => importFile({ storage, blobs }, file, signal));
  const { unindexedWrites } = await searchIndex.status();
  const indexed = await measure(() => searchIndex.waitUntilIndexed());
  done.abort();
  const { latencies, refused } = await searching;
  await storage.close();
  const slowestMs = Math.max(0, ...latencies);
  const indexedPerSecond = (corpus.entries * 1_000) / (stored.ms + indexed.ms);
  return [
    { name: 'import while a client searches', figure: figureOf([stored]) },
    {
      name: 'searches of this client',
      figure: `${latencies.length}, ${refused} refused, p50 ${medianOf(latencies).toFixed(1)}, slowest ${slowestMs.toFixed(0)} ms`,
      aim: atMost(refused, 0, 'refused'),
    },
    {
      name: 'until every entry is found',
      figure: `${indexedPerSecond.toFixed(0)}/s; ${unindexedWrites} not indexed when stored`,
    },
  ];
}

async function storeOnce(entries: readonly BulkEntry[]): Promise<Timing> {
  return withTarget(({ storage }) => measure(() => storeInBulk(storage, entries)));
}

async function importOnce<T>(file: string, how: (run: () => Promise<void>) => Promise<T>): Promise<T> {
  return withTarget(({ storage }) => how(() => importFile({ storage, blobs }, file, signal)));
}

async function withTarget<T>(work: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>): Promise<T> {
  const target = await mkdtemp(join(dir, 'target-'));
  // There are no search threads, as in `logbook import`.
  const engine = await openEngine(target, 0);
  try {
    return await work(engine);
  } finally {
    await engine.storage.close();
    await rm(target, { recursive: true });
  }
}

function figureOf(timings: readonly Timing[]): string {
  const perSecond = (corpus.entries * 1_000) / medianOf(timings.map(({ ms }) => ms));
  return `${perSecond.toFixed(0)}/s, main thread ${medianOf(timings.map(({ mainThreadMs }) => mainThreadMs)).toFixed(0)} ms`;
}

function delayLine(name: string, timings: readonly Timing[]): Line {
  const delays = timings.map(({ maxDelayMs }) => maxDelayMs);
  const p99 = medianOf(timings.map(({ p99DelayMs }) => p99DelayMs));
  return { name, figure: `${delays.map((ms) => ms.toFixed(0)).join(', ')} ms; p99 ${p99.toFixed(1)} ms` };
}

/** The median, and the least and the most of the rounds. */
function shares(ratios: readonly number[]): string {
  return `${medianOf(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
}
