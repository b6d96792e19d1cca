import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Temporal } from 'temporal-polyfill';
import type { Job } from '../../kernel/background-job.js';
import type { Clock } from '../../kernel/clock.js';
import type { HealthCheck, HealthSource } from '../../kernel/health.js';
import type { Log } from '../../kernel/log.js';
import type { BackupRequest } from './back-up-logbook.js';
import type { BackupTask, BackupTaskResult } from './backup-task.js';
import { describeTarget } from './open-backup-place.js';

const intervalMs = 60_000;
const hourMs = 3_600_000;
/** A day, with an hour for a change of the clocks and one for the backup itself. */
const overdueMs = 26 * hourMs;

export interface Schedule {
  /** In minutes since midnight. */
  readonly atMinutes: number;
  /** IANA zone. */
  readonly zone: string;
}

interface Deps {
  readonly log: Log;
  readonly clock: Clock;
}

/** Makes a backup each day, in a process of its own: nothing in the service waits for it. */
export class ScheduledBackup implements HealthSource {
  /** The time of the newest backup, in milliseconds since the epoch; undefined until it is known to this node. */
  private newestMs: number | undefined;
  private problem: string | undefined;

  constructor(
    private readonly request: BackupRequest,
    private readonly schedule: Schedule,
    private readonly deps: Deps,
  ) {}

  /** Seconds since the newest backup; undefined while this node knows none. */
  get ageSeconds(): number | undefined {
    return this.newestMs === undefined ? undefined : (this.deps.clock.nowMs() - this.newestMs) / 1_000;
  }

  job(): Job {
    return {
      name: 'backup',
      isShared: true,
      onTakeOver: () => {
        this.newestMs = undefined;
      },
      intervalMs,
      delayMs: 5_000,
      retryMs: 600_000,
      failure: 'the scheduled backup was not made; will retry',
      run: async (signal) => {
        const dueMs = lastDue(this.schedule, this.deps.clock.nowMs());
        if (this.newestMs === undefined || this.newestMs < dueMs) await this.makeUnlessPresent(dueMs, signal);
        return 'idle';
      },
    };
  }

  async checkHealth(): Promise<HealthCheck[]> {
    const age = this.ageSeconds;
    const hours = age === undefined ? undefined : Math.round(age / 360) / 10;
    const details = age === undefined ? {} : { ageSeconds: Math.round(age) };
    const isOverdue = age !== undefined && age * 1_000 > overdueMs;
    if (!isOverdue && this.problem === undefined) {
      const message =
        hours === undefined ? 'The backups are looked after.' : `The newest backup is ${hours} hours old.`;
      return [{ name: 'backup', status: 'ok', message, details }];
    }
    const state = hours === undefined ? 'No backup is known' : `The newest backup is ${hours} hours old`;
    const message = `${state}; the log of the service says why. Check that the place of the backups can be written.`;
    return [{ name: 'backup', status: 'warning', message, details }];
  }

  private async makeUnlessPresent(dueMs: number, signal: AbortSignal): Promise<void> {
    const { log } = this.deps;
    const result = await runInProcess({ ...this.request, dueMs }, signal);
    if (result.kind === 'failed') {
      this.problem = result.reason;
      throw new Error(
        `${result.reason.replace(/[.]?$/, '.')} Correct that, or run “logbook backup” to see it again; until then there is no new backup in ${describeTarget(this.request.target)}.`,
      );
    }
    this.problem = undefined;
    this.newestMs = result.newestMs;
    if (result.kind === 'present') return;
    log.info(result.details, 'backup made');
    for (const { subject, what, advice } of result.findings) {
      log.error({ subject, reason: what, advice }, 'damaged data found while making a backup');
    }
  }
}

/** The last moment, before or at `nowMs`, at which a backup was due. */
export function lastDue({ atMinutes, zone }: Schedule, nowMs: number): number {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const plainTime = { hour: Math.floor(atMinutes / 60), minute: atMinutes % 60 };
  const dueOn = (day: Temporal.PlainDate) => day.toZonedDateTime({ timeZone: zone, plainTime }).epochMilliseconds;
  const today = dueOn(now.toPlainDate());
  return today <= nowMs ? today : dueOn(now.toPlainDate().subtract({ days: 1 }));
}

async function runInProcess(task: BackupTask, signal: AbortSignal): Promise<BackupTaskResult> {
  signal.throwIfAborted();
  const program = fileURLToPath(new URL('./backup-process.js', import.meta.url));
  const child = fork(program, [String(process.pid)], {
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // What it has stored by then serves the next backup.
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  child.on('error', () => undefined);
  let result: BackupTaskResult | undefined;
  child.once('message', (message) => {
    result = message as BackupTaskResult;
  });
  try {
    if (child.pid !== undefined && process.platform === 'linux') setPriority(child.pid, 19);
    child.send(task);
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null];
    signal.throwIfAborted();
    return result ?? { kind: 'failed', reason: `The process that makes the backup ended with ${killedBy ?? code}.` };
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
}
