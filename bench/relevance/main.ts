import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { Servers } from '../servers.js';
import { Bm25 } from './bm25.js';
import { rankByService } from './rank-by-service.js';
import { rankByVectors } from './rank-by-vectors.js';
import { createRelevanceLog, queryKinds, type RelevanceQuery } from './relevance-log.js';

/** Returns the numbers of entries for a query, the best first. */
type Ranking = (text: string) => Promise<readonly number[]> | readonly number[];

/** Number of results that count for the mean reciprocal rank. */
const depth = 100;

/** Number of past incidents of each kind and language: none, so that there is nothing to learn, and ten. */
const histories = [0, 10];

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

async function compare(
  log: ReturnType<typeof createRelevanceLog>,
  rankings: Readonly<Record<string, Ranking>>,
): Promise<string[][]> {
  const rows: string[][] = [];
  for (const isHeldOut of halves) {
    for (const kind of queryKinds) {
      const queries = log.queries.filter((query) => query.kind === kind && query.isHeldOut === isHeldOut);
      for (const [name, rank] of Object.entries(rankings)) {
        rows.push([
          String(log.history.length),
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

const { values } = parseArgs({ options: { tuning: { type: 'boolean', default: false } } });
/** With `--tuning`, the held-out queries are not asked. */
const halves = values.tuning ? [false] : [false, true];
const header = ['history', 'half', 'queries', 'count', 'ranking', 'R@1', 'R@5', 'MRR'];
const rows = [header];
const servers = await Servers.in(tmpdir(), []);
try {
  for (const pastIncidents of histories) {
    const log = createRelevanceLog(1, pastIncidents);
    const words = new Bm25(log.entries);
    const service = await servers.startProgram(`relevance-${pastIncidents}`);
    const found = await compare(log, {
      BM25: (text) => words.rank(text),
      distilled: rankByVectors(log.entries, []),
      learned: rankByVectors(log.entries, [...log.history, ...log.entries]),
      service: await rankByService(service, log),
    });
    rows.push(...found);
    await service.stop();
  }
  process.stdout.write(`${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`);
} finally {
  await servers.clear();
}
