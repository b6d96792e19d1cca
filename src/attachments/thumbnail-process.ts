import type { Readable } from 'node:stream';
import { LimitedProcess, type ProcessLimits } from './limited-process.js';

const limits: ProcessLimits = { memoryBytes: 805_306_368, timeMs: 10_000 };

/** Message that the process sends when it is ready for an image; `unavailable`: the library is not installed. */
export type Greeting = 'ready' | 'unavailable';

/**
 * Message with a part of an image. An image is sent in several messages, because a long one would block both processes.
 */
export type ImageMessage =
  | { readonly kind: 'part'; readonly content: Uint8Array }
  /** The largest width and height of the thumbnail, in pixels. */
  | { readonly kind: 'end'; readonly size: number };

/** The thumbnail as WebP; undefined: the image cannot be read. */
export type ThumbnailAnswer = Uint8Array | undefined;

/** Makes thumbnails in a separate process, one at a time. */
export class ThumbnailProcess {
  private readonly process = new LimitedProcess(
    new URL('./thumbnail-worker.js', import.meta.url),
    'makes thumbnails',
    limits,
  );

  /**
   * Whether the library is installed.
   * @throws as `LimitedProcess.prepare`
   */
  async isAvailable(signal: AbortSignal): Promise<boolean> {
    return (await this.process.prepare(signal)) === ('ready' satisfies Greeting);
  }

  /**
   * Resolves to the thumbnail of an image as WebP; undefined when the image cannot be read, or takes too much time or
   * memory.
   * @throws as `LimitedProcess.run`; the error of reading `content`
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
