import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import type { Storage } from '../../src/engines/storage.port.js';
import { writeLogbookFile } from '../../src/exports/write-logbook-file.js';
import { runImport } from '../../src/imports/run-import.js';
import { FileSource } from '../../src/integrations/logbook-file/file-source.js';
import { systemClock } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/fault.js';
import { parseQuery } from '../../src/search/parse-query.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import { atLeast, atMost, type Line, table } from '../report.js';
import { Corpus, type CorpusEntry } from '../search/corpus.js';
import { openEngine } from '../search/engine.js';
import { loadCorpus } from '../search/load-corpus.js';

/** Of what the storage stores in bulk. */
const wantedShare = 0.7;
const searchPauseMs = 50;

/** The entries of the corpus without their files, which would measure the disk. */
class PlainCorpus extends Corpus {
  override entry(index: number): CorpusEntry {
    const entry = super.entry(index);
    return { ...entry, content: { ...entry.content, attachments: [] } };
  }
}

const { values } = parseArgs({ options: { entries: { type: 'string', default: '15000' } } });
const corpus = new PlainCorpus(1, Number(values.entries));
const { signal } = new AbortController();
const dir = await mkdtemp(join(tmpdir(), 'logbook-bench-'));
try {
  const lines: Line[] = [];
  const times = await loadCorpus(corpus, join(dir, 'source'), { fresh: true, signal });
  if (!times) throw new Error('the corpus was loaded already');
  const bulkPerSecond = (corpus.entries * 1_000) / (times.storedMs - times.generatedMs);
  lines.push({ name: 'bulk store', figure: `${bulkPerSecond.toFixed(0)}/s` });
  const file = join(dir, 'export.zip');
  lines.push(await measureExport(file));
  lines.push(...(await measureImport(file, bulkPerSecond)));
  console.log(table(lines));
} finally {
  await rm(dir, { recursive: true, force: true });
}

async function openBlobs() {
  const events = { onDamage: () => undefined, onIntact: () => undefined };
  return openFileBlobStore({ dir: join(dir, 'blobs'), ...events });
}

async function measureExport(file: string): Promise<Line> {
  const { storage } = await openEngine(join(dir, 'source'));
  const startedMs = performance.now();
  const deps = { committed: storage.committed, blobs: await openBlobs(), storeId: 'bench', nowMs: Date.now() };
  const ignore = () => undefined;
  await writeLogbookFile({ ...deps, onProgress: ignore, onProblem: ignore }, file, signal);
  const perSecond = (corpus.entries * 1_000) / (performance.now() - startedMs);
  await storage.close();
  return { name: 'export to a file', figure: `${perSecond.toFixed(0)}/s` };
}

async function measureImport(file: string, bulkPerSecond: number): Promise<Line[]> {
  const alone = await importOnce(file, async () => undefined);
  const beside = await importOnce(file, searchUntil);
  const share = alone.storedPerSecond / bulkPerSecond;
  const { latencies = [], refused = 0 } = beside.found ?? {};
  const slowestMs = Math.max(0, ...latencies);
  return [
    {
      name: 'import from a file',
      figure: `${alone.storedPerSecond.toFixed(0)}/s`,
      ratio: `${share.toFixed(2)} of the bulk store`,
      aim: atLeast(share, wantedShare, 'of it'),
    },
    {
      name: 'import until every entry is found',
      figure: `${alone.indexedPerSecond.toFixed(0)}/s; ${alone.unindexedWrites} not indexed when stored`,
    },
    { name: 'import while a client searches', figure: `${beside.storedPerSecond.toFixed(0)}/s` },
    {
      name: 'searches of this client',
      figure: `${latencies.length}, ${refused} refused, slowest ${slowestMs.toFixed(0)} ms`,
      aim: atMost(refused, 0, 'refused'),
    },
  ];
}

async function importOnce<T>(file: string, meanwhile: (stop: AbortSignal, searchIndex: SearchIndex) => Promise<T>) {
  const { storage, searchIndex } = await openEngine(await mkdtemp(join(dir, 'target-')));
  const source = await FileSource.open(file);
  const done = new AbortController();
  const searching = meanwhile(done.signal, searchIndex);
  const startedMs = performance.now();
  const perSecond = () => (corpus.entries * 1_000) / (performance.now() - startedMs);
  const deps = { storage, blobs: await openBlobs(), clock: systemClock, source, maxFileBytes: 1_000_000 };
  const { counts } = await runImport({ ...deps, onProgress: () => undefined }, signal);
  const storedPerSecond = perSecond();
  if (counts.created !== corpus.entries) throw new Error(`${counts.created} of ${corpus.entries} entries were created`);
  const { unindexedWrites } = await searchIndex.status();
  await searchIndex.waitUntilIndexed();
  const indexedPerSecond = perSecond();
  done.abort();
  const found = await searching;
  await close(storage, source);
  return { storedPerSecond, indexedPerSecond, unindexedWrites, found };
}

async function close(storage: Storage, source: FileSource): Promise<void> {
  await source.close();
  await storage.close();
}

/** Returns how long each search took, in milliseconds, and how many were refused because the index is too far behind. */
async function searchUntil(
  stop: AbortSignal,
  searchIndex: SearchIndex,
): Promise<{ readonly latencies: number[]; readonly refused: number }> {
  const latencies: number[] = [];
  let refused = 0;
  while (!stop.aborted) {
    const query = parseQuery({ text: 'beam' }, { nowMs: Date.now(), zone: 'UTC' });
    const startedMs = performance.now();
    try {
      await searchIndex.search(query, { signal });
      latencies.push(performance.now() - startedMs);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'search.index-building') throw error;
      refused += 1;
    }
    await sleep(searchPauseMs);
  }
  return { latencies, refused };
}
