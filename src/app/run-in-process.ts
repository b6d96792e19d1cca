import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endWithParent } from '../kernel/end-with-parent.js';

const progressMs = 1_000;

interface ProcessOptions {
  /** Ends the process immediately when it aborts. */
  readonly signal: AbortSignal;
  /** Niceness of the process, from 0 to 19. */
  readonly niceness: number;
  /** Time without a report of progress after which the process is ended; default: no limit. */
  readonly idleLimitMs?: number;
}

type Message<Result> =
  | { readonly kind: 'progress' }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'failed'; readonly reason: string };

/** The task failed in its process. The message contains the reason as a sentence. */
export class ProcessFailed extends Error {}

/**
 * Runs a task in a separate process, so that the service does not wait for it. The program must call `serveTask`.
 * @throws ProcessFailed; the reason of the signal
 */
export async function runInProcess<Task extends object, Result>(
  program: URL,
  task: Task,
  { signal, niceness, idleLimitMs }: ProcessOptions,
): Promise<Result> {
  signal.throwIfAborted();
  const child = start(program);
  const stop = () => child.kill('SIGKILL');
  const timer = idleLimitMs === undefined ? undefined : setTimeout(stop, idleLimitMs);
  signal.addEventListener('abort', stop, { once: true });
  child.on('error', () => undefined);
  let answer: Message<Result> | undefined;
  child.on('message', (message: Message<Result>) => {
    if (message.kind === 'progress') timer?.refresh();
    else answer = message;
  });
  try {
    if (child.pid !== undefined && process.platform === 'linux') setPriority(child.pid, niceness);
    child.send(task);
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null];
    signal.throwIfAborted();
    if (answer?.kind === 'result') return answer.result;
    throw new ProcessFailed(answer?.kind === 'failed' ? answer.reason : `The process ended with ${killedBy ?? code}.`);
  } catch (error) {
    signal.throwIfAborted();
    throw toProcessFailed(error);
  } finally {
    clearTimeout(timer);
    stop();
    signal.removeEventListener('abort', stop);
  }
}

function start(program: URL): ChildProcess {
  try {
    return fork(fileURLToPath(program), [String(process.pid)], {
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  } catch (error) {
    throw toProcessFailed(error);
  }
}

/** @param error may come from the operating system, such as EAGAIN when there are too many processes */
function toProcessFailed(error: unknown): ProcessFailed {
  if (error instanceof ProcessFailed) return error;
  return new ProcessFailed(`The process cannot be used (${(error as Error).message}).`, { cause: error });
}

/** Runs the task for which this process was started. The first argument is the id of the parent process. */
export function serveTask<Task, Result>(work: (task: Task, onProgress: () => void) => Promise<Result>): void {
  endWithParent(Number(process.argv[2]));
  process.umask(0o077);
  let reportedMs = Number.NEGATIVE_INFINITY;
  const onProgress = () => {
    if (performance.now() < reportedMs + progressMs) return;
    reportedMs = performance.now();
    process.send?.({ kind: 'progress' } satisfies Message<Result>);
  };
  const answer = (message: Message<Result>) => process.send?.(message, () => process.disconnect());
  process.once('message', (task) => {
    work(task as Task, onProgress).then(
      (result) => answer({ kind: 'result', result }),
      (error: unknown) => answer({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
    );
  });
}
