import { LimitedProcess, type ProcessLimits } from './limited-process.js';
import { defaultLimits } from './text-limits.js';

export const extractionLimits: ProcessLimits = { memoryBytes: 536_870_912, timeMs: 30_000 };

export interface FileToExtract {
  readonly chunks: readonly Uint8Array[];
  readonly contentType: string;
}

export type Extraction =
  | { readonly kind: 'text'; readonly text: string }
  /** The file took too much time or memory, or crashed the process. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Message that the process sends when it is ready for a file. */
export const readyMessage = 'ready';

/** Extracts text in a separate process, one file at a time. */
export class ExtractionProcess {
  private readonly process: LimitedProcess;

  constructor(limits: ProcessLimits = extractionLimits) {
    this.process = new LimitedProcess(new URL('./extraction-worker.js', import.meta.url), 'extracts text', limits);
  }

  /** Starts the process if none is running. @throws as `LimitedProcess.prepare` */
  async prepare(signal: AbortSignal): Promise<void> {
    await this.process.prepare(signal);
  }

  /** @throws as `LimitedProcess.run` */
  async extract(file: FileToExtract, signal: AbortSignal): Promise<Extraction> {
    const answer = await this.process.run(only(file), signal);
    return answer.kind === 'message' ? toText(answer.message) : answer;
  }

  close(): void {
    this.process.close();
  }
}

async function* only<T>(message: T): AsyncGenerator<T> {
  yield message;
}

function toText(message: unknown): Extraction {
  if (typeof message !== 'string') return { kind: 'failed', reason: 'the extraction process sent no text' };
  return { kind: 'text', text: message.slice(0, defaultLimits.maxChars) };
}
