import { isUtf8 } from 'node:buffer';

/** One attribute of a name, such as `cn=Ann`; the type in lower case, the value without escapes. */
export interface NamePart {
  readonly type: string;
  readonly value: string;
}

/** The levels from the entry up to the root; more than one part in a level such as `cn=Ann+uid=ann`. */
export type DistinguishedName = readonly (readonly NamePart[])[];

const typePattern = /\s*([a-z][\w.-]*|\d+(?:\.\d+)*)\s*=[ \t]*/iy;
const valuePiece = /((?:\\[0-9a-f]{2})+)|\\(.)|([^\\"+,;<>\0]+)/isy;

/**
 * Parses a distinguished name (DN) as in RFC 4514; spaces around its separators are allowed. Values in the form of
 * hexadecimal BER are not supported. Undefined when the text is no such name.
 */
export function parseDn(text: string): DistinguishedName | undefined {
  const levels: NamePart[][] = [[]];
  let position = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match) position = pattern.lastIndex;
    return match;
  };
  for (;;) {
    const type = take(typePattern)?.[1]?.toLowerCase();
    const value = type === undefined ? undefined : takeValue(take);
    if (type === undefined || value === undefined) return undefined;
    levels.at(-1)?.push({ type, value });
    if (position >= text.length) return levels;
    const separator = text[position++];
    if (separator === ',') levels.push([]);
    else if (separator !== '+') return undefined;
  }
}

function takeValue(take: (pattern: RegExp) => RegExpExecArray | null): string | undefined {
  if (take(/#/y)) return undefined;
  let value = '';
  let endsEscaped = false;
  for (let piece = take(valuePiece); piece; piece = take(valuePiece)) {
    const [, hex, escaped, plain = ''] = piece;
    const bytes = hex === undefined ? undefined : Buffer.from(hex.replaceAll('\\', ''), 'hex');
    if (bytes && !isUtf8(bytes)) return undefined;
    value += bytes?.toString() ?? escaped ?? plain;
    endsEscaped = plain === '';
  }
  return endsEscaped ? value : value.replace(/ +$/, '');
}

/**
 * Returns one text for all spellings of a name: case, spaces, escapes and the order of the parts of a level do not
 * matter. Two names with different values have different texts.
 */
export function normalizeDn(name: DistinguishedName): string {
  return name.map(normalizeLevel).join(',');
}

function normalizeLevel(level: DistinguishedName[number]): string {
  return level
    .map(
      ({ type, value }) => `${type}=${escapeValue(value.normalize('NFC').toLowerCase().trim().replace(/\s+/g, ' '))}`,
    )
    .sort()
    .join('+');
}

function escapeValue(value: string): string {
  return value.replace(/[\\"+,;<>=]/g, '\\$&');
}

/** True when the name is that of the other or of something below it. */
export function isWithin(name: DistinguishedName, other: DistinguishedName): boolean {
  return name.length >= other.length && normalizeDn(name.slice(name.length - other.length)) === normalizeDn(other);
}
