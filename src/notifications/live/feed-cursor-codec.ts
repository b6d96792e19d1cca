import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const sealBytes = 12;

/**
 * Encodes positions in the change feed for readers. A reader with access to everything gets the position itself, with a
 * seal: the position remains valid if the reader loses access. For other readers, gaps between positions would reveal
 * how many entries are hidden from them. They get a code that only the service can read, and that differs each time,
 * even for the same position.
 */
export class FeedCursorCodec {
  private readonly key: Buffer;

  constructor(
    secret: string,
    private readonly isHidden: boolean,
  ) {
    this.key = createHash('sha256').update(`positions in the change feed\n${secret}`).digest();
  }

  /** Returns the `id` of an event. */
  encode(position: number): string {
    if (!this.isHidden) return `${position}.${this.sealOf(position).toString('base64url')}`;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.key, nonce);
    const plain = Buffer.alloc(8);
    plain.writeBigUInt64BE(BigInt(position));
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** Returns the position as a number; null for a reader who must not know it. */
  sequence(position: number): number | null {
    return this.isHidden ? null : position;
  }

  /**
   * Decodes a position that a reader sends; undefined when it is not valid. A reader who gets encrypted positions may
   * send no number without its seal except 0, the beginning; trying numbers would reveal the positions of all visible
   * changes.
   */
  decode(cursor: string): number | undefined {
    if (cursor === '0' || (!this.isHidden && /^\d{1,15}$/.test(cursor))) return Number(cursor);
    const [, number, seal] = /^(\d{1,15})\.([\w-]{16})$/.exec(cursor) ?? [];
    if (number !== undefined && seal !== undefined) {
      const isSealed = timingSafeEqual(Buffer.from(seal, 'base64url'), this.sealOf(Number(number)));
      return isSealed ? Number(number) : undefined;
    }
    const code = Buffer.from(cursor, 'base64url');
    if (code.length !== nonceBytes + 8 + tagBytes) return undefined;
    try {
      const decipher = createDecipheriv(algorithm, this.key, code.subarray(0, nonceBytes));
      decipher.setAuthTag(code.subarray(-tagBytes));
      const plain = Buffer.concat([decipher.update(code.subarray(nonceBytes, -tagBytes)), decipher.final()]);
      return Number(plain.readBigUInt64BE());
    } catch {
      return undefined;
    }
  }

  private sealOf(position: number): Buffer {
    return createHmac('sha256', this.key).update(`position ${position}`).digest().subarray(0, sealBytes);
  }
}
