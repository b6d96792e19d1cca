import type { Clock } from '../kernel/clock.js';
import type { AuditFilter, AuditRecord, StoredAuditRecord } from './audit-store.port.js';
import type { AuthStorage } from './auth-storage.js';

const flushMs = 1_000;
const maxTogether = 500;
/** When the storage takes nothing, the oldest of more than this go; they are in the log of the service. */
const maxWaiting = 20_000;
const maxText = 500;
const sweepEveryMs = 3_600_000;
const sweptTogether = 2_000;

export interface AuditLogDeps {
  readonly storage: AuthStorage;
  readonly clock: Clock;
  /** Writes a line of the log of the service. */
  readonly writeLine: (record: AuditRecord) => void;
  readonly onError: (message: string, error: unknown) => void;
}

/**
 * Who did what, when, from where, and how it ended: a line in the log of the service at once, and within a second in
 * the storage, many in one commit, so that nobody who works waits for it.
 */
export class AuditLog {
  private waiting: AuditRecord[] = [];
  private flushing: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;
  private sweptMs = 0;

  constructor(
    private readonly deps: AuditLogDeps,
    /** Older records are removed. */
    private readonly keptMs: number,
  ) {
    this.timer = setInterval(() => void this.flush(), flushMs);
    this.timer.unref();
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
    this.deps.writeLine(record);
    this.waiting.push(record);
    if (this.waiting.length > maxWaiting) this.waiting.shift();
  }

  /** What was recorded before the call is among it. Newest first. */
  async list(filter: AuditFilter, limit: number): Promise<StoredAuditRecord[]> {
    await this.flush();
    return this.deps.storage.committed.audit.list(filter, limit);
  }

  /** Resolves when all is stored that can be. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private flush(): Promise<void> {
    this.flushing = this.flushing
      .then(() => this.store())
      .catch((error: unknown) => {
        this.deps.onError('the audit records could not be stored; it is tried again', error);
      });
    return this.flushing;
  }

  private async store(): Promise<void> {
    while (this.waiting.length > 0) {
      const records = this.waiting.slice(0, maxTogether);
      await this.deps.storage.write((tx) => tx.audit.append(records));
      const last = records.at(-1);
      // Some may have gone meanwhile for want of room.
      this.waiting = this.waiting.slice(last === undefined ? 0 : this.waiting.indexOf(last) + 1);
    }
    await this.sweep();
  }

  private async sweep(): Promise<void> {
    const nowMs = this.deps.clock.nowMs();
    if (nowMs - this.sweptMs < sweepEveryMs) return;
    this.sweptMs = nowMs;
    const before = nowMs - this.keptMs;
    const removeSome = () => this.deps.storage.write((tx) => tx.audit.removeBefore(before, sweptTogether));
    while ((await removeSome()) === sweptTogether);
  }
}

function bounded(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text;
}
