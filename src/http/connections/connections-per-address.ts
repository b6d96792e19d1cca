import { limitFault } from '../../kernel/limit.js';
import { networkPrefix } from '../../kernel/network-prefix.js';

/**
 * Limits the live connections from each address, so that one address cannot take up all of them. All IPv6 addresses of
 * a network count as one.
 */
export class ConnectionsPerAddress {
  private readonly counts = new Map<string, number>();

  constructor(private readonly max: number) {}

  /**
   * Counts a connection. Returns a function to be called once, when the connection has closed.
   * @throws Fault busy `live.too-many-from-address`
   */
  add(from: string): () => void {
    const address = networkPrefix(from);
    const count = this.counts.get(address) ?? 0;
    if (count >= this.max) {
      throw limitFault(
        'busy',
        'live.too-many-from-address',
        {
          refused: 'There are too many WebSocket connections and event streams from this address.',
          limit: {
            amount: `${this.max} live connections`,
            setting: 'maxLiveConnectionsPerAddress',
            countedFor: `the address ${address}`,
          },
          advice: 'Close some of them, or try again later.',
        },
        { retryAfterSeconds: 30 },
      );
    }
    this.counts.set(address, count + 1);
    return () => {
      const left = (this.counts.get(address) ?? 0) - 1;
      if (left > 0) this.counts.set(address, left);
      else this.counts.delete(address);
    };
  }
}
