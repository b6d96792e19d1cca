import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

export interface ProcessLimits {
  /** Maximum resident memory of the whole process. */
  readonly memoryBytes: number;
  /** Maximum processor time of one task, which may take longer on a busy machine. */
  readonly timeMs: number;
}

/** Address space that Node.js reserves without using it. The limit of the operating system includes it. */
const nodeBytes = 1_073_741_824;
/** Time after the last task until the process ends. */
const idleMs = 10_000;
/** Maximum time until the process is ready for a task. It is long, because the machine may be busy. */
const startTimeoutMs = 60_000;
/** Maximum duration of a task, as a multiple of its limit of processor time. A longer task has stalled. */
const maxWaitFactor = 3;
/** The clock tick of Linux in `/proc`. */
const tickMs = 10;
const isWindows = process.platform === 'win32';

export type Answer =
  | { readonly kind: 'message'; readonly message: unknown }
  /** The task took too much time or memory, or crashed the process. */
  | { readonly kind: 'failed'; readonly reason: string };

type Outcome =
  | { readonly kind: 'message'; readonly message: unknown }
  /** `isStop`: the process was stopped together with the service, so the task did not fail. */
  | { readonly kind: 'end'; readonly reason: string; readonly isStop: boolean };

/**
 * Runs a program in a separate process, so that a hostile file can neither block this process nor fill its memory. The
 * operating system limits the memory of the process, which does one task at a time. After it has ended or was killed,
 * the next task starts a new one. The program sends one message when it is ready, and one in answer to each task.
 */
export class LimitedProcess {
  private child: ChildProcess | undefined;
  private greeting: unknown;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly program: URL,
    /** Purpose of the program for messages, such as `extracts text`. */
    private readonly purpose: string,
    private readonly limits: ProcessLimits,
  ) {}

  /**
   * Starts the process if none is running; resolves to its first message.
   * @throws the reason of `signal` when it aborts first; Error when the process cannot be started, which is not a
   *   failure of a task
   */
  async prepare(signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.child) return this.greeting;
    clearTimeout(this.idle);
    const child = this.start();
    this.child = child;
    const outcome = await this.outcomeOf(child, { timeMs: startTimeoutMs, waitMs: startTimeoutMs }, signal);
    if (outcome.kind === 'message') {
      this.greeting = outcome.message;
      return outcome.message;
    }
    this.discard(child);
    throw new Error(`the process that ${this.purpose} could not be started: ${outcome.reason}`);
  }

  /**
   * Sends the messages of a task one after the other; resolves to the answer.
   * @throws the error of `prepare` or `messages`; Error when the process was stopped together with the service
   */
  async run(messages: AsyncIterable<unknown>, signal: AbortSignal): Promise<Answer> {
    await this.prepare(signal);
    const { child } = this;
    if (!child) throw new Error(`the process that ${this.purpose} has ended`);
    const { timeMs } = this.limits;
    const answered = this.outcomeOf(child, { timeMs, waitMs: timeMs * maxWaitFactor }, signal);
    const over = answered.then(
      () => undefined,
      () => undefined,
    );
    try {
      for await (const message of messages) {
        if (this.child !== child) break;
        const sent = new Promise<void>((resolve) => child.send(message as object, () => resolve()));
        // A process that has just ended cannot receive the message, so its exit is awaited, too.
        await Promise.race([sent, over]);
      }
    } catch (error) {
      this.discard(child);
      await over;
      throw error;
    }
    const outcome = await answered;
    if (outcome.kind === 'message') return outcome;
    const reason = `the process that ${this.purpose} exceeded its limits or crashed (${outcome.reason})`;
    if (outcome.isStop) throw new Error(reason);
    return { kind: 'failed', reason };
  }

  /**
   * Waits for the next message of the process or for its end; kills it after `timeMs` of processor time,
   * or after `waitMs`.
   * @throws the reason of `signal` when it aborts first
   */
  private async outcomeOf(child: ChildProcess, limit: TimeLimit, signal: AbortSignal): Promise<Outcome> {
    clearTimeout(this.idle);
    const ending = new AbortController();
    const stop = () => child.kill('SIGKILL');
    const endLimit = limitTime(child, limit, stop);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const message = once(child, 'message', { signal: ending.signal });
      const end = once(child, 'exit', { signal: ending.signal });
      // The promise that loses the race rejects later, and must not be unhandled.
      for (const outcome of [message, end]) outcome.catch(() => undefined);
      // Both promises reject if the process could not be created.
      const outcome = await Promise.race([
        message.then(([value]): Outcome => ({ kind: 'message', message: value })),
        end.then((exit) => toEnd(exit as [number | null, string | null])),
      ]);
      signal.throwIfAborted();
      return outcome;
    } catch (error) {
      this.discard(child);
      throw error;
    } finally {
      ending.abort();
      endLimit();
      signal.removeEventListener('abort', stop);
      this.stopWhenIdle();
    }
  }

  close(): void {
    clearTimeout(this.idle);
    if (this.child) this.discard(this.child);
  }

  private start(): ChildProcess {
    const { memoryBytes } = this.limits;
    const node = [
      process.execPath,
      // Most of the unpacked content of a file is outside of the heap.
      `--max-old-space-size=${Math.floor(memoryBytes / 2 / 1_048_576)}`,
      fileURLToPath(this.program),
      String(memoryBytes),
      String(process.pid),
    ] as const;
    const maxKilobytes = String((memoryBytes + nodeBytes) / 1_024);
    const limited = ['/bin/sh', '-c', 'ulimit -c 0; ulimit -d "$0" && exec "$@"', maxKilobytes, ...node];
    const [command = process.execPath, ...args] = isWindows ? node : limited;
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      // The process must not see the secrets in this environment.
      env: {},
      windowsHide: true,
    });
    child.on('error', () => undefined);
    child.once('exit', () => this.discard(child));
    if (child.pid !== undefined && process.platform === 'linux') lowerPriority(child.pid);
    child.unref();
    child.channel?.unref();
    return child;
  }

  private discard(child: ChildProcess): void {
    child.kill('SIGKILL');
    if (this.child === child) this.child = undefined;
  }

  private stopWhenIdle(): void {
    this.idle = setTimeout(() => this.close(), idleMs);
    this.idle.unref();
  }
}

