import { Ber, BerReader } from 'ldapts';
import { MalformedMessage } from './ber-reader.js';

const messageTag = Ber.Sequence | Ber.Constructor;

/** Splits the bytes received on a connection into messages. */
export class MessageFramer {
  private chunks: Buffer[] = [];
  private bytes = 0;
  /**
   * Number of received bytes at which chunks are joined. Joining earlier would cost quadratic time for many small
   * chunks.
   */
  private neededBytes = 2;

  constructor(private readonly maxBytes: number) {}

  /** Whether bytes have arrived that {@link next} has not returned. */
  get isPartial(): boolean {
    return this.bytes > 0;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /**
   * @returns the next complete message; undefined when more bytes are needed
   * @throws MalformedMessage when the bytes cannot begin a message, or the message is too long
   */
  next(): Buffer | undefined {
    if (this.bytes < this.neededBytes) return undefined;
    const received = Buffer.concat(this.chunks, this.bytes);
    const end = findMessageEnd(received, this.maxBytes) ?? received.length + 1;
    const isComplete = end <= received.length;
    const rest = isComplete ? received.subarray(end) : received;
    this.chunks = [rest];
    this.bytes = rest.length;
    this.neededBytes = isComplete ? 2 : end;
    return isComplete ? received.subarray(0, end) : undefined;
  }
}

/** @returns undefined when the length field itself is incomplete */
function findMessageEnd(received: Buffer, maxBytes: number): number | undefined {
  const reader = new BerReader(received);
  if (reader.peek() !== messageTag) throw new MalformedMessage('not an LDAP message');
  let start: number | null;
  try {
    start = reader.readLength(1);
  } catch {
    throw new MalformedMessage('invalid message length');
  }
  if (start === null) return undefined;
  if (reader.length < 0 || reader.length > maxBytes) {
    throw new MalformedMessage(`a message may have at most ${maxBytes} bytes`);
  }
  return start + reader.length;
}
