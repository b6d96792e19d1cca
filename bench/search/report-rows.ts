import { join } from 'node:path';
import type { Bench } from '../bench.js';
import type { Line } from '../report.js';
import { ScatteredReads } from './baseline.js';
import { Corpus } from './corpus.js';
import { openEngine, openSearcher } from './engine.js';
import { baselineLine, type EngineBench, measureFacets, measureRow } from './engine-rows.js';
import { loadCorpus } from './load-corpus.js';
import { searchRows } from './rows.js';

/** Kinds of searches in the table of all benchmarks, each limited by a different part of the search. */
const chosen = 'newest rare common two-common four-facets any-phrase device prefix suffix-4500'.split(' ');

/** Measures searches in the engine, one after the other, on generated entries. */
export async function measureSearch({ servers, seconds, entries }: Bench): Promise<Line[]> {
  const corpus = new Corpus(1, entries);
  const dataDir = join(servers.dir, 'search');
  const { signal } = new AbortController();
  await loadCorpus(corpus, dataDir, { fresh: true, signal });
  const { storage, searchIndex } = await openEngine(dataDir);
  const baseline = await ScatteredReads.of(dataDir, entries);
  const searcher = await openSearcher(dataDir);
  try {
    const f = baseline.measureWarm(seconds);
    const bench: EngineBench = { corpus, dataDir, storage, searchIndex, searcher, baseline, f, seconds, signal };
    const lines = [baselineLine(bench)];
    for (const row of chosen.flatMap((name) => searchRows[name] ?? [])) lines.push((await measureRow(bench, row)).line);
    const facets = searchRows.common && (await measureFacets(bench, searchRows.common));
    if (facets) lines.push(facets);
    const among = `${entries.toLocaleString('en')} entries`;
    return lines.map((line, at) => (at === 0 ? line : { ...line, name: `search in ${among}: ${line.name}` }));
  } finally {
    searcher.close();
    baseline.close();
    await storage.close();
  }
}
