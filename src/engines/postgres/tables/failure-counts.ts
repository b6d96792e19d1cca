import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BegunAttempt, FailureCounter, FailureCounts, ReachedCounter } from '../../../auth/sign-in-state.port.js';
import { upTo } from '../../../kernel/cache-limits.js';
import type { SqlValue } from '../../sql/dialect.js';
import { GroupedRead } from '../database/grouped-read.js';
import type { ReadPool } from '../database/read-pool.js';
import { runPrepared } from '../database/statements.js';

/** Time for which an attempt that never ends counts as in flight. */
const maxFlightMs = 60_000;
const trustedDays = 90;
const maxKnownTrusted = 10_000;
/** Time for which a node remembers a trusted key before it looks the key up and records its use again. */
const knownTrustedMs = 3_600_000;
/** Maximum number of expired failures removed at the end of an attempt. */
const removedAtOnce = 100;

/**
 * Commits without waiting for the disk. All nodes still see the counts immediately; a crash loses only the newest
 * counts.
 */
const withoutWaitingForDisk = 'SET LOCAL synchronous_commit = off';

type Run = <T extends object>(sql: string, ...values: SqlValue[]) => Promise<T[]>;

interface CountRow {
  readonly key: string;
  readonly failed: number;
  readonly in_flight: number;
  /** Time in milliseconds until the number of failures falls below the limit; null: it is below. */
  readonly wait_ms: number | null;
}

/**
 * Failed attempts, counted for all nodes by the clock of the database server. Every request with a password reads them;
 * concurrent reads are answered together.
 */
export class PostgresFailureCounts implements FailureCounts {
  private readonly reached = new GroupedRead((questions: readonly (readonly FailureCounter[])[]) =>
    this.findAllReached(questions),
  );
  private readonly trusted = new GroupedRead((keys: readonly string[]) => this.findTrusted(keys));
  /** Keys known to be trusted; they remain so for days. */
  private readonly knownTrusted = new LRUCache<string, true>({ ...upTo(maxKnownTrusted), ttl: knownTrustedMs });

  constructor(private readonly pool: ReadPool) {}

  findReached(counters: readonly FailureCounter[]): Promise<ReachedCounter | undefined> {
    return this.reached.ask(counters);
  }

