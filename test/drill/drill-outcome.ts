import type { Entry } from '../../src/entries/entry.js';
import type { Cluster } from '../fixtures/cluster.js';
import type { PostgresServer } from '../fixtures/postgres-server.js';
import { call } from '../fixtures/service.js';
import type { DrillRecord, FollowedChanges } from './drill-record.js';

const pageSize = 1_000;

/** What a drill has found. All but the first rows must be 0. */
export interface DrillOutcome {
  readonly acknowledged: number;
  readonly searches: number;
  readonly kills: number;
  readonly failovers: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly lost: number;
  readonly twice: number;
  /** Searches that lacked a write that was acknowledged before. */
  readonly staleSearches: number;
  readonly eventsMissing: number;
  readonly eventsTwice: number;
  readonly eventsOutOfOrder: number;
  /** Entries that the search of some node shows otherwise than the database has them. */
  readonly indexDifferences: number;
}

interface StoredEntry {
  readonly id: number;
  readonly edits: number;
  readonly document: string;
}

/** Compares what is stored, and what each node finds, with what was acknowledged. */
export async function inspect(
  cluster: Cluster,
  database: PostgresServer,
  record: DrillRecord,
  followers: readonly FollowedChanges[],
): Promise<DrillOutcome> {
  const stored = await readStored(cluster, database);
  const sum = (count: (one: FollowedChanges) => number) => followers.reduce((total, one) => total + count(one), 0);
  const differences = await Promise.all(cluster.nodes.map(({ base }) => countDifferences(base, stored)));
  return {
    acknowledged: record.writes,
    searches: record.searches,
    kills: record.kills,
    failovers: record.failovers,
    refusals: Object.fromEntries(record.refusals),
    ...compare(stored, record),
    staleSearches: record.stale.length,
    eventsMissing: sum((one) => one.missing(record)),
    eventsTwice: sum((one) => one.twice),
    eventsOutOfOrder: sum((one) => one.outOfOrder),
    indexDifferences: differences.reduce((total, count) => total + count, 0),
  };
}

async function readStored({ options }: Cluster, database: PostgresServer): Promise<ReadonlyMap<number, StoredEntry>> {
  const client = await database.connect();
  try {
    const { rows } = await client.query<{ id: string; edits: number; document: string }>(
      `SELECT id, document, (SELECT count(*)::int FROM ${options.schema}.archived_entry WHERE entry_id = id) AS edits
       FROM ${options.schema}.entry`,
    );
    return new Map(rows.map((row) => [Number(row.id), { ...row, id: Number(row.id) }]));
  } finally {
    await client.end();
  }
}

/** Every write was repeated until it was acknowledged: nothing else may be stored, and nothing more often. */
function compare(stored: ReadonlyMap<number, StoredEntry>, record: DrillRecord): { lost: number; twice: number } {
  let [lost, twice] = [0, 0];
  for (const [id, edits] of record.edits) {
    const entry = stored.get(id);
    if (!entry || (JSON.parse(entry.document) as Entry).title !== record.titles.get(id)) lost += 1;
    twice += Math.max(0, (entry?.edits ?? 0) - edits);
  }
  for (const id of stored.keys()) if (!record.edits.has(id)) twice += 1;
  return { lost, twice };
}

async function countDifferences(base: string, stored: ReadonlyMap<number, StoredEntry>): Promise<number> {
  const found = new Map<number, string>();
  for (let from = 0; ; from += pageSize) {
    const { body, text, status } = await call(`${base}/logs?size=${pageSize}&from=${from}&sort=up`);
    if (status !== 200) throw new Error(`a search got ${status} ${text}`);
    const page = body as Entry[];
    for (const entry of page) found.set(entry.id, JSON.stringify(entry));
    if (page.length < pageSize) break;
  }
  const ids = new Set([...found.keys(), ...stored.keys()]);
  return [...ids].filter((id) => found.get(id) !== stored.get(id)?.document).length;
}

/** The outcome as a table. */
export function describeOutcome({ refusals, ...counts }: DrillOutcome): string {
  const rows: [string, number][] = [
    ['writes acknowledged', counts.acknowledged],
    ['searches for them, through any node', counts.searches],
    ['nodes killed', counts.kills],
    ['fail-overs of the database', counts.failovers],
    ['acknowledged writes lost', counts.lost],
    ['writes stored twice', counts.twice],
    ['searches that lacked an acknowledged write', counts.staleSearches],
    ['events lost', counts.eventsMissing],
    ['events received twice', counts.eventsTwice],
    ['events out of order', counts.eventsOutOfOrder],
    ['entries that an index has otherwise', counts.indexDifferences],
  ];
  const refused = Object.entries(refusals).map(([reason, count]) => `  refused: ${reason} × ${count}`);
  return [...rows.map(([name, count]) => `${name.padEnd(46)} ${String(count).padStart(8)}`), ...refused].join('\n');
}
