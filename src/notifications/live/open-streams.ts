import { limitFault } from '../../kernel/limit.js';
import { UnsentBytes } from './unsent-bytes.js';

const maxUnsentBytes = 33_554_432;

interface AddressLimit {
  /**
   * Counts a connection; returns a function to call once when it has closed.
   * @throws Fault busy `live.too-many-from-address`
   */
  add(address: string): () => void;
}

export class OpenStreams {
  count = 0;
  readonly stopping = new AbortController();
  readonly unsentBytes = new UnsentBytes(maxUnsentBytes);

  constructor(
    private readonly max: number,
    private readonly byAddress: AddressLimit,
  ) {}

  /**
   * Counts a stream; returns a function to call once when it has closed.
   * @throws Fault unavailable `live.too-many-clients`; busy `live.too-many-from-address`
   */
  add(address: string): () => void {
    if (this.count >= this.max) {
      throw limitFault('unavailable', 'live.too-many-clients', {
        refused: 'There are too many event streams.',
        limit: { amount: `${this.max} event streams`, setting: 'maxEventStreams', countedFor: 'all clients together' },
        advice: 'Try again later.',
      });
    }
    const leave = this.byAddress.add(address);
    this.count += 1;
    return () => {
      this.count -= 1;
      leave();
    };
  }
}
