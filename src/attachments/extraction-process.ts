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

/**
 * Extracts text in a process of its own, so that a hostile file can neither block nor fill this one. The operating
 * system limits its memory; when it ends or is killed, the next file gets a new one. Processes one file at a time.
 */
export class ExtractionProcess {
  private child: ChildProcess | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly limits: ExtractionLimits = extractionLimits) {}

  /** @throws the reason of `signal` when it aborts first */
  async extract(file: FileToExtract, signal: AbortSignal): Promise<Extraction> {
    signal.throwIfAborted();
    clearTimeout(this.idle);
    this.child ??= this.start();
    const { child } = this;
    const ending = new AbortController();
    const timeout = setTimeout(() => child.kill('SIGKILL'), this.limits.timeMs);
    const stop = () => child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answered = once(child, 'message', { signal: ending.signal }).then(([text]): Extraction => toText(text));
      const ended = once(child, 'exit', { signal: ending.signal }).then((exit): Extraction => {
        const [code, killedBy] = exit as [number | null, string | null];
        signal.throwIfAborted();
        if (saysNothing(code, killedBy)) throw new Error(describeEnd(code, killedBy));
        return { kind: 'failed', reason: describeEnd(code, killedBy) };
      });
      // The one that is not awaited fails when the other has settled.
      for (const outcome of [answered, ended]) outcome.catch(() => undefined);
      // A process that has just ended cannot take the file; its exit is what counts.
      child.send(file, () => undefined);
      return await Promise.race([answered, ended]);
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

/**
 * Whether an end says nothing about the file: the process was stopped together with the service, or could not be
 * started.
 */
function saysNothing(code: number | null, killedBy: string | null): boolean {
  return code === null ? /^SIG(TERM|INT|HUP)$/.test(killedBy ?? '') : [1, 126, 127].includes(code);
}

function describeEnd(code: number | null, killedBy: string | null): string {
  return `the extraction process exceeded its limits or crashed (${killedBy ?? `exit code ${code}`})`;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 15);
  } catch {
    // It has ended already.
  }
}
