import type { BackgroundJob } from '../kernel/background-job.js';
import type { Clock } from '../kernel/clock.js';
import type { ClockWatch } from '../kernel/clock-watch.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { type RemovalByAge, removalByAgeJob } from '../kernel/removal-by-age.js';
import type { AuditFilter, AuditRecord, StoredAuditRecord } from './audit-store.port.js';
import type { AuthStorage } from './auth-storage.js';

const flushDelayMs = 1_000;
/** Interval at which the newest audit record is entered into the ledger. */
const enterMs = 60_000;
/** Maximum number of records per commit. */
const maxBatch = 500;
/** Maximum number of records waiting to be stored. Beyond it, the oldest are not stored, but only logged. */
const maxPending = 20_000;
/** Maximum length in UTF-16 code units; longer texts are cut. */
const maxTextLength = 500;

export interface AuditLogDeps {
  readonly storage: AuthStorage;
  readonly clock: Clock;
  readonly clockWatch: Pick<ClockWatch, 'mayRemoveByAge'>;
  readonly log: Log;
  readonly jobs: JobRegistry;
}

/**
 * Records who did what, when, from where and with which outcome. Each event is logged immediately, and stored within a
 * second. One commit stores many records, and no request waits for it.
 */
export class AuditLog {
  private pending: AuditRecord[] = [];
  private readonly flushing: BackgroundJob;
  private readonly retention: BackgroundJob;
  private readonly entering: BackgroundJob;

  /** @param retentionMs records older than this are removed */
  constructor(
    private readonly deps: AuditLogDeps,
    retentionMs: number,
  ) {
    this.flushing = deps.jobs.start({
      name: 'audit-flush',
      delayMs: flushDelayMs,
      retryMs: flushDelayMs,
      failure: 'audit records not stored; will retry',
      run: () => this.store(),
    });
    const retention: RemovalByAge = {
      name: 'audit-retention',
      failure: 'removing expired audit records failed; will retry',
      keptMs: retentionMs,
      remove: (beforeMs, limit) => deps.storage.write((tx) => tx.audit.removeBefore(beforeMs, limit)),
    };
    this.retention = deps.jobs.start(removalByAgeJob(retention, deps));
    this.retention.trigger();
    this.entering = deps.jobs.start({
      name: 'audit-ledger',
      intervalMs: enterMs,
      isShared: true,
      failure: 'the audit log could not be entered into the ledger; will retry',
      run: async () => {
        await deps.storage.write((tx) => tx.audit.enterNewest());
        return 'idle';
      },
    });
    this.entering.trigger();
  }

  /** Logs the event immediately, and stores it within a second. Long texts are cut. Never throws. */
  record(event: Omit<AuditRecord, 'atMs'>): void {
    const record: AuditRecord = {
      atMs: this.deps.clock.nowMs(),
      userName: truncate(event.userName),
      action: truncate(event.action),
      target: truncate(event.target),
      from: event.from,
      outcome: event.outcome,
      detail: truncate(event.detail),
    };
    this.deps.log.info({ audit: record }, 'audit');
    this.pending.push(record);
    if (this.pending.length > maxPending) this.pending.shift();
    this.flushing.trigger();
  }

  /** Lists the records that match the filter, newest first, including all records made before the call. */
  async list(filter: AuditFilter, limit: number): Promise<StoredAuditRecord[]> {
    // A failed flush is logged by the job; the stored records can still be read.
    await this.flushing.runNow().catch(() => undefined);
    return this.deps.storage.committed.audit.list(filter, limit);
  }

  /** Stops the jobs, and resolves once all pending records are stored, or an attempt failed. */
  async close(): Promise<void> {
    try {
      // Records that arrive during a commit are left to the next one.
      do await this.flushing.runNow();
      while (this.pending.length > 0);
    } catch {
      // The job logs the failure.
    }
    await this.flushing.stop();
    await this.entering.stop();
    await this.retention.stop();
  }

  private async store(): Promise<'more' | 'idle'> {
    const records = this.pending.slice(0, maxBatch);
    const last = records.at(-1);
    if (last === undefined) return 'idle';
    await this.deps.storage.write((tx) => tx.audit.append(records));
    // `record` may have dropped some of them concurrently.
    this.pending = this.pending.slice(this.pending.indexOf(last) + 1);
    // Records that arrived during the commit have triggered the next run. Storing them now would commit continuously.
    return records.length < maxBatch ? 'idle' : 'more';
  }
}

function truncate(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text;
}
