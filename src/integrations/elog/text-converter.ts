import type { Targets } from '../../../packages/rich-text/text-model.js';
import { TextThread } from '../../imports/texts/text-thread.js';
import { type ConvertedText, convertText, type TextAddresses, type TextTask } from './convert-text.js';

/** Converts the texts of entries to CommonMark, long texts in a worker thread. */
export class TextConverter {
  private readonly thread = new TextThread<TextTask, ConvertedText | TextAddresses>(
    convertText,
    new URL('./convert-text.js', import.meta.url),
  );

  /** @param charset character encoding of the server */
  constructor(private readonly charset: string) {}

  /** Lists the addresses in a text; undefined when that takes too long. */
  async listAddresses(bytes: Uint8Array, encoding: string, signal: AbortSignal): Promise<TextAddresses | undefined> {
    const task = { bytes, charset: this.charset, encoding, targets: undefined };
    return (await this.thread.run(task, bytes.length, signal)) as TextAddresses | undefined;
  }

  /** Converts a text; undefined when that takes too long. */
  async convert(
    { bytes, encoding, targets }: { readonly bytes: Uint8Array; readonly encoding: string; readonly targets: Targets },
    signal: AbortSignal,
  ): Promise<ConvertedText | undefined> {
    const task = { bytes, charset: this.charset, encoding, targets };
    return (await this.thread.run(task, bytes.length, signal)) as ConvertedText | undefined;
  }

  async close(): Promise<void> {
    await this.thread.close();
  }
}
