import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encodes positions in the change feed for readers. A reader with access to everything gets the position itself. For
 * other readers, gaps between positions would reveal how many entries are hidden from them. They get a code that only
 * the service can read, and that differs each time, even for the same position.
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
    if (!this.isHidden) return String(position);
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
   * send no number except 0, the beginning; trying numbers would reveal the positions of all visible changes.
   */
  decode(cursor: string): number | undefined {
    if (cursor === '0' || (!this.isHidden && /^\d{1,15}$/.test(cursor))) return Number(cursor);
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
}
