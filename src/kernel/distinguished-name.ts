import { isUtf8 } from 'node:buffer';

/** One attribute of a name, such as `cn=Ann`; the type is in lower case, the value without escapes. */
export interface NamePart {
  readonly type: string;
  readonly value: string;
}

/** Levels from the entry up to the root. A level may have several parts, as in `cn=Ann+uid=ann`. */
export type DistinguishedName = readonly (readonly NamePart[])[];

const typePattern = /\s*([a-z][\w.-]*|\d+(?:\.\d+)*)\s*=[ \t]*/iy;
const valuePiece = /((?:\\[0-9a-f]{2})+)|\\(.)|([^\\"+,;<>\0]+)/isy;

/**
 * Parses a distinguished name (DN) as defined in RFC 4514; spaces around separators are allowed. Hexadecimal BER values
 * are not supported. Returns undefined if the text is not a valid name.
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
 * Returns the same text for all spellings of a name: case, spaces, escapes and the order of the parts of a level do not
 * matter. Names with different values have different texts.
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

/** Whether the name equals the other one or is below it. */
export function isWithin(name: DistinguishedName, other: DistinguishedName): boolean {
  return name.length >= other.length && normalizeDn(name.slice(name.length - other.length)) === normalizeDn(other);
}
