import { isUtf8 } from 'node:buffer';
import { Ber } from 'ldapts';
import { canonicalType } from './attribute-name.js';
import { BerReader } from './ber-reader.js';
import { foldCase } from './prepare-text.js';
import { quote } from './quote.js';

export interface NamePart {
  readonly type: string;
  readonly value: string;
}

/** The parts of one level, such as `cn=Ann+uid=ann`. */
export type RelativeName = readonly NamePart[];

/** Names from the entry up to the root; empty for the root itself. */
export type DistinguishedName = readonly RelativeName[];

export class InvalidName extends Error {
  override readonly name = 'InvalidName';
}

/**
 * Parses a name written as in RFC 4514; spaces around `,`, `+` and `=` are allowed.
 * @throws InvalidName
 */
export function parseName(text: string): DistinguishedName {
  return new NameParser(text).parse();
}

/**
 * Returns the same text for all spellings of a name: case, spaces, escapes, aliases and the order of parts do not
 * matter.
 */
export function normalizeName(name: DistinguishedName): string {
  return name
    .map((level) =>
      level
        .map(({ type, value }) => formatPart({ type: canonicalType(type), value: foldCase(value) }))
        .sort()
        .join('+'),
    )
    .join(',');
}

export function formatName(name: DistinguishedName): string {
  return name.map((level) => level.map(formatPart).join('+')).join(',');
}

function formatPart({ type, value }: NamePart): string {
  return `${type}=${value.replace(/^[ #]| $|[\\"+,;<>=]/g, '\\$&').replaceAll('\0', '\\00')}`;
}

const spaces = / */y;
const typePattern = /[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*/y;
const plainText = /[^ \\"+,;<>\0]+/y;
const escapedCharacter = /\\[ "#+,;<=>\\]/y;
const escapedBytes = /(?:\\[0-9A-Fa-f]{2})+/y;
const encodedBytes = /#(?:[0-9A-Fa-f]{2})+/y;

class NameParser {
  private position = 0;

  constructor(private readonly text: string) {}

  parse(): DistinguishedName {
    this.take(spaces);
    if (this.isAtEnd) return [];
    const levels: RelativeName[] = [];
    do levels.push(this.parseLevel());
    while (this.takeCharacter(','));
    if (!this.isAtEnd) throw this.invalid();
    return levels;
  }

  private get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  private parseLevel(): RelativeName {
    const parts: NamePart[] = [];
    do parts.push(this.parsePart());
    while (this.takeCharacter('+'));
    return parts;
  }

  private parsePart(): NamePart {
    this.take(spaces);
    const type = this.take(typePattern);
    this.take(spaces);
    if (type === '' || !this.takeCharacter('=')) throw this.invalid();
    this.take(spaces);
    return { type, value: this.text[this.position] === '#' ? this.parseEncodedValue() : this.parseValue() };
  }

  /** Drops trailing spaces unless they are escaped. */
  private parseValue(): string {
    let value = '';
    for (;;) {
      const gap = this.take(spaces);
      const piece =
        this.take(plainText) ||
        this.take(escapedCharacter).slice(1) ||
        this.decodeUtf8(this.take(escapedBytes).replaceAll('\\', ''));
      if (piece === '') return value;
      value += gap + piece;
    }
  }

  /** Parses a value given as the hexadecimal digits of its BER encoding. */
  private parseEncodedValue(): string {
    const encoded = Buffer.from(this.take(encodedBytes).slice(1), 'hex');
    this.take(spaces);
    const tag = encoded[0];
    if (tag !== Ber.OctetString && tag !== Ber.Utf8String && tag !== Ber.PrintableString && tag !== Ber.IA5String) {
      throw this.invalid();
    }
    try {
      return new BerReader(encoded).readText(tag);
    } catch {
      throw this.invalid();
    }
  }

  private decodeUtf8(hex: string): string {
    const bytes = Buffer.from(hex, 'hex');
    if (!isUtf8(bytes)) throw this.invalid();
    return bytes.toString();
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const [taken = ''] = pattern.exec(this.text) ?? [];
    this.position += taken.length;
    return taken;
  }

  private takeCharacter(character: string): boolean {
    if (this.text[this.position] !== character) return false;
    this.position += 1;
    return true;
  }

  private invalid(): InvalidName {
    return new InvalidName(
      `${quote(this.text)} is not a valid distinguished name: unexpected input at character ${this.position + 1}.`,
    );
  }
}
