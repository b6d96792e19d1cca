import { isUtf8 } from 'node:buffer';
import { Ber } from 'ldapts';
import { canonicalType } from './attribute-name.js';
import { Elements } from './ber-reader.js';
import { ignoringCase } from './comparable-text.js';
import { quote } from './quote.js';

export interface NamePart {
  readonly type: string;
  readonly value: string;
}

/** The parts of one level, such as `cn=Ann+uid=ann`. */
export type RelativeName = readonly NamePart[];

/** From the entry upwards; nothing for the root. */
export type DistinguishedName = readonly RelativeName[];

export class InvalidName extends Error {
  override readonly name = 'InvalidName';
}

/**
 * Reads a name as RFC 4514 writes it, and allows spaces around `,`, `+` and `=`.
 * @throws InvalidName
 */
export function parseName(text: string): DistinguishedName {
  return new NameParser(text).parse();
}

/** Two names of one entry have one key, whatever the case, the spaces, the escapes and the order of their parts. */
export function keyOfName(name: DistinguishedName): string {
  return formatName(
    name.map((level) =>
      level
        .map(({ type, value }) => ({ type: canonicalType(type), value: ignoringCase(value) }))
        .sort((a, b) => order(a.type, b.type) || order(a.value, b.value)),
    ),
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function formatName(name: DistinguishedName): string {
  return name.map((level) => level.map(({ type, value }) => `${type}=${escaped(value)}`).join('+')).join(',');
}

function escaped(value: string): string {
  return value.replace(/^[ #]| $|[\\"+,;<>=]/g, '\\$&').replaceAll('\0', '\\00');
}

const spaces = / */y;
const typePattern = /[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*/y;
const plainPattern = /[^\\"+,;<>\0]+/y;
const hexPattern = /#(?:[0-9A-Fa-f]{2})+/y;
const hexPairs = /(?:\\[0-9A-Fa-f]{2})+/y;
const escapedCharacter = /\\[ "#+,;<=>\\]/y;

class NameParser {
  private at = 0;

  constructor(private readonly text: string) {}

  parse(): DistinguishedName {
    this.take(spaces);
    if (this.isAtEnd) return [];
    const levels: RelativeName[] = [];
    do levels.push(this.level());
    while (this.takeCharacter(','));
    if (!this.isAtEnd) throw this.invalid();
    return levels;
  }

  private get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  private level(): RelativeName {
    const parts: NamePart[] = [];
    do parts.push(this.part());
    while (this.takeCharacter('+'));
    return parts;
  }

  private part(): NamePart {
    this.take(spaces);
    const type = this.take(typePattern);
    this.take(spaces);
    if (type === '' || !this.takeCharacter('=')) throw this.invalid();
    this.take(spaces);
    return { type, value: this.text[this.at] === '#' ? this.encodedValue() : this.value() };
  }

  private value(): string {
    const pieces: string[] = [];
    let isEscaped = false;
    for (;;) {
      const plain = this.take(plainPattern);
      if (plain !== '') {
        isEscaped = false;
        pieces.push(plain);
        continue;
      }
      const literal = this.take(escapedCharacter).slice(1) || this.utf8(this.take(hexPairs).replaceAll('\\', ''));
      if (literal === '') break;
      isEscaped = true;
      pieces.push(literal);
    }
    // Spaces at the end count only when they are escaped.
    if (!isEscaped && pieces.length > 0) pieces.push(withoutSpacesAtEnd(pieces.pop() ?? ''));
    return pieces.join('');
  }

  /** A value as the hexadecimal digits of its BER encoding. */
  private encodedValue(): string {
    const encoded = Buffer.from(this.take(hexPattern).slice(1), 'hex');
    this.take(spaces);
    const tag = encoded[0];
    if (tag !== Ber.OctetString && tag !== Ber.Utf8String && tag !== Ber.PrintableString && tag !== Ber.IA5String) {
      throw this.invalid();
    }
    try {
      return new Elements(encoded).text(tag);
    } catch {
      throw this.invalid();
    }
  }

  private utf8(hex: string): string {
    const bytes = Buffer.from(hex, 'hex');
    if (!isUtf8(bytes)) throw this.invalid();
    return bytes.toString();
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [taken = ''] = pattern.exec(this.text) ?? [];
    this.at += taken.length;
    return taken;
  }

  private takeCharacter(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private invalid(): InvalidName {
    return new InvalidName(`${quote(this.text)} is no distinguished name: what is at ${this.at + 1} is not expected.`);
  }
}

function withoutSpacesAtEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end -= 1;
  return text.slice(0, end);
}
