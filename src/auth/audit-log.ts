import type { BackgroundJob } from '../kernel/background-job.js';
import type { BackgroundJobs } from '../kernel/background-jobs.js';
import type { Clock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import type { AuditFilter, AuditRecord, StoredAuditRecord } from './audit-store.port.js';
import type { AuthStorage } from './auth-storage.js';

const flushDelayMs = 1_000;
const maxTogether = 500;
/** When the storage takes nothing, the oldest records beyond this number are dropped; they are in the log. */
const maxWaiting = 20_000;
const maxText = 500;
const retentionIntervalMs = 3_600_000;
const removedTogether = 2_000;

export interface AuditLogDeps {
  readonly storage: AuthStorage;
  readonly clock: Clock;
  readonly log: Log;
  readonly jobs: BackgroundJobs;
}

/**
 * Who did what, when, from where, and how it ended: a log line at once, and within a second a record in the storage,
 * many in one commit, so that no request waits for it.
 */
export class AuditLog {
  private waiting: AuditRecord[] = [];
  private readonly flushing: BackgroundJob;
  private readonly retention: BackgroundJob;

  /** @param retentionMs older records are removed */
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
    this.retention = deps.jobs.start({
      name: 'audit-retention',
      intervalMs: retentionIntervalMs,
      failure: 'removing expired audit records failed; will retry',
      run: async () => {
        const before = deps.clock.nowMs() - retentionMs;
        const removed = await deps.storage.write((tx) => tx.audit.removeBefore(before, removedTogether));
        return removed === removedTogether ? 'more' : 'idle';
      },
    });
    this.retention.trigger();
  }

  record(event: Omit<AuditRecord, 'atMs'>): void {
    const record: AuditRecord = {
      atMs: this.deps.clock.nowMs(),
      userName: bounded(event.userName),
      action: bounded(event.action),
      target: bounded(event.target),
      from: event.from,
      outcome: event.outcome,
      detail: bounded(event.detail),
    };
    this.deps.log.info({ audit: record }, 'audit');
    this.waiting.push(record);
    if (this.waiting.length > maxWaiting) this.waiting.shift();
    this.flushing.trigger();
  }

  /** The records that pass the filter, newest first; among them all that were recorded before the call. */
  async list(filter: AuditFilter, limit: number): Promise<StoredAuditRecord[]> {
    // What cannot be stored now is logged; the others can still be read.
    await this.flushing.runNow().catch(() => undefined);
    return this.deps.storage.committed.audit.list(filter, limit);
  }

  /** Resolves when every record is stored, or could not be. */
  async close(): Promise<void> {
    await this.flushing.runNow().catch(() => undefined);
    await this.flushing.stop();
    await this.retention.stop();
  }

  private async store(): Promise<'more' | 'idle'> {
    const records = this.waiting.slice(0, maxTogether);
    const last = records.at(-1);
    if (last === undefined) return 'idle';
    await this.deps.storage.write((tx) => tx.audit.append(records));
    // Some may have been dropped in the meantime.
    this.waiting = this.waiting.slice(this.waiting.indexOf(last) + 1);
    return 'more';
  }
}

function bounded(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text;
}
