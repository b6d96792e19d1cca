import { Piscina } from 'piscina';
import { limitFault } from '../kernel/limit.js';

export type Markup = 'commonmark' | 'none';

/** The two forms of a text that an entry stores: as sent, and as plain text. */
export interface RenderedText {
  readonly source: string;
  readonly description: string;
}

/** Minimum length in UTF-16 code units of a text that is rendered in a thread, as it would block the event loop. */
const longText = 2_000;
const timeLimitMs = 20_000;

type Library = typeof import('../../packages/markup/plain-text.js');

/** Converts texts to plain text; long ones in a worker thread. */
export class TextRenderer {
  private library: Library | undefined;
  private readonly threads = new Piscina<string, string>({
    filename: new URL('../../packages/markup/plain-text.js', import.meta.url).href,
    name: 'plainTextOf' satisfies keyof Library,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: 100,
    idleTimeout: 10_000,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });

  /**
   * Returns the text as sent and as plain text; with markup `none`, both are the same.
   * @throws Fault unavailable `entry.markup-timeout` when too many long texts are waiting, or this one takes too long
   */
  async render(text: string, markup: Markup): Promise<RenderedText> {
    if (markup === 'none') return { source: text, description: text };
    if (text.length < longText) return { source: text, description: (await this.load()).plainTextOf(text) };
    return { source: text, description: await this.inThread(text) };
  }

  /**
   * Returns a text with its last code block closed.
   * @throws Fault as `render`
   */
  async closeFence(text: string, markup: Markup): Promise<string> {
    if (markup === 'none' || !/```|~~~/.test(text)) return text;
    const { href } = new URL('../../packages/markup/open-fence.js', import.meta.url);
    if (text.length >= longText) return this.inThread(text, { filename: href, name: 'closeFence' });
    const { closeFence } = await import('../../packages/markup/open-fence.js');
    return closeFence(text);
  }

  private async inThread(text: string, task: { filename?: string; name?: string } = {}): Promise<string> {
    try {
      return await this.threads.run(text, { ...task, signal: AbortSignal.timeout(timeLimitMs) });
    } catch (error) {
      const limit = {
        amount: `${timeLimitMs / 1_000} s`,
        setting: undefined,
        countedFor: 'each text, regardless of the client',
      };
      const refused = 'The markup of this long text could not be processed in time; nothing was stored.';
      const advice = 'Try again, or send it with markup=none.';
      throw limitFault('unavailable', 'entry.markup-timeout', { refused, limit, advice }, { cause: error });
    }
  }

  /** Loads the parser on first use, so that the service starts faster. */
  async load(): Promise<Library> {
    this.library ??= await import('../../packages/markup/plain-text.js');
    return this.library;
  }

  async close(): Promise<void> {
    await this.threads.destroy();
  }
}