  async begin(counters: readonly FailureCounter[]): Promise<BegunAttempt> {
    return this.run(async (run) => {
      const attempt = randomUUID();
      await run('BEGIN');
      try {
        const rows = await lockAndCount(run, counters);
        const result = decide(counters, rows, attempt);
        const stored = result.kind === 'begun' ? putInFlight(run, attempt, counters) : undefined;
        await Promise.all([stored, run('COMMIT')]);
        return result;
      } catch (error) {
        await run('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  async end(attempt: string, failed: boolean, clear?: string): Promise<void> {
    await this.run(async (run) => {
      const began = [run('BEGIN'), run(withoutWaitingForDisk)];
      const ended = run(
        `WITH ended AS (DELETE FROM attempt_in_flight WHERE attempt = $1 RETURNING key, window_ms)
         INSERT INTO failed_attempt (key, at, expires)
         SELECT key, clock_timestamp(), clock_timestamp() + window_ms * interval '1 millisecond' FROM ended WHERE $2`,
        attempt,
        failed,
      );
      const cleared = clear === undefined ? undefined : run('DELETE FROM failed_attempt WHERE key = $1', clear);
      const removed = run(
        `DELETE FROM failed_attempt WHERE ctid IN (
           SELECT ctid FROM failed_attempt WHERE expires <= clock_timestamp() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
        removedAtOnce,
      );
      // Sent regardless of the outcome of the others, because it ends the transaction.
      await Promise.all([...began, ended, cleared, removed, run('COMMIT')]);
    });
  }

  async trust(keys: readonly string[]): Promise<void> {
    const unknown = [...new Set(keys)].filter((key) => !this.knownTrusted.has(key));
    if (unknown.length === 0) return;
    await this.run(async (run) => {
      await run(
        `INSERT INTO trusted_sign_in (key, used) SELECT key, now() FROM unnest($1::text[]) AS one (key) ORDER BY key
         ON CONFLICT (key) DO UPDATE SET used = excluded.used`,
        unknown,
      );
      await run(`DELETE FROM trusted_sign_in WHERE used < now() - $1::integer * interval '1 day'`, trustedDays);
    });
    for (const key of unknown) this.knownTrusted.set(key, true);
  }

  async isTrusted(key: string): Promise<boolean> {
    if (this.knownTrusted.has(key)) return true;
    const isTrusted = await this.trusted.ask(key);
    if (isTrusted) this.knownTrusted.set(key, true);
    return isTrusted;
  }

  private async findAllReached(
    questions: readonly (readonly FailureCounter[])[],
  ): Promise<(ReachedCounter | undefined)[]> {
    const counters = new Map(questions.flat().map((counter) => [counter.key, counter]));
    const rows = await this.run((run) => count(run, [...counters.values()]));
    return questions.map((question) => reachedOf(question, rows));
  }

  private async findTrusted(keys: readonly string[]): Promise<boolean[]> {
    const sql = 'SELECT key FROM trusted_sign_in WHERE key = ANY($1::text[])';
    const rows = await this.run((run) => run<{ key: string }>(sql, [...new Set(keys)]));
    const trusted = new Set(rows.map(({ key }) => key));
    return keys.map((key) => trusted.has(key));
  }

  private run<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.pool.use((client) =>
      work(async (sql, ...values) => (await runPrepared(client, sql, values)).rows as never),
    );
  }
}

/** Counts failures under a lock, so that two attempts of one counter are decided one after the other. */
async function lockAndCount(run: Run, counters: readonly FailureCounter[]): Promise<CountRow[]> {
  // All nodes lock in the same order, so that two attempts never deadlock.
  const keys = counters.map(({ key }) => key).sort();
  const locked = keys.map((key) => run('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', key));
  const [rows] = await Promise.all([count(run, counters), run(withoutWaitingForDisk), ...locked]);
  return rows;
}

function count(run: Run, counters: readonly FailureCounter[]): Promise<CountRow[]> {
  return run<CountRow>(
    `SELECT counter.key, recent.failed, recent.wait_ms,
       (SELECT count(*) FROM attempt_in_flight AS flight
        WHERE flight.key = counter.key AND flight.expires > clock_timestamp()) AS in_flight
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS counter (key, failures, window_ms),
       LATERAL (
         SELECT count(*) AS failed, ceil(extract(epoch FROM max(at) FILTER (WHERE place = failures) - clock_timestamp())
           * 1000)::bigint + window_ms AS wait_ms
         FROM (
           SELECT at, row_number() OVER (ORDER BY at DESC) AS place FROM failed_attempt
           WHERE failed_attempt.key = counter.key AND at > clock_timestamp() - window_ms * interval '1 millisecond'
         ) AS failure
       ) AS recent`,
    counters.map(({ key }) => key),
    counters.map(({ failures }) => failures),
    counters.map(({ windowMs }) => windowMs),
  );
}

function reachedOf(counters: readonly FailureCounter[], rows: readonly CountRow[]): ReachedCounter | undefined {
  for (const { key, failures } of counters) {
    const row = rows.find((one) => one.key === key);
    if (row && row.failed >= failures) return { key, waitMs: row.wait_ms ?? 0 };
  }
  return undefined;
}

function decide(counters: readonly FailureCounter[], rows: readonly CountRow[], attempt: string): BegunAttempt {
  const reached = reachedOf(counters, rows);
  if (reached) return { kind: 'reached', reached };
  const isFree = counters.every(({ key, failures }) => {
    const row = rows.find((one) => one.key === key);
    return (row?.failed ?? 0) + (row?.in_flight ?? 0) < failures;
  });
  return isFree ? { kind: 'begun', attempt } : { kind: 'waiting' };
}

async function putInFlight(run: Run, attempt: string, counters: readonly FailureCounter[]): Promise<void> {
  const removed = run('DELETE FROM attempt_in_flight WHERE expires <= clock_timestamp()');
  const stored = run(
    `INSERT INTO attempt_in_flight (attempt, key, window_ms, expires)
     SELECT $1, key, window_ms, clock_timestamp() + $4::bigint * interval '1 millisecond'
     FROM unnest($2::text[], $3::bigint[]) AS counter (key, window_ms)`,
    attempt,
    counters.map(({ key }) => key),
    counters.map(({ windowMs }) => windowMs),
    maxFlightMs,
  );
  await Promise.all([removed, stored]);
}
