import { isUtf8 } from 'node:buffer';
import { Ber, BerReader as UncheckedReader } from 'ldapts';

/** The received bytes are not valid BER, or not a message of the protocol. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/**
 * Reads the BER elements inside one constructed element, in order. Each nested element gets a separate reader: the
 * reader of ldapts accepts an element that exceeds its parent, and moves backwards on a negative length.
 */
export class BerReader {
  private readonly reader: UncheckedReader;

  constructor(content: Buffer) {
    this.reader = new UncheckedReader(content);
  }

  /** Tag of the next element; undefined at the end. */
  get nextTag(): number | undefined {
    return this.reader.peek() ?? undefined;
  }

  /** @throws MalformedMessage, like all methods below */
  readBytes(tag: number = Ber.OctetString): Buffer {
    let content: Buffer | null;
    try {
      content = this.reader.readString(tag, true);
    } catch (error) {
      throw new MalformedMessage(`unexpected element: ${(error as Error).message}`);
    }
    if (content === null || this.reader.length < 0) throw new MalformedMessage('an element is truncated');
    return content;
  }

  readConstructed(tag: number = Ber.Sequence | Ber.Constructor): BerReader {
    return new BerReader(this.readBytes(tag));
  }

  readInteger(tag: number = Ber.Integer): number {
    return toInteger(this.readBytes(tag));
  }

  readBoolean(tag: number = Ber.Boolean): boolean {
    const bytes = this.readBytes(tag);
    if (bytes.length !== 1) throw new MalformedMessage('a boolean must have exactly one byte');
    return bytes[0] !== 0;
  }

  readText(tag: number = Ber.OctetString): string {
    const bytes = this.readBytes(tag);
    if (!isUtf8(bytes)) throw new MalformedMessage('a string is not valid UTF-8');
    return bytes.toString();
  }
}

/** @throws MalformedMessage unless there are 1 to 4 bytes */
export function toInteger(bytes: Buffer): number {
  if (bytes.length < 1 || bytes.length > 4) throw new MalformedMessage('an integer must have 1 to 4 bytes');
  return bytes.readIntBE(0, bytes.length);
}