interface TimeLimit {
  readonly timeMs: number;
  readonly waitMs: number;
}

/**
 * Calls `stop` when the process has used `timeMs` of processor time, or has stalled. Returns a function that ends the
 * limit.
 */
function limitTime(child: ChildProcess, { timeMs, waitMs }: TimeLimit, stop: () => void): () => void {
  const [startMs, usedBeforeMs] = [performance.now(), processorTimeMs(child)];
  const check = () => {
    const elapsedMs = performance.now() - startMs;
    const usedMs = processorTimeMs(child);
    const spentMs = usedMs === undefined || usedBeforeMs === undefined ? elapsedMs : usedMs - usedBeforeMs;
    const leftMs = Math.min(timeMs - spentMs, waitMs - elapsedMs);
    if (leftMs <= 0) stop();
    else timer = setTimeout(check, Math.max(leftMs, tickMs));
  };
  let timer = setTimeout(check, timeMs);
  return () => clearTimeout(timer);
}

/**
 * Returns the processor time of a process so far; undefined if the system does not provide it or the process has ended.
 */
function processorTimeMs({ pid }: ChildProcess): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  try {
    // The second field is the name in parentheses, which may contain anything.
    const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    const [utime, stime] = fields.split(' ').slice(11, 13).map(Number);
    return ((utime ?? 0) + (stime ?? 0)) * tickMs;
  } catch {
    return undefined;
  }
}

function toEnd([code, killedBy]: readonly [number | null, string | null]): Outcome {
  return {
    kind: 'end',
    reason: killedBy ?? `exit code ${code}`,
    isStop: /^SIG(TERM|INT|HUP)$/.test(killedBy ?? ''),
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 15);
  } catch {
    // The process has already ended.
  }
}
