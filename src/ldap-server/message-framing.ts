import { Ber, BerReader } from 'ldapts';
import { MalformedMessage } from './ber-reader.js';

const messageTag = Ber.Sequence | Ber.Constructor;

/** Cuts what arrives on a connection into messages. */
export class MessageFrames {
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** Nothing is put together before so much is there: many small chunks stay cheap. */
  private needed = 2;

  constructor(private readonly maxBytes: number) {}

  /** True when something is there that is not a whole message, or not taken yet. */
  get isPartial(): boolean {
    return this.bytes > 0;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** @throws MalformedMessage when no message begins so, or it is too long */
  next(): Buffer | undefined {
    if (this.bytes < this.needed) return undefined;
    const received = Buffer.concat(this.chunks, this.bytes);
    this.chunks = [received];
    const end = endOfMessage(received, this.maxBytes);
    if (end === undefined || end > received.length) {
      this.needed = end ?? received.length + 1;
      return undefined;
    }
    const rest = received.subarray(end);
    this.chunks = rest.length > 0 ? [rest] : [];
    this.bytes = rest.length;
    this.needed = 2;
    return received.subarray(0, end);
  }
}

/** Undefined when the length itself is not there yet. */
function endOfMessage(received: Buffer, maxBytes: number): number | undefined {
  const reader = new BerReader(received);
  if (reader.peek() !== messageTag) throw new MalformedMessage('this is no LDAP message');
  let start: number | null;
  try {
    start = reader.readLength(1);
  } catch {
    throw new MalformedMessage('the length of a message is not a definite one');
  }
  if (start === null) return undefined;
  if (reader.length < 0 || reader.length > maxBytes) {
    throw new MalformedMessage(`a message may have ${maxBytes} bytes at most`);
  }
  return start + reader.length;
}
