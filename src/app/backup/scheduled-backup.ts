import { Temporal } from 'temporal-polyfill';
import { isFromFuture } from '../../backup/manifest.js';
import type { RedactionReader } from '../../entries/redaction-store.port.js';
import type { Job } from '../../kernel/background-job.js';
import type { Clock, MonotonicClock } from '../../kernel/clock.js';
import type { HealthCheck, HealthSource } from '../../kernel/health.js';
import type { Log } from '../../kernel/log.js';
import { describeDuration } from '../../kernel/text.js';
import { ProcessFailed, runInProcess } from '../run-in-process.js';
import type { BackupRequest } from './back-up-logbook.js';
import { logCreatedKey } from './backup-keys.js';
import type { BackupTask, BackupTaskResult } from './backup-task.js';
import { lostBackupAdvice } from './newest-backup.js';
import { describeTarget } from './open-backup-target.js';

const program = new URL('./backup-process.js', import.meta.url);
/** Lowest CPU priority. */
const niceness = 19;
const intervalMs = 60_000;
/**
 * Time between attempts, because an attempt reads all documents and may take hours. In between, the target is only
 * examined for a backup that someone else has made.
 */
const attemptMs = 600_000;
/**
 * Back up this long after the last redaction. Redactions that are not in a backup would have to be repeated after a
 * restore.
 */
const redactionDelayMs = 300_000;
const listedRedactions = 1_000;
const hourMs = 3_600_000;
/** Age above which a backup is overdue: a day, an hour for a change of the clocks, and an hour for the backup itself. */
const overdueMs = 26 * hourMs;

export interface Schedule {
  /** Time of day, in minutes since midnight. */
  readonly atMinutes: number;
  /** IANA time zone of the time of day. */
  readonly zone: string;
}

interface Deps {
  readonly log: Log;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly redactions: Pick<RedactionReader, 'listRedactions'>;
}

/** Makes a backup each day and after redactions. A separate process makes it, so that the service does not wait. */
export class ScheduledBackup implements HealthSource {
  /** Time of the newest backup, in milliseconds since the epoch; undefined until this node knows it. */
  private newestMs: number | undefined;
  /** Failure of the last attempt, with its time by the monotonic clock; undefined after a success. */
  private failure: { readonly reason: string; readonly atMs: number } | undefined;
  /**
   * Sentence about a backup that was missing from the target at the last examination by this node; undefined when none
   * was missing.
   */
  private lost: string | undefined;
  /** Time of the last examination of the target by this node, by the monotonic clock. */
  private examinedMs = Number.NEGATIVE_INFINITY;
  /** Whether another node of the cluster makes the backups, as far as this node knows. */
  private isMadeElsewhere = false;
  /** The newest redaction that this node has seen. */
  private redaction = { number: 0, atMs: Number.NEGATIVE_INFINITY };

  constructor(
    private readonly request: BackupRequest,
    private readonly schedule: Schedule,
    private readonly deps: Deps,
  ) {}

  /** Seconds since the newest backup; undefined while this node knows no backup with a plausible time. */
  get ageSeconds(): number | undefined {
    const nowMs = this.deps.clock.nowMs();
    if (this.newestMs === undefined || isFromFuture(this.newestMs, nowMs)) return undefined;
    return Math.max(0, nowMs - this.newestMs) / 1_000;
  }

  job(): Job {
    return {
      name: 'backup',
      isShared: true,
      onTakeOver: () => {
        this.newestMs = undefined;
        this.isMadeElsewhere = false;
      },
      onRunElsewhere: () => {
        this.newestMs = undefined;
        this.failure = undefined;
        this.isMadeElsewhere = true;
      },
      intervalMs,
      delayMs: 5_000,
      retryMs: intervalMs,
      failure: 'the scheduled backup was not made; will retry',
      run: async (signal) => {
        const nowMs = this.deps.clock.nowMs();
        const dueMs = Math.max(lastDue(this.schedule, nowMs), await this.dueAfterRedactions(nowMs));
        const isPresent = this.newestMs !== undefined && this.newestMs >= dueMs && !isFromFuture(this.newestMs, nowMs);
        if (!isPresent || this.mustLookForLost()) await this.makeUnlessPresent({ dueMs, nowMs }, signal);
        return 'idle';
      },
    };
  }

