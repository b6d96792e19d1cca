import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Job } from '../../kernel/background-job.js';
import type { Integrity } from '../../kernel/integrity.js';
import { documentsFile } from './inspect-documents.js';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/**
 * Job that checks the pages of the database after startup and then weekly, while the service runs. If damage is known,
 * it runs daily, because a page that was misread once may be intact.
 */
export function databaseCheckJob(file: string, integrity: Integrity): Job {
  let checkedMs = Number.NEGATIVE_INFINITY;
  return {
    name: 'database-check',
    delayMs: 2_000,
    intervalMs: dayMs,
    retryMs: 3_600_000,
    failure: 'checking the database failed; will retry',
    async run(signal) {
      const nowMs = performance.now();
      // The margin of half a day allows for a timer that fires early.
      if (!integrity.has('database', documentsFile) && nowMs - checkedMs < weekMs - dayMs / 2) return 'idle';
      const problems = await checkInProcess(file, signal);
      checkedMs = nowMs;
      if (problems.length === 0) {
        integrity.resolve('database', documentsFile);
      } else {
        const reason = `the check of its pages found: ${problems.join('; ')}`;
        integrity.report({ kind: 'database', subject: documentsFile, path: documentsFile, reason });
      }
      return 'idle';
    },
  };
}

/**
 * Runs the check in a child process: a thread cannot be stopped during a call to SQLite, and reading a large table may
 * take minutes.
 */
async function checkInProcess(file: string, signal: AbortSignal): Promise<readonly string[]> {
  const program = fileURLToPath(new URL('./database/check-process.js', import.meta.url));
  const child = fork(program, [file, String(process.pid)], {
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  child.on('error', () => undefined);
  let problems: readonly string[] | undefined;
  child.once('message', (message) => {
    problems = message as readonly string[];
  });
  try {
    if (child.pid !== undefined && process.platform === 'linux') setPriority(child.pid, 19);
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null];
    signal.throwIfAborted();
    if (!problems) throw new Error(`the process that checks the database ended with ${killedBy ?? code}`);
    return problems;
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
}
