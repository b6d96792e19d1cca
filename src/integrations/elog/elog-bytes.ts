import { TextDecoder } from 'node:util';
import { decodeText } from '../../kernel/text-encoding.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const sequence = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/**
 * Decodes the bytes of an ELOG. Servers and browsers use different charsets, so that one line may contain both. Valid
 * UTF-8 is decoded as UTF-8, the rest in the charset of the server.
 */
export class ElogBytes {
  /** Decoder of the charset of the server; undefined: windows-1252. */
  private readonly other: TextDecoder | undefined;
  private readonly isSingleByte: boolean;
  /** Bytes of each character in the charset of the server. */
  private characters: ReadonlyMap<string, readonly number[]> | undefined;

  /** @param charset charset as in `elogd.cfg`; an unknown one is read as `iso-8859-1`, the default of ELOG */
  constructor(readonly charset: string) {
    this.other = decoderOf(charset);
    const { encoding } = this.other ?? { encoding: 'windows-1252' };
    this.isSingleByte = /^(windows|iso|ibm|koi|mac|x-mac)/i.test(encoding) && encoding !== 'iso-2022-jp';
  }

  /** Decodes a line or another part of a text. */
  decode(bytes: Uint8Array): string {
    return this.decodeExactly(bytes).replaceAll('\0', '\ufffd');
  }

  /** Encodes a name in the charset of the server; undefined if that is impossible. */
  encode(name: string): Buffer | undefined {
    this.characters ??= this.listCharacters();
    const bytes = [...name].map((character) => this.characters?.get(character));
    return bytes.includes(undefined) ? undefined : Buffer.from(bytes.flatMap((some) => some ?? []));
  }

  /** Decodes a text line by line. */
  decodeLines(bytes: Buffer): string[] {
    const whole = this.tryUtf8(bytes);
    if (whole !== undefined) return splitLines(whole.replaceAll('\0', '\ufffd'));
    // The bytes of line ends are not part of other characters in the charsets of ELOG.
    return splitLines(bytes.toString('latin1')).map((line) => this.decode(Buffer.from(line, 'latin1')));
  }

  private decodeExactly(bytes: Uint8Array): string {
    const whole = this.tryUtf8(bytes);
    if (whole !== undefined) return whole;
    // Multi-byte charsets do not allow parts of a line to be decoded separately.
    if (!this.isSingleByte) return this.decodeOther(bytes);
    const line = Buffer.from(bytes).toString('latin1');
    let [text, from] = ['', 0];
    for (const { 0: found, index } of line.matchAll(sequence)) {
      const character = this.tryUtf8(Buffer.from(found, 'latin1'));
      if (character === undefined) continue;
      text += this.decodeOther(Buffer.from(line.slice(from, index), 'latin1')) + character;
      from = index + found.length;
    }
    return text + this.decodeOther(Buffer.from(line.slice(from), 'latin1'));
  }

  private decodeOther(bytes: Uint8Array): string {
    return this.other ? this.other.decode(bytes) : decodeText(bytes, 'windows-1252');
  }

  /** Lists the characters with one byte and, for multi-byte charsets, with two bytes. */
  private listCharacters(): Map<string, readonly number[]> {
    const characters = new Map<string, readonly number[]>();
    const add = (...bytes: readonly number[]) => {
      const [character = '', ...more] = this.decodeOther(Uint8Array.from(bytes));
      if (more.length === 0 && character !== '\ufffd' && !characters.has(character)) characters.set(character, bytes);
    };
    for (let byte = 0; byte < 256; byte++) add(byte);
    for (let first = 0x81; first < 0xff && !this.isSingleByte; first++) {
      for (let second = 0x40; second < 0xff; second++) add(first, second);
    }
    return characters;
  }

  private tryUtf8(bytes: Uint8Array): string | undefined {
    try {
      return utf8.decode(bytes);
    } catch {
      return undefined;
    }
  }
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    const decoder = new TextDecoder(charset);
    return /^(utf-8|windows-1252)$/.test(decoder.encoding) ? undefined : decoder;
  } catch {
    return undefined;
  }
}

const splitLines = (text: string) => text.split(/\r\n|\n|\r/);
