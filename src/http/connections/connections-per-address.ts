import { Fault } from '../../kernel/fault.js';

/** The live clients of each address, of whatever kind: one address cannot take the places of all. */
export class ConnectionsPerAddress {
  private readonly counts = new Map<string, number>();

  constructor(private readonly max: number) {}

  /**
   * Returns what to call once when the client has gone.
   * @throws Fault busy `live.too-many-from-address`
   */
  add(address: string): () => void {
    const count = this.counts.get(address) ?? 0;
    if (count >= this.max) {
      throw new Fault(
        'busy',
        'live.too-many-from-address',
        `As many clients follow the logbook from ${address} as may from one address. Close some, or try again later; the administrator can allow more.`,
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
