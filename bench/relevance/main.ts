import { tmpdir } from 'node:os';
import { Servers } from '../servers.js';
import { Bm25 } from './bm25.js';
import { rankByService } from './rank-by-service.js';
import { rankByVectors } from './rank-by-vectors.js';
import { createRelevanceLog, queryKinds, type RelevanceQuery } from './relevance-log.js';

/** Returns the numbers of entries for a query, the best first. */
type Ranking = (text: string) => Promise<readonly number[]> | readonly number[];

/** Number of results that count for the mean reciprocal rank. */
const depth = 100;

const log = createRelevanceLog(1);
const words = new Bm25(log.entries);

async function measure(queries: readonly RelevanceQuery[], rank: Ranking): Promise<string[]> {
  let [first, five, reciprocal] = [0, 0, 0];
  for (const { text, relevant } of queries) {
    const at = (await rank(text)).slice(0, depth).findIndex((number) => relevant.has(number));
    if (at < 0) continue;
    if (at === 0) first += 1;
    if (at < 5) five += 1;
    reciprocal += 1 / (at + 1);
  }
  return [first, five, reciprocal].map((sum) => (sum / queries.length).toFixed(2));
}

async function compare(rankings: Readonly<Record<string, Ranking>>): Promise<string[][]> {
  const rows: string[][] = [];
  for (const isHeldOut of [false, true]) {
    for (const kind of queryKinds) {
      const queries = log.queries.filter((query) => query.kind === kind && query.isHeldOut === isHeldOut);
      for (const [name, rank] of Object.entries(rankings)) {
        rows.push([
          isHeldOut ? 'held out' : 'tuning',
          kind,
          String(queries.length),
          name,
          ...(await measure(queries, rank)),
        ]);
      }
    }
  }
  return rows;
}

const servers = await Servers.in(tmpdir(), []);
try {
  const service = await servers.startProgram('relevance');
  const rows = await compare({
    BM25: (text) => words.rank(text),
    distilled: rankByVectors(log.entries),
    service: await rankByService(service, log.entries),
  });
  const header = ['half', 'queries', 'count', 'ranking', 'R@1', 'R@5', 'MRR'];
  process.stdout.write(`${log.entries.length} entries, ${log.queries.length} queries\n`);
  process.stdout.write(`${[header, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`);
} finally {
  await servers.clear();
}
