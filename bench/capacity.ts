import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresOptions } from '../src/engines/postgres/postgres-options.js';
import { migratePostgres } from '../src/engines/postgres/postgres-storage.js';
import { loadSqlite } from '../src/engines/sqlite/database/connection.js';
import { untilAborted } from '../src/kernel/with-timeout.js';
import { silentLog } from '../test/fixtures/log.js';
import { openIndex } from '../test/fixtures/opensearch-engine.js';
import { hasOpenSearch, OpenSearchServer } from '../test/fixtures/opensearch-server.js';
import { PostgresEngine } from '../test/fixtures/postgres-engine.js';
import { openNode } from '../test/fixtures/postgres-replica.js';
import { fill } from './fill-storage.js';
import { runInterruptibly } from './interruption.js';

/** Measures the cost of an entry in each engine, and how long a new node needs until it can search. */
const count = Number(process.argv[2] ?? '50000');

await runInterruptibly(async (signal) => {
  const engine = await PostgresEngine.start(['fsync=off', 'shared_buffers=256MB', 'autovacuum=off']);
  try {
    const options = engine.newOptions();
    await untilAborted(signal, () => reportPostgres(engine, options));
    if (!hasOpenSearch) return;
    const server = await OpenSearchServer.start();
    try {
      await untilAborted(signal, () => reportOpenSearch(engine, options, server));
    } finally {
      await server.stop();
    }
  } finally {
    await engine.stop();
  }
});

async function reportPostgres(engine: PostgresEngine, options: PostgresOptions): Promise<void> {
  await migratePostgres(options, silentLog, undefined);
  const { storage } = await engine.openIn(options);
  const documentBytes = await fill(storage, count);
  await storage.close();
  report('JSON of the entries', documentBytes);
  await reportTables(engine, options.schema);
  await reportNode(engine, options);
}

async function reportNode(engine: PostgresEngine, options: PostgresOptions): Promise<void> {
  const dir = join(engine.dir, 'replica');
  const startedMs = performance.now();
  const node = await openNode(engine, options, dir);
  await node.searchIndex.waitUntilIndexed();
  const seconds = (performance.now() - startedMs) / 1_000;
  await node.updater.close();
  await node.storage.close();
  report('replica on a node: entries', await sizeOf(join(dir, 'entries.sqlite')));
  report('replica on a node: index', await sizeOf(join(dir, 'search.sqlite')));
  console.log(`a new node was ready after ${seconds.toFixed(1)} s (${Math.round(count / seconds)} entries a second)`);
}

async function reportOpenSearch(
  engine: PostgresEngine,
  options: PostgresOptions,
  server: OpenSearchServer,
): Promise<void> {
  const { storage } = await engine.openIn(options);
  try {
    const startedMs = performance.now();
    const opensearch = server.newOptions({ requestTimeoutMs: 60_000 });
    const index = await openIndex(storage, opensearch);
    const isIndexed = () =>
      index.waitUntilIndexed().then(
        () => true,
        () => false,
      );
    while (!(await isIndexed())) await sleep(500);
    const seconds = (performance.now() - startedMs) / 1_000;
    await index.close();
    await server.request('POST', `/${opensearch.indexName}/_flush`);
    const stats = await server.request<{ _all: { primaries: { store: { size_in_bytes: number } } } }>(
      'GET',
      `/${opensearch.indexName}/_stats/store`,
    );
    report('index on OpenSearch, each copy', stats._all.primaries.store.size_in_bytes);
    console.log(`OpenSearch had everything after ${seconds.toFixed(1)} s`);
  } finally {
    await storage.close();
  }
}

async function reportTables(engine: PostgresEngine, schema: string): Promise<void> {
  const rows = await engine.query(`
    SELECT c.relname AS name, pg_total_relation_size(c.oid)::float8 AS bytes FROM pg_class c
    WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind = 'r' ORDER BY 2 DESC`);
  const sizes = rows.map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) }));
  report(
    'PostgreSQL: all tables with their indexes',
    sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  for (const { name, bytes } of sizes.slice(0, 6)) report(`  ${name}`, bytes);
}

/** Returns the size of an unused database, without its write-ahead log. */
async function sizeOf(file: string): Promise<number> {
  const DatabaseSync = await loadSqlite();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return (await stat(file)).size;
}

function report(name: string, bytes: number): void {
  const each = Math.round(bytes / count);
  console.log(
    `${name.padEnd(44)} ${(bytes / 1e6).toFixed(1).padStart(8)} MB ${String(each).padStart(7)} bytes an entry`,
  );
}
