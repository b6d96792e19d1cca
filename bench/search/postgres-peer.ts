import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { EntryReader } from '../../src/entries/entry-store.port.js';
import { PostgresServer } from '../../test/fixtures/postgres-server.js';
import type { Line } from '../report.js';
import { type Corpus, corpusEdition } from './corpus.js';
import type { MeasuredRow } from './engine-rows.js';
import { loadPostgres } from './load-postgres.js';
import { measureSearches } from './measure-searches.js';
import { searchPostgres } from './postgres-search.js';
import { queriesOf } from './rows.js';

/** Maximum duration of a statement. A row that takes longer is given up. */
const statementTimeoutMs = 20_000;

const serverSettings = [
  'shared_buffers=1GB',
  'work_mem=64MB',
  'maintenance_work_mem=512MB',
  'max_wal_size=8GB',
  'synchronous_commit=off',
  'random_page_cost=1.1',
  'effective_cache_size=4GB',
  'default_toast_compression=lz4',
];

/** Measures the same searches on the same entries in PostgreSQL, which keeps the entries in `dir` for the next run. */
export async function comparePostgres(
  corpus: Corpus,
  entries: EntryReader,
  ours: readonly MeasuredRow[],
  options: {
    readonly dir: string;
    readonly fresh: boolean;
    readonly seconds: number;
    readonly signal: AbortSignal;
  },
): Promise<Line[]> {
  const { dir, signal } = options;
  const marker = join(dir, 'corpus.json');
  const content = JSON.stringify({ edition: corpusEdition, seed: corpus.seed, entries: corpus.entries });
  const loaded = !options.fresh && existsSync(marker) && readFileSync(marker, 'utf8') === content;
  if (!loaded) removeCluster(dir);
  signal.throwIfAborted();
  const server = await PostgresServer.start(dir, serverSettings);
  const stop = () => void server.stop();
  signal.addEventListener('abort', stop);
  try {
    const client = await server.connect();
    const lines: Line[] = [];
    if (!loaded) {
      const startedMs = performance.now();
      await loadPostgres(server, client, entries, corpus.entries, signal);
      writeFileSync(marker, content);
      const ms = performance.now() - startedMs;
      lines.push({
        name: 'PostgreSQL: loaded and indexed',
        figure: `${((corpus.entries * 1_000) / ms).toFixed(0)}/s in ${(ms / 1_000).toFixed(1)} s`,
      });
    }
    lines.push(await sizeLine(client));
    await client.query(`SET statement_timeout = ${statementTimeoutMs}`);
    for (const one of ours) {
      console.error(`postgres: ${one.row.name} …`);
      lines.push(await compareRow(client, corpus, one, options));
    }
    await client.end();
    return lines;
  } finally {
    signal.removeEventListener('abort', stop);
    await server.stop();
  }
}

async function compareRow(
  client: pg.Client,
  corpus: Corpus,
  { row, measured: ours }: MeasuredRow,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
): Promise<Line> {
  const name = `PostgreSQL: ${row.name}`;
  try {
    const theirs = await measureSearches({ search: (query) => searchPostgres(client, query) }, queriesOf(row, corpus), {
      clients: 1,
      seconds,
      signal,
    });
    return {
      name,
      figure: `p50 ${ms(theirs.p50).padStart(7)}   p95 ${ms(theirs.p95).padStart(7)} ms   ${theirs.hits} hits`,
      ratio: `ours p50 ${(ours.p50 / theirs.p50).toFixed(3)}   p95 ${(ours.p95 / theirs.p95).toFixed(3)} x theirs`,
    };
  } catch (error) {
    const canceled = '57014';
    if ((error as { code?: string }).code !== canceled) throw error;
    return { name, figure: `given up after ${statementTimeoutMs / 1_000} s` };
  }
}

async function sizeLine(client: pg.Client): Promise<Line> {
  const { rows } = await client.query<{ tables: number; indexes: number }>(
    `SELECT sum(pg_table_size(oid))::float AS tables, sum(pg_indexes_size(oid))::float AS indexes
     FROM pg_class WHERE relname IN ('entry', 'event', 'term')`,
  );
  const megabytes = (bytes = 0) => `${(bytes / 1_048_576).toFixed(1)} MB`;
  return {
    name: 'PostgreSQL: on the disk',
    figure: `tables ${megabytes(rows[0]?.tables)}, indexes ${megabytes(rows[0]?.indexes)}`,
  };
}

function removeCluster(dir: string): void {
  if (!existsSync(dir)) return;
  if (readdirSync(dir).length > 0 && !existsSync(join(dir, 'PG_VERSION'))) {
    throw new Error(`${dir} holds something other than a PostgreSQL, and would be removed. Take another --dir.`);
  }
  rmSync(dir, { recursive: true, force: true });
}

function ms(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0);
}
