import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../../src/entries/entry.js';
import type { Cluster } from '../fixtures/cluster.js';
import type { PostgresServer } from '../fixtures/postgres-server.js';
import { type Answer, call } from '../fixtures/service.js';
import type { DrillRecord, FollowedChanges } from './drill-record.js';

const pageSize = 1_000;
const answeredWithinMs = 300_000;
/** Approximate number of titles for which each node is asked. */
const sampledTitles = 100;

/** Findings of a drill. All but the first rows must be 0. */
export interface DrillOutcome {
  readonly acknowledged: number;
  readonly searches: number;
  readonly files: number;
  readonly downloads: number;
  readonly kills: number;
  /** Starts of a node that failed because it reached no database, and were repeated. */
  readonly failedStarts: number;
  readonly failovers: number;
  /** Number of outages of each server. */
  readonly outages: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Record<string, number>>;
  readonly lost: number;
  readonly twice: number;
  /** Ids that two entries were given. */
  readonly repeatedIds: number;
  /** Files that a node sends with other bytes than were acknowledged, or not at all. */
  readonly filesDamaged: number;
  /** Searches that lacked a write that was acknowledged before. */
  readonly staleSearches: number;
  readonly eventsMissing: number;
  readonly eventsTwice: number;
  readonly eventsOutOfOrder: number;
  /** Entries that the search of some node shows with another content than the database has, or finds by other words. */
  readonly indexDifferences: number;
}

export interface StoredEntry {
  readonly id: number;
  /** Number of archived versions. */
  readonly edits: number;
  readonly document: string;
}

/** Compares what is stored, and what each node finds, with what was acknowledged. */
export async function inspect(
  cluster: Cluster,
  database: PostgresServer,
  record: DrillRecord,
  receivers: readonly FollowedChanges[],
): Promise<DrillOutcome> {
  const stored = await readStored(cluster, database);
  const sum = (count: (one: FollowedChanges) => number) => sumOf(receivers.map(count));
  const bases = cluster.nodes.map(({ base }) => base);
  const differences = await Promise.all(bases.map((base) => countDifferences(base, stored)));
  const wrong = await Promise.all(bases.map((base) => countWrongSearches(base, record)));
  const damaged = await Promise.all(bases.map((base) => countDamagedFiles(base, record)));
  return {
    acknowledged: record.writes,
    searches: record.searches,
    files: record.files.size,
    downloads: record.downloads,
    kills: record.kills,
    failedStarts: record.failedStarts,
    failovers: record.failovers,
    outages: Object.fromEntries(record.outages),
    repeatedIds: record.repeatedIds,
    filesDamaged: record.wrongFiles.length + sumOf(damaged),
    refusals: Object.fromEntries(record.refusals),
    ...compare(stored, record),
    staleSearches: record.stale.length,
    eventsMissing: sum((one) => one.missing(record)),
    eventsTwice: sum((one) => one.twice),
    eventsOutOfOrder: sum((one) => one.outOfOrder),
    indexDifferences: sumOf([...differences, ...wrong]),
  };
}

const sumOf = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/**
 * Sends the request until it succeeds: a search or a download may have to catch up.
 * @throws Error when it does not
 */
async function untilAnswered(url: string): Promise<Answer> {
  for (const endMs = performance.now() + answeredWithinMs; ; await sleep(200)) {
    const answer = await call(url);
    if (answer.status === 200) return answer;
    if (answer.status !== 503 || performance.now() > endMs)
      throw new Error(`${url} got ${answer.status} ${answer.text}`);
  }
}

async function countDamagedFiles(base: string, { files }: DrillRecord): Promise<number> {
  let damaged = 0;
  for (const [path, digest] of files) {
    const { text } = await untilAnswered(`${base}${path}`);
    if (hash('sha256', text) !== digest) damaged += 1;
  }
  return damaged;
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
export function compare(
  stored: ReadonlyMap<number, StoredEntry>,
  record: DrillRecord,
): { lost: number; twice: number } {
  let [lost, twice] = [0, 0];
  for (const [id, edits] of record.edits) {
    const entry = stored.get(id);
    const archived = entry?.edits ?? 0;
    if (!entry || (JSON.parse(entry.document) as Entry).title !== record.titles.get(id)) lost += 1;
    lost += Math.max(0, edits - archived);
    twice += Math.max(0, archived - edits);
  }
  for (const id of stored.keys()) if (!record.edits.has(id)) twice += 1;
  return { lost, twice };
}

async function countDifferences(base: string, stored: ReadonlyMap<number, StoredEntry>): Promise<number> {
  const found = new Map<number, string>();
  for (let from = 0; ; from += pageSize) {
    const { body } = await untilAnswered(`${base}/logs?size=${pageSize}&from=${from}&sort=up`);
    const page = body as Entry[];
    for (const entry of page) found.set(entry.id, JSON.stringify(entry));
    if (page.length < pageSize) break;
  }
  const ids = new Set([...found.keys(), ...stored.keys()]);
  return [...ids].filter((id) => found.get(id) !== stored.get(id)?.document).length;
}

/** Counts wrong answers to searches for a sample of current titles, and for a sample of replaced ones. */
async function countWrongSearches(base: string, { titles, replaced }: DrillRecord): Promise<number> {
  const expected = [
    ...sample([...titles.values()]).map((title) => [title, 1] as const),
    ...sample(replaced).map((title) => [title, 0] as const),
  ];
  let wrong = 0;
  for (const [title, count] of expected) {
    const { body } = await untilAnswered(`${base}/logs/search?title=${title}&size=1`);
    if (body.hitCount !== count) wrong += 1;
  }
  return wrong;
}

function sample(titles: readonly string[]): string[] {
  const step = Math.max(1, Math.floor(titles.length / sampledTitles));
  return titles.filter((_title, at) => at % step === 0);
}

/** Counts the findings that must be 0. */
export function countFailures(outcome: DrillOutcome): number {
  const { lost, twice, repeatedIds, filesDamaged, staleSearches, indexDifferences } = outcome;
  const { eventsMissing, eventsTwice, eventsOutOfOrder } = outcome;
  const events = eventsMissing + eventsTwice + eventsOutOfOrder;
  return lost + twice + repeatedIds + filesDamaged + staleSearches + indexDifferences + events;
}

/** The outcome as a table. */
export function describeOutcome({ refusals, outages, ...counts }: DrillOutcome): string {
  const rows: [string, number][] = [
    ['writes acknowledged', counts.acknowledged],
    ['searches for them, through any node', counts.searches],
    ['files acknowledged', counts.files],
    ['downloads of them, through any node', counts.downloads],
    ['nodes killed', counts.kills],
    ['starts that reached no database, repeated', counts.failedStarts],
    ['fail-overs of the database', counts.failovers],
    ...Object.entries(outages).map(([server, count]): [string, number] => [`outages: ${server}`, count]),
    ['acknowledged writes lost', counts.lost],
    ['writes stored twice', counts.twice],
    ['ids given twice', counts.repeatedIds],
    ['files lost or damaged', counts.filesDamaged],
    ['searches that lacked an acknowledged write', counts.staleSearches],
    ['events lost', counts.eventsMissing],
    ['events received twice', counts.eventsTwice],
    ['events out of order', counts.eventsOutOfOrder],
    ['entries that differ in an index', counts.indexDifferences],
  ];
  const refused = Object.entries(refusals).map(([reason, count]) => `  refused: ${reason} × ${count}`);
  return [...rows.map(([name, count]) => `${name.padEnd(46)} ${String(count).padStart(8)}`), ...refused].join('\n');
}
