import { decodeStrictly, type TextEncoding } from '../kernel/text-encoding.js';
import { headBytes } from './blob-store.port.js';
import { detectAlphabet } from './detect-alphabet.js';
import { detectMultiByte } from './detect-multi-byte.js';

/**
 * Control characters that are unusual in texts: all except white space, bell, backspace, escape and the end of a DOS
 * file.
 */
const noText = /[^\P{Cc}\t\n\v\f\r\x07\b\x1a\x1b]/gu;
/** Code points without a character, those of private use, and the replacement character. */
const noCharacter = /[\p{Cn}\p{Co}\ufffd]/gu;
/** Bytes without a character in windows-1252. */
const unassignedBytes = [0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d];
/** Bytes of `noText` and unassigned bytes. A file whose name says that it is text may contain those above 0x7f. */
const noWesternText = new Set([
  ...Array.from({ length: 0x20 }, (_, byte) => byte).filter((byte) => String.fromCharCode(byte).match(noText)),
  ...unassignedBytes,
]);

/** Maximum share of control characters: terminals and instruments send some. */
const maxControlShare = 0.3;
/** Maximum share of letters with accents in a western language. */
const maxAccentShare = 0.3;
/** Minimum number of bytes for detecting UTF-16 without a byte order mark. */
const minUtf16Bytes = 8;

/**
 * Detects the encoding of a text file from its first bytes; undefined when it is not text, or empty. Bytes that are not
 * UTF-8 are text if they are words of an East Asian encoding or of another alphabet, or if they contain no control
 * characters and few accents.
 * @param isNamedText whether the name of the file says that it is text; if so, all bytes except control characters are
 *   text
 */
export function detectEncoding(head: Uint8Array, isNamedText: boolean): TextEncoding | undefined {
  if (head.length === 0) return undefined;
  const utf16 = utf16Of(head);
  if (utf16) return isReadable(head, utf16) ? utf16 : undefined;
  if (head.includes(0)) return undefined;
  const text = decodeHead(head, 'utf-8');
  if (text !== undefined) return countOf(text, noText) <= text.length * maxControlShare ? 'utf-8' : undefined;
  if (head.some((byte) => byte < 0x7f && noWesternText.has(byte))) return undefined;
  const alphabetic = detectAlphabet(head);
  if (alphabetic?.isCertain) return alphabetic.encoding;
  const isValid = (encoding: TextEncoding) => decodeHead(head, encoding) !== undefined;
  const found = detectMultiByte(head, isValid) ?? alphabetic?.encoding;
  return found ?? (isWestern(head, isNamedText) ? 'windows-1252' : undefined);
}

/** Detects UTF-16 by its byte order mark, or because one of the two bytes of most characters is zero. */
function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head.length < minUtf16Bytes) return undefined;
  const zeros = [0, 0] as [number, number];
  for (let at = 0; at < head.length; at += 1) if (head[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  const [even, odd] = zeros;
  const most = head.length / 4;
  if (even === 0 && odd >= most) return 'utf-16le';
  return odd === 0 && even >= most ? 'utf-16be' : undefined;
}

/**
 * Whether at most 1 % of the characters are unreadable. The last one may be cut off, because the file is still being
 * written or is damaged.
 */
function isReadable(head: Uint8Array, encoding: TextEncoding): boolean {
  const text = new TextDecoder(encoding).decode(head.subarray(0, head.length & ~1));
  return countOf(text, noText) + countOf(text, noCharacter) <= text.length / 100;
}

function isWestern(head: Uint8Array, isNamedText: boolean): boolean {
  let accents = 0;
  for (const byte of head) {
    if (noWesternText.has(byte) && !(isNamedText && byte >= 0x80)) return false;
    if (byte >= 0x80) accents += 1;
  }
  return isNamedText || accents <= head.length * maxAccentShare;
}

/** Decodes the beginning of a file, whose last character may be cut off; undefined when the bytes are invalid. */
function decodeHead(head: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: head.length >= headBytes });
  } catch {
    return undefined;
  }
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Returns the encoding of a complete text: UTF-8 only if all bytes are valid, windows-1252 if no other one fits. */
export function encodingOf(bytes: Uint8Array): TextEncoding {
  const detected = detectEncoding(bytes.subarray(0, headBytes), true) ?? 'utf-8';
  return detected === 'utf-8' && decodeStrictly(bytes, 'utf-8') === undefined ? lateEncodingOf(bytes) : detected;
}

/** Detects the encoding of a text that begins like UTF-8, from its first non-ASCII character on. */
export function lateEncodingOf(bytes: Uint8Array): TextEncoding {
  const first = bytes.findIndex((byte, at) => byte >= 0x80 && (bytes[at - 1] ?? 0) < 0x80);
  const found = detectEncoding(bytes.subarray(first, first + headBytes), true) ?? 'windows-1252';
  return found === 'utf-8' ? 'windows-1252' : found;
}
