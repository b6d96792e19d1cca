import type pg from 'pg';
import type { PostgresEngine } from '../../test/fixtures/postgres-engine.js';
import { Latencies, type Measured } from '../latencies.js';
import { load, type Request } from '../load.js';
import { type Aim, atLeast, timings } from '../report.js';
import { getEntry, putEntry } from '../requests.js';
import type { Corpus, CorpusEntry } from '../search/corpus.js';
import { searchRequest } from '../search/http-rows.js';
import { paramsOf, type SearchRow, searchRows } from '../search/rows.js';
import { print, type Side, type Sides } from './sides.js';

/** One search of each kind. */
const searches = [
  ...['newest', 'rare', 'mid', 'common', 'two-common'],
  ...['word-tag', 'month', 'phrase', 'device', 'prefix'],
];

interface RowOptions {
  readonly corpus: Corpus;
  /** Duration of each load. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Measures the same loads on every side, one after the other. */
export async function measureRows({ embedded, others, engine }: Sides, options: RowOptions): Promise<void> {
  const { corpus, seconds, signal } = options;
  const row = async (
    name: string,
    clients: number,
    request: (index: number) => Request,
    aim?: (ratio: number) => Aim,
  ) => {
    signal.throwIfAborted();
    const measure = ({ origins }: Side) => load(origins, clients, seconds, request);
    const inWords = `${name}, ${clients} ${clients === 1 ? 'client' : 'clients'}`;
    const first = await measure(embedded);
    print({ name: `${inWords}: embedded`, figure: timings(first) });
    const measured: Measured[] = [first];
    for (const [at, side] of others.entries()) {
      const other = await measure(side);
      measured.push(other);
      const ratio = other.perSecond / first.perSecond;
      const inTimes = `p50 ${(other.p50 / first.p50).toFixed(2)} x, p95 ${(other.p95 / first.p95).toFixed(2)} x`;
      print({
        name: `${inWords}: ${side.name}`,
        figure: timings(other),
        ratio: `${ratio.toFixed(2)} of the rate, ${inTimes}`,
        ...(aim && at === 0 && { aim: aim(ratio) }),
      });
    }
    return measured;
  };
  await row('GET /logs/{id}', 16, (index) => getEntry(1 + ((index * 7_919) % corpus.entries)));
  for (const name of searches) {
    const kind = searchRows[name] as SearchRow;
    const requests = paramsOf(kind, corpus).map(searchRequest);
    const next = (index: number) => requests[index % requests.length] as Request;
    // A rate of 0.83 is a time of 1.2.
    for (const clients of [1, 16]) {
      await row(kind.name, clients, next, clients === 1 ? (ratio) => atLeast(ratio, 0.83, 'of the rate') : undefined);
    }
  }
  await measureCreates(row, engine, options);
}

/**
 * Compares creates with inserts of the same documents into a bare table, on separate connections and each durable
 * before its answer.
 */
async function measureCreates(
  row: (name: string, clients: number, request: (index: number) => Request) => Promise<Measured[]>,
  engine: PostgresEngine,
  { corpus, seconds }: RowOptions,
): Promise<void> {
  const entry = (index: number) => sentEntry(corpus.entry(index % corpus.entries));
  for (const clients of [1, 16, 64]) {
    const [, node] = await row('PUT /logs', clients, (index) => putEntry(entry(index)));
    const bare = await measureInserts(engine, clients, seconds, (index) => JSON.stringify(entry(index)));
    const ratio = (node?.perSecond ?? 0) / bare.perSecond;
    print({
      name: `D: INSERT into a bare table, ${clients} connections`,
      figure: timings(bare),
      ratio: `one node has ${ratio.toFixed(2)} of it`,
      ...(clients === 64 && { aim: atLeast(ratio, 0.5, 'x D') }),
    });
  }
}

function sentEntry({ content }: CorpusEntry): object {
  const { title, description, level, logbooks, tags, properties } = content;
  const named = (items: readonly { name: string }[]) => items.map(({ name }) => ({ name }));
  return { title, source: description, level, logbooks: named(logbooks), tags: named(tags), properties };
}

async function measureInserts(
  engine: PostgresEngine,
  connections: number,
  seconds: number,
  document: (index: number) => string,
): Promise<Measured> {
  await engine.query('CREATE TABLE bare (id bigserial PRIMARY KEY, document text NOT NULL)');
  const clients = await Promise.all(Array.from({ length: connections }, () => engine.server.connect()));
  try {
    let index = 0;
    const insert = (client: pg.Client) =>
      client.query({ name: 'insert', text: 'INSERT INTO bare (document) VALUES ($1)', values: [document(index++)] });
    const run = async (ms: number) => {
      const latencies = new Latencies();
      const endMs = performance.now() + ms;
      await Promise.all(
        clients.map(async (client) => {
          while (performance.now() < endMs) {
            const sentMs = performance.now();
            await insert(client);
            latencies.add(performance.now() - sentMs);
          }
        }),
      );
      return latencies.summary();
    };
    await run(seconds * 500);
    return await run(seconds * 1_000);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await engine.query('DROP TABLE bare');
  }
}
