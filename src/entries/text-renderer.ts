import { Piscina } from 'piscina';
import { Fault } from '../kernel/fault.js';
import { plainTextOf } from './markup.js';

export type Markup = 'commonmark' | 'none';

/** What an entry keeps of a text: as sent, and as read. */
export interface RenderedText {
  readonly source: string;
  readonly description: string;
}

/** Longer texts take their time, and would keep everybody else waiting. */
const longText = 2_000;
const timeLimitMs = 20_000;

/** Takes the markup out of texts; long ones in a thread of their own. */
export class TextRenderer {
  private readonly threads = new Piscina<string, string>({
    filename: new URL('./markup.js', import.meta.url).href,
    name: plainTextOf.name,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: 100,
    idleTimeout: 10_000,
  });

  /** @throws Fault unavailable `entry.markup-timeout` when too many long texts wait, or one takes too long */
  async render(text: string, markup: Markup): Promise<RenderedText> {
    if (markup === 'none') return { source: text, description: text };
    if (text.length < longText) return { source: text, description: plainTextOf(text) };
    try {
      const description = await this.threads.run(text, { signal: AbortSignal.timeout(timeLimitMs) });
      return { source: text, description };
    } catch (error) {
      throw new Fault(
        'unavailable',
        'entry.markup-timeout',
        'The markup of this long text could not be read in time; nothing was stored. Repeat it, or send it with markup=none.',
        { cause: error },
      );
    }
  }

  async close(): Promise<void> {
    await this.threads.destroy();
  }
}
