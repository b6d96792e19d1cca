import { Piscina } from 'piscina';
import type { Targets } from '../../imports/texts/text-model.js';
import { type ConvertedText, convertText, type TextAddresses, type TextTask } from './convert-text.js';

/** In bytes. Longer texts would block the event loop. */
const longText = 2_000;
const timeLimitMs = 30_000;

/** Converts the texts of entries to CommonMark; long ones in a worker thread. */
export class TextConverter {
  private readonly threads = new Piscina<TextTask, ConvertedText | TextAddresses>({
    filename: new URL('./convert-text.js', import.meta.url).href,
    name: convertText.name,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 10_000,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });

  /** @param charset of the server */
  constructor(private readonly charset: string) {}

  /** Lists the addresses that a text names; undefined when that takes too long. */
  async listAddresses(bytes: Uint8Array, encoding: string): Promise<TextAddresses | undefined> {
    return (await this.run({ bytes, charset: this.charset, encoding, targets: undefined })) as
      | TextAddresses
      | undefined;
  }

  /** Converts a text; undefined when that takes too long. */
  async convert(bytes: Uint8Array, encoding: string, targets: Targets): Promise<ConvertedText | undefined> {
    return (await this.run({ bytes, charset: this.charset, encoding, targets })) as ConvertedText | undefined;
  }

  async close(): Promise<void> {
    await this.threads.destroy();
  }

  private async run(task: TextTask): Promise<ConvertedText | TextAddresses | undefined> {
    if (task.bytes.length < longText) return convertText(task);
    const limit = AbortSignal.timeout(timeLimitMs);
    try {
      return await this.threads.run(task, { signal: limit });
    } catch (error) {
      if (limit.aborted) return undefined;
      throw error;
    }
  }
}
