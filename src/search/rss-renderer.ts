import { Piscina } from 'piscina';
import { Fault } from '../kernel/fault.js';
import { type FeedAddresses, rssOf } from './rss.js';

/** Bytes; more takes longer than everybody else should wait. */
const longFeed = 100_000;
const timeLimitMs = 20_000;

/** Makes feeds of what the search found; long ones in a thread of their own. */
export class RssRenderer {
  private readonly threads = new Piscina<{ entriesJson: Uint8Array; addresses: FeedAddresses }, string>({
    filename: new URL('./rss.js', import.meta.url).href,
    name: rssOf.name,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: 100,
    idleTimeout: 10_000,
  });

  /** @throws Fault unavailable `search.feed-timeout` when too many long feeds wait, or one takes too long */
  async render(entriesJson: Uint8Array, addresses: FeedAddresses): Promise<string> {
    const feed = { entriesJson, addresses };
    if (entriesJson.byteLength < longFeed) return rssOf(feed);
    try {
      return await this.threads.run(feed, { signal: AbortSignal.timeout(timeLimitMs) });
    } catch (error) {
      throw new Fault(
        'unavailable',
        'search.feed-timeout',
        'This long feed could not be made in time. Repeat it, or ask for fewer entries with size.',
        { cause: error },
      );
    }
  }

  async close(): Promise<void> {
    await this.threads.destroy();
  }
}
