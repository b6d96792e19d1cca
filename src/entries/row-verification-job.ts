import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../kernel/background-job.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import type { RowProgress, RowVerificationStorage } from './row-verification.port.js';

const weekMs = 7 * 86_400_000;
/** Maximum rest after a step. It applies to a step that took long because it waited for a disk or a lock. */
const maxRestMs = 10_000;

interface Deps {
  readonly storage: RowVerificationStorage;
  readonly log: Log;
  readonly clock?: Clock;
}

/**
 * Returns the job that verifies all rows that have a checksum and no document, slowly and in short steps. The next pass
 * begins a week later. Adds checksums to rows that an earlier version of the program stored. After a restart, a pass
 * continues where it stopped.
 * @param delayMs delay of the first run after its trigger
 * @param restFactor rest after a step, as a multiple of its duration; with 20, the job works about a twentieth of the
 *   time
 */
export function rowVerificationJob(deps: Deps, delayMs = 20_000, restFactor = 20): Job {
  return {
    name: 'row-verification',
    isShared: true,
    delayMs,
    intervalMs: 3_600_000,
    retryMs: 600_000,
    failure: 'verifying extracted texts and the change feed failed; will retry',
    async run(signal) {
      const startedMs = performance.now();
      if (!(await verifyNext(deps))) return 'idle';
      const restMs = Math.min((performance.now() - startedMs) * restFactor, maxRestMs);
      await sleep(restMs, undefined, { signal, ref: false });
      return 'more';
    },
  };
}

/** Verifies the next rows; returns false when the last pass is complete and recent. */
async function verifyNext({ storage, log, clock = systemClock }: Deps): Promise<boolean> {
  const { rowVerification } = storage.committed;
  const progress = (await rowVerification.findProgress()) ?? { rows: 'texts' };
  const { rows, after, completedMs } = progress;
  const nowMs = clock.nowMs();
  if (rows === 'texts' && after === undefined && isRecent(progress, nowMs)) return false;
  const { last, unrecorded } = await rowVerification.verify(rows, after);
  const next: RowProgress =
    last !== undefined
      ? { rows, after: last, completedMs }
      : rows === 'texts'
        ? { rows: 'changes', completedMs }
        : { rows: 'texts', completedMs: nowMs };
  await storage.write(async (tx) => {
    if (unrecorded.length > 0) await tx.rowVerification.record(rows, unrecorded);
    await tx.rowVerification.storeProgress(next);
  });
  if (next.completedMs === completedMs) return true;
  log.info({}, 'all extracted texts and changes verified');
  return false;
}

function isRecent({ completedMs }: RowProgress, nowMs: number): boolean {
  const ageMs = nowMs - (completedMs ?? Number.NEGATIVE_INFINITY);
  // A pass that ended in the future was recorded by a wrong clock.
  return ageMs >= 0 && ageMs < weekMs;
}
