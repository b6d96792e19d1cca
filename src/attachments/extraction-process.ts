import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultLimits } from './extract-text.js';

export interface ExtractionLimits {
  /** Resident memory of the process as a whole. */
  readonly memoryBytes: number;
  /** For one file. */
  readonly timeMs: number;
}

export const extractionLimits: ExtractionLimits = { memoryBytes: 536_870_912, timeMs: 30_000 };

/** What Node.js reserves without using it, which the limit of the operating system counts too. */
const nodeBytes = 1_073_741_824;
/** How long the process waits for another file. */
const idleMs = 10_000;
const isWindows = process.platform === 'win32';

export interface FileToExtract {
  readonly chunks: readonly Uint8Array[];
  readonly contentType: string;
}

export type Extraction =
  | { readonly kind: 'text'; readonly text: string }
  /** The file took too much time or memory, or crashed the process. */
  | { readonly kind: 'failed'; readonly reason: string };

/** What the process sends once it can take a file. */
export const readyMessage = 'ready';
/** How long the process may take until then: the machine may be busy. */
const startTimeoutMs = 60_000;

type Answer =
  | { readonly kind: 'message'; readonly message: unknown }
  /** isStop: the process was stopped together with the service, which says nothing about the file. */
  | { readonly kind: 'end'; readonly reason: string; readonly isStop: boolean };

/**
 * Extracts text in a process of its own, so that a hostile file can neither block nor fill this one. The operating
 * system limits its memory; when it ends or is killed, the next file gets a new one. Processes one file at a time.
 */
export class ExtractionProcess {
  private child: ChildProcess | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly limits: ExtractionLimits = extractionLimits) {}

  /**
   * Starts the process if none is running; resolves when it can take a file.
   * @throws the reason of `signal` when it aborts first; Error when the process cannot be started, which says nothing
   *   about any file
   */
  async prepare(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.child) return;
    clearTimeout(this.idle);
    const child = this.start();
    this.child = child;
    const answer = await this.exchange(child, startTimeoutMs, signal);
    if (answer.kind === 'message') return;
    this.discard(child);
    throw new Error(`the process that extracts text could not be started: ${answer.reason}`);
  }

  /** @throws what `prepare` throws; Error when the process was stopped together with the service */
  async extract(file: FileToExtract, signal: AbortSignal): Promise<Extraction> {
    await this.prepare(signal);
    const { child } = this;
    if (!child) throw new Error('the process that extracts text has ended');
    const answered = this.exchange(child, this.limits.timeMs, signal);
    // A process that has just ended cannot take the file; its exit is what counts.
    child.send(file, () => undefined);
    const answer = await answered;
    if (answer.kind === 'message') return toText(answer.message);
    const reason = `the extraction process exceeded its limits or crashed (${answer.reason})`;
    if (answer.isStop) throw new Error(reason);
    return { kind: 'failed', reason };
  }

  /**
   * Waits for the next message of the process or for its end; kills it after `timeMs`.
   * @throws the reason of `signal` when it aborts first
   */
  private async exchange(child: ChildProcess, timeMs: number, signal: AbortSignal): Promise<Answer> {
    clearTimeout(this.idle);
    const ending = new AbortController();
    const stop = () => child.kill('SIGKILL');
    const timeout = setTimeout(stop, timeMs);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const message = once(child, 'message', { signal: ending.signal });
      const end = once(child, 'exit', { signal: ending.signal });
      // The one that is not awaited fails when the other has settled.
      for (const outcome of [message, end]) outcome.catch(() => undefined);
      // Both fail with the error of a process that could not be created.
      const answer = await Promise.race([
        message.then(([value]): Answer => ({ kind: 'message', message: value })),
        end.then((exit) => toEnd(exit as [number | null, string | null])),
      ]);
      signal.throwIfAborted();
      return answer;
    } catch (error) {
      this.discard(child);
      throw error;
    } finally {
      ending.abort();
      clearTimeout(timeout);
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
      // Most of what a file unpacks to is outside of the heap.
      `--max-old-space-size=${Math.floor(memoryBytes / 2 / 1_048_576)}`,
      fileURLToPath(new URL('./extraction-worker.js', import.meta.url)),
      String(memoryBytes),
      String(process.pid),
    ] as const;
    const maxKilobytes = String((memoryBytes + nodeBytes) / 1_024);
    const limited = ['/bin/sh', '-c', 'ulimit -c 0; ulimit -d "$0" && exec "$@"', maxKilobytes, ...node];
    const [command = process.execPath, ...args] = isWindows ? node : limited;
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      // No secrets of this process.
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

function toText(message: unknown): Extraction {
  if (typeof message !== 'string') return { kind: 'failed', reason: 'the extraction process sent no text' };
  return { kind: 'text', text: message.slice(0, defaultLimits.maxChars) };
}

function toEnd([code, killedBy]: readonly [number | null, string | null]): Answer {
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
    // It has ended already.
  }
}
