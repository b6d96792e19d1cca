import type { Readable } from 'node:stream';
import { LimitedProcess, type ProcessLimits } from './limited-process.js';

const limits: ProcessLimits = { memoryBytes: 805_306_368, timeMs: 10_000 };

/** Message of the process when it can take an image; `unavailable`: the library is not installed. */
export type Greeting = 'ready' | 'unavailable';

/** One image is sent in several messages, since a long one would block both processes. */
export type ImageMessage =
  | { readonly kind: 'part'; readonly content: Uint8Array }
  /** The largest width and height of the thumbnail, in pixels. */
  | { readonly kind: 'end'; readonly size: number };

/** The thumbnail as WebP; undefined: the image cannot be read. */
export type ThumbnailAnswer = Uint8Array | undefined;

/** Makes thumbnails in a process of its own, one at a time. */
export class ThumbnailProcess {
  private readonly process = new LimitedProcess(
    new URL('./thumbnail-worker.js', import.meta.url),
    'makes thumbnails',
    limits,
  );

  /**
   * False when the library is not installed.
   * @throws as `LimitedProcess.prepare`
   */
  async isAvailable(signal: AbortSignal): Promise<boolean> {
    return (await this.process.prepare(signal)) === ('ready' satisfies Greeting);
  }

  /**
   * Resolves to the thumbnail of an image as WebP; undefined when the image cannot be read, or takes too much.
   * @throws as `LimitedProcess.run`; what reading `content` throws
   */
  async make(content: Readable, size: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const answer = await this.process.run(messagesOf(content, size), signal);
    return answer.kind === 'message' && answer.message instanceof Uint8Array ? answer.message : undefined;
  }

  close(): void {
    this.process.close();
  }
}

async function* messagesOf(content: Readable, size: number): AsyncGenerator<ImageMessage> {
  for await (const part of content as AsyncIterable<Buffer>) yield { kind: 'part', content: part };
  yield { kind: 'end', size };
}
