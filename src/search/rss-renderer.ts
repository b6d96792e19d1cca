import { Piscina } from 'piscina';
import { limitFault } from '../kernel/limit.js';
import { type FeedAddresses, renderRssFromJson } from './rss.js';

/** Minimum size of a feed that is rendered in a worker, because it would block the event loop for too long. */
const longFeedBytes = 100_000;
const feedTimeLimitMs = 20_000;

/** Renders the entries found by a search as a feed. Long feeds are rendered in a worker thread. */
export class RssRenderer {
  private readonly workers = new Piscina<{ entriesJson: Uint8Array; addresses: FeedAddresses }, Uint8Array>({
    filename: new URL('./rss.js', import.meta.url).href,
    name: renderRssFromJson.name,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: 100,
    idleTimeout: 10_000,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });

  constructor(private readonly timeLimitMs = feedTimeLimitMs) {}

  /**
   * @param entriesJson buffer that must not be used afterwards
   * @throws Fault unavailable `search.feed-timeout` when too many long feeds are waiting or one takes too long
   */
  async render(entriesJson: Uint8Array, addresses: FeedAddresses): Promise<Uint8Array> {
    const feed = { entriesJson, addresses };
    if (entriesJson.byteLength < longFeedBytes) return renderRssFromJson(feed);
    try {
      // The buffer is moved, because copying 16 MB would take milliseconds.
      const { buffer } = entriesJson;
      const transferList = entriesJson.byteLength === buffer.byteLength ? [buffer as ArrayBuffer] : [];
      return await this.workers.run(feed, { signal: AbortSignal.timeout(this.timeLimitMs), transferList });
    } catch (error) {
      const limit = {
        amount: `${this.timeLimitMs / 1_000} s`,
        setting: undefined,
        countedFor: 'each feed, regardless of the client',
      };
      const refused = 'This long feed could not be rendered in time.';
      const advice = 'Try again, or request fewer entries with “size”.';
      throw limitFault('unavailable', 'search.feed-timeout', { refused, limit, advice }, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.workers.destroy();
  }
}
