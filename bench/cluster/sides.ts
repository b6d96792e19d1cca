import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migratePostgres, openPostgresStorage } from '../../src/engines/postgres/postgres-storage.js';
import { untilAborted } from '../../src/kernel/with-timeout.js';
import { nodeSettings } from '../../test/fixtures/cluster.js';
import { silentIntegrity, silentLog } from '../../test/fixtures/log.js';
import { OpenSearchServer } from '../../test/fixtures/opensearch-server.js';
import { PostgresEngine } from '../../test/fixtures/postgres-engine.js';
import { type Line, streamedLine } from '../report.js';
import type { Corpus } from '../search/corpus.js';
import { loadCorpus, storeCorpus } from '../search/load-corpus.js';
import { type RunningServer, Servers } from '../servers.js';

/** One service, by the origins of its nodes. */
export interface Side {
  readonly name: string;
  readonly origins: readonly string[];
}

/** The same entries in different engines. */
export interface Sides {
  readonly embedded: Side;
  /** Services on PostgreSQL: one node and, if wanted, several nodes and a node with another index. */
  readonly others: readonly Side[];
  readonly engine: PostgresEngine;
}

export interface SideOptions {
  readonly corpus: Corpus;
  /** Data directory of the embedded engine with the corpus; a copy is measured. */
  readonly dataDir: string;
  readonly nodes: number;
  readonly hasOpenSearch: boolean;
  readonly signal: AbortSignal;
}

const readyWithinMs = 3_600_000;

/** A closed store is complete without its logs: they are empty, and are removed once the search threads have ended. */
const isComplete = (file: string) => !/-(wal|shm)$/.test(file);

/** Fills the engines, starts the program on each, and stops everything after `measure`. */
export async function withSides(options: SideOptions, measure: (sides: Sides) => Promise<void>): Promise<void> {
  const { corpus, dataDir, nodes, hasOpenSearch, signal } = options;
  await loadCorpus(corpus, dataDir, { fresh: false, signal });
  const servers = await Servers.in(dirname(dataDir), []);
  let [engine, search]: [PostgresEngine?, OpenSearchServer?] = [];
  try {
    engine = await PostgresEngine.start(['shared_buffers=512MB', 'max_wal_size=4GB', 'max_connections=300']);
    search = hasOpenSearch ? await OpenSearchServer.start({ isMeasured: true }) : undefined;
    signal.throwIfAborted();
    await cp(dataDir, join(servers.dir, 'embedded'), { recursive: true, filter: isComplete });
    const embedded = await servers.startProgram('embedded');
    const shared = await fillPostgres(engine, servers, corpus, signal);
    const running: RunningServer[] = [];
    for (let number = 1; number <= nodes; number++) {
      const node = await startNode(servers, `node-${number}`, shared, signal);
      running.push(node);
      print({ name: `node ${number} ready, index included`, figure: `${(node.readyMs / 1_000).toFixed(1)} s` });
    }
    const origins = running.map(({ origin }) => origin);
    const others: Side[] = [{ name: 'one node', origins: origins.slice(0, 1) }];
    if (nodes > 1) others.push({ name: `${nodes} nodes`, origins });
    if (search) {
      const env = { ...shared, LOGBOOK_INDEX: 'opensearch', LOGBOOK_OPENSEARCH_NODES: search.node };
      const node = await startNode(servers, 'node-opensearch', { ...env, LOGBOOK_OPENSEARCH_REPLICAS: '0' }, signal);
      print({ name: 'OpenSearch has all entries', figure: `${(node.readyMs / 1_000).toFixed(1)} s` });
      others.push({ name: 'OpenSearch', origins: [node.origin] });
    }
    const sides = { embedded: { name: 'embedded', origins: [embedded.origin] }, others, engine };
    await untilAborted(signal, () => measure(sides));
  } finally {
    await servers.clear();
    await Promise.all([engine?.stop(), search?.stop()]);
  }
}

export function print(line: Line): void {
  console.log(streamedLine(line));
}

/** Fills a database. Returns the environment variables of its nodes. */
async function fillPostgres(
  engine: PostgresEngine,
  servers: Servers,
  corpus: Corpus,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const options = engine.newOptions({ poolSize: 10 });
  await migratePostgres(options, silentLog, undefined);
  const shared = toEnvironment(nodeSettings(options, join(servers.dir, 'attachments')));
  // Claims the directory of the attachments, which must be empty while the logbook is new.
  await (await servers.startProgram('first-node', shared)).stop();
  const storage = await openPostgresStorage(options, { log: silentLog, integrity: silentIntegrity() });
  const startedMs = performance.now();
  await storeCorpus(storage, corpus, signal).finally(() => storage.close());
  const seconds = (performance.now() - startedMs) / 1_000;
  const figure = `${(corpus.entries / seconds).toFixed(0)}/s in ${seconds.toFixed(0)} s`;
  print({ name: 'stored in PostgreSQL, including the time to generate them', figure });
  await engine.query('ANALYZE');
  return shared;
}

/** Starts a node; it is ready once searches find everything. */
async function startNode(
  servers: Servers,
  name: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<RunningServer> {
  const startedMs = performance.now();
  const node = await servers.startProgram(name, env);
  while (performance.now() - startedMs < readyWithinMs) {
    const found = await fetch(`${node.origin}/logbook/logs/search?size=1`, { signal });
    await found.arrayBuffer();
    if (found.ok) return { ...node, readyMs: performance.now() - startedMs };
    await sleep(200, undefined, { signal });
  }
  throw new Error(`${name} has not copied everything within an hour`);
}

function toEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const variable = (name: string) => `LOGBOOK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [variable(name), value]));
}
