import type { Storage } from '../../src/engines/storage.port.js';
import type { Query } from '../../src/search/query.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import { Bystander } from '../bystander.js';
import type { Measured } from '../latencies.js';
import { atMost, type Line, timings } from '../report.js';
import type { ScatteredReads } from './baseline.js';
import type { Corpus } from './corpus.js';
import { learnWords } from './engine.js';
import { type MeasuredSearches, measureSearches, type Searcher } from './measure-searches.js';
import { PacedWriter } from './paced-writer.js';
import { queriesOf, type SearchRow } from './rows.js';

export interface EngineBench {
  readonly corpus: Corpus;
  readonly dataDir: string;
  readonly storage: Storage;
  readonly searchIndex: SearchIndex;
  /** The engine without the messages to and from its workers. */
  readonly searcher: Searcher;
  readonly baseline: ScatteredReads;
  /** F as it was at the start. */
  readonly f: Measured;
  /** Duration of each row. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** A kind of search and what it took. */
export interface MeasuredRow {
  readonly row: SearchRow;
  readonly measured: Measured;
}

const manyClients = 16;
const writesPerSecond = 100;

/** Measures one search after the other, each kind compared with F just before. */
export async function measureRow(bench: EngineBench, row: SearchRow): Promise<{ line: Line; measured: Measured }> {
  const f = measureF(bench);
  const measured = await measureSearches(bench.searcher, queriesOf(row, bench.corpus), { ...bench, clients: 1 });
  return { line: rowLine(row.name, measured, f, row.aim), measured };
}

export function baselineLine({ f }: EngineBench): Line {
  return { name: 'F: 100 scattered entries by id', figure: figure(f) };
}

/**
 * Measures the counts of all facet values among the matches of a common word; undefined on an engine without facets.
 */
export async function measureFacets(bench: EngineBench, row: SearchRow): Promise<Line | undefined> {
  const { searchIndex } = bench;
  if (!countsFacets(searchIndex)) return undefined;
  const searcher = {
    async search(query: Query) {
      await searchIndex.facets(query);
      return { hitCount: Number.NaN, entries: { kind: 'joined' as const, json: new Uint8Array() } };
    },
  };
  const f = measureF(bench);
  const measured = await measureSearches(searcher, queriesOf(row, bench.corpus), { ...bench, clients: 1 });
  return rowLine(`facet counts of a ${row.name}`, measured, f, undefined);
}

/** Measures searches for the entries similar to an entry, with learned words. */
export async function measureSimilar(bench: EngineBench, row: SearchRow): Promise<Line> {
  const { corpus, dataDir, searchIndex, signal } = bench;
  await learnWords(dataDir, signal);
  let searches = 0;
  const searcher = {
    async search(query: Query) {
      const to = 1 + ((searches++ * 7_919) % corpus.entries);
      const found = await searchIndex.similar({ to, query, size: 10 });
      return { hitCount: found.length, entries: { kind: 'joined' as const, json: new Uint8Array() } };
    },
  };
  const f = measureF(bench);
  const measured = await measureSearches(searcher, queriesOf(row, corpus), { ...bench, clients: 1 });
  return rowLine('similar entries', measured, f, undefined);
}

/** Measures searches through the port, from one caller and from many at the same time. */
export async function measureClients(bench: EngineBench, row: SearchRow): Promise<Line[]> {
  const { corpus, searchIndex } = bench;
  const lines: Line[] = [];
  for (const clients of [1, manyClients]) {
    const measured = await measureSearches(searchIndex, queriesOf(row, corpus), { ...bench, clients });
    const name = `${row.name}, ${clients === 1 ? '1 client' : `${clients} clients`}`;
    lines.push({ name, figure: timings(measured) });
  }
  return lines;
}

/** Measures searches while entries are created, and what each costs the other. */
export async function measureWhileWriting(bench: EngineBench, rows: readonly SearchRow[]): Promise<Line[]> {
  const { corpus, searchIndex, seconds, signal } = bench;
  const through = (row: SearchRow) =>
    measureSearches(searchIndex, queriesOf(row, corpus), { clients: 1, seconds, signal });
  const writer = await PacedWriter.of(bench.storage, corpus, writesPerSecond);
  const bystander = await Bystander.beside(bench.dataDir);
  const lines: Line[] = [];
  try {
    writer.start();
    await pause(seconds);
    const alone = await writer.stop();
    lines.push({ name: `creates, ${writesPerSecond} a second, no search`, figure: timings(alone) });
    for (const row of rows) {
      await bystander.witnessed();
      const quiet = await through(row);
      const { append } = await bystander.witnessed();
      writer.start();
      const busy = await through(row);
      const writes = await writer.stop();
      lines.push(
        {
          name: `${row.name}, while creating`,
          figure: timings(busy),
          ratio: `p95 ${(busy.p95 / quiet.p95).toFixed(1)} x without (${ms(quiet.p95)} ms)`,
        },
        {
          name: '   creates during these searches',
          figure: timings(writes),
          ratio: `p95 ${(writes.p95 / alone.p95).toFixed(1)} x without a search`,
        },
        { name: '   S: 4 kB and fsync during the search', figure: timings(append) },
      );
    }
    return lines;
  } finally {
    await writer.stop();
    await bystander.stop();
  }
}

/** Returns F now or at the start, whichever is less: what disturbs F must not excuse a slow row. */
function measureF({ baseline, f, seconds }: EngineBench): Pick<Measured, 'p50' | 'p95'> {
  const now = baseline.measure(Math.min(seconds / 4, 1));
  return { p50: Math.min(now.p50, f.p50), p95: Math.min(now.p95, f.p95) };
}

function rowLine(
  name: string,
  measured: MeasuredSearches,
  f: Pick<Measured, 'p50' | 'p95'>,
  aim: number | undefined,
): Line {
  const times = measured.p95 / f.p95;
  const hits = Number.isNaN(measured.hits) ? '' : `   ${measured.hits} hits`;
  return {
    name,
    figure: `${figure(measured)}${hits}`,
    ratio: `p50 ${(measured.p50 / f.p50).toFixed(2)}   p95 ${times.toFixed(2)} x F (p95 ${ms(f.p95)} ms)`,
    ...(aim !== undefined && { aim: atMost(times, aim, 'x F') }),
  };
}

function figure({ p50, p95 }: Measured): string {
  return `p50 ${ms(p50).padStart(7)}   p95 ${ms(p95).padStart(7)} ms`;
}

function ms(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0);
}

interface FacetCounter {
  facets(query: Query): Promise<unknown>;
}

function countsFacets(searchIndex: object): searchIndex is FacetCounter {
  return 'facets' in searchIndex && typeof searchIndex.facets === 'function';
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}
