import { isUtf8 } from 'node:buffer';
import { Ber, BerReader } from 'ldapts';

/** Bytes that are not what the protocol wants. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/**
 * The BER elements within another element, one after the other. Each gets a reader of its own: the one of ldapts does
 * not notice an element that reaches beyond its parent, and steps back on a length that became negative.
 */
export class Elements {
  private readonly reader: BerReader;

  constructor(content: Buffer) {
    this.reader = new BerReader(content);
  }

  /** The tag of the next element; undefined at the end. */
  get tag(): number | undefined {
    return this.reader.peek() ?? undefined;
  }

  bytes(tag: number = Ber.OctetString): Buffer {
    let content: Buffer | null;
    try {
      content = this.reader.readString(tag, true);
    } catch (error) {
      throw new MalformedMessage(`an element is not the expected one: ${(error as Error).message}`);
    }
    if (content === null || this.reader.length < 0) throw new MalformedMessage('an element is cut off');
    return content;
  }

  within(tag: number = Ber.Sequence | Ber.Constructor): Elements {
    return new Elements(this.bytes(tag));
  }

  integer(tag: number = Ber.Integer): number {
    const bytes = this.bytes(tag);
    if (bytes.length < 1 || bytes.length > 4) throw new MalformedMessage('a number is not one of 32 bits');
    return bytes.readIntBE(0, bytes.length);
  }

  boolean(tag: number = Ber.Boolean): boolean {
    const bytes = this.bytes(tag);
    if (bytes.length !== 1) throw new MalformedMessage('a truth value is not one byte');
    return bytes[0] !== 0;
  }

  text(tag: number = Ber.OctetString): string {
    const bytes = this.bytes(tag);
    if (!isUtf8(bytes)) throw new MalformedMessage('a text is not UTF-8');
    return bytes.toString();
  }
}
