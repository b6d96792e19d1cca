/** Encodings in which texts are read and served, by their names in the Encoding Standard. */
export type TextEncoding =
  | 'utf-8'
  | 'utf-16le'
  | 'utf-16be'
  | 'windows-1252'
  | 'windows-1251'
  | 'koi8-r'
  | 'windows-1253'
  | 'windows-1255'
  | 'windows-1256'
  | 'windows-874'
  | 'shift_jis'
  | 'euc-jp'
  | 'euc-kr'
  | 'big5'
  | 'gb18030';

/**
 * Characters of windows-1252 from 0x80 on, where Latin-1 has control characters. Node 20 confuses the two encodings.
 */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const windows1252Label = /^(?:windows-1252|cp-?1252|iso[-_]?8859-1|latin-?1|l1|us-ascii|ascii)$/i;

/** Decodes bytes, replacing invalid ones with U+FFFD. A byte order mark is not part of the text. */
export function decodeText(bytes: Uint8Array, encoding: TextEncoding): string {
  return encoding === 'windows-1252' ? decodeWindows1252(bytes) : new TextDecoder(encoding).decode(bytes);
}

/** Decodes bytes as UTF-8 or, if they are not valid UTF-8, as windows-1252, in which any bytes are valid. */
export function decodeUtf8OrWindows1252(bytes: Uint8Array): string {
  return decodeStrictly(bytes, 'utf-8') ?? decodeWindows1252(bytes);
}

/** Decodes bytes with any named encoding; undefined if the encoding is unknown or the bytes are invalid in it. */
export function decodeStrictly(bytes: Uint8Array, encoding: string): string | undefined {
  if (windows1252Label.test(encoding)) return decodeWindows1252(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeWindows1252({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => windows1252.charAt(char.charCodeAt(0) - 0x80));
}