  async checkHealth(): Promise<HealthCheck[]> {
    const name = 'backup';
    if (this.isMadeElsewhere) return [{ name, status: 'ok', message: 'Another node makes the backups.' }];
    const age = this.ageSeconds;
    if (age === undefined && this.failure === undefined) {
      const message = 'No backup is known yet: the service is looking for one or making the first one.';
      return [{ name, status: 'warning', message }];
    }
    const details = age === undefined ? {} : { ageSeconds: Math.round(age) };
    const state =
      age === undefined ? 'No backup is known' : `The newest backup is ${describeDuration(age * 1_000)} old`;
    if (this.lost !== undefined) {
      const message = `A backup that was made is missing in the target. ${state}; the log of the service names it.`;
      return [{ name, status: 'warning', message, details }];
    }
    const isOverdue = age === undefined || age * 1_000 > overdueMs;
    if (!isOverdue && this.failure === undefined) return [{ name, status: 'ok', message: `${state}.`, details }];
    const message = `${state}; the log of the service says why. Check that the backup target can be written.`;
    return [{ name, status: 'warning', message, details }];
  }

  /** Returns the time since which a backup with all redactions has been due; negative infinity when none is due. */
  private async dueAfterRedactions(nowMs: number): Promise<number> {
    const { redactions } = this.deps;
    for (let isMore = true; isMore; ) {
      const page = await redactions.listRedactions(this.redaction.number, listedRedactions);
      this.redaction = page.at(-1) ?? this.redaction;
      isMore = page.length === listedRedactions;
    }
    const dueMs = this.redaction.atMs + redactionDelayMs;
    return dueMs <= nowMs ? dueMs : Number.NEGATIVE_INFINITY;
  }

  /** Whether to repeat the examination, because someone may have returned the missing backup or made another. */
  private mustLookForLost(): boolean {
    return this.lost !== undefined && this.deps.monotonic.elapsedMs() - this.examinedMs >= attemptMs;
  }

  private async makeUnlessPresent(times: Pick<BackupTask, 'dueMs' | 'nowMs'>, signal: AbortSignal): Promise<void> {
    const { log, monotonic } = this.deps;
    const { failure } = this;
    this.examinedMs = monotonic.elapsedMs();
    const mayMake = failure === undefined || monotonic.elapsedMs() - failure.atMs >= attemptMs;
    const result = await this.run({ ...this.request, ...times, mayMake }, signal);
    this.newestMs = result.newestMs;
    if (result.kind === 'absent') throw this.failed(failure?.reason ?? 'No backup was made.');
    this.failure = undefined;
    // A newly made backup makes up for the missing one.
    const reported = this.lost;
    this.lost = result.kind === 'present' ? result.lost : undefined;
    if (result.lost !== undefined && result.lost !== reported)
      log.error({ reason: result.lost, advice: lostBackupAdvice }, 'the newest backup is missing');
    if (result.kind === 'present') return;
    log.info(result.details, 'backup made');
    if (result.createdKey) logCreatedKey(log, result.createdKey);
    for (const { subject, what, advice } of result.findings) {
      log.error({ subject, reason: what, advice }, 'damaged data found while making a backup');
    }
  }

  private async run(task: BackupTask, signal: AbortSignal): Promise<BackupTaskResult> {
    try {
      // If the process is stopped, the next backup reuses the objects that it has stored.
      return await runInProcess<BackupTask, BackupTaskResult>(program, task, { signal, niceness });
    } catch (error) {
      if (!(error instanceof ProcessFailed)) throw error;
      if (task.mayMake) this.failure = { reason: error.message, atMs: this.deps.monotonic.elapsedMs() };
      throw this.failed(error.message);
    }
  }

  private failed(reason: string): Error {
    return new Error(
      `${reason.replace(/[.]?$/, '.')} Correct that, or run “logbook backup” to see it again; until then there is no new backup in ${describeTarget(this.request.target)}.`,
    );
  }
}

/** Returns the last moment, at or before `nowMs`, at which a backup was due. */
export function lastDue({ atMinutes, zone }: Schedule, nowMs: number): number {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const plainTime = { hour: Math.floor(atMinutes / 60), minute: atMinutes % 60 };
  const dueOn = (day: Temporal.PlainDate) => day.toZonedDateTime({ timeZone: zone, plainTime }).epochMilliseconds;
  const today = dueOn(now.toPlainDate());
  return today <= nowMs ? today : dueOn(now.toPlainDate().subtract({ days: 1 }));
}
