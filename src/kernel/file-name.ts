import { decodeStrictly, decodeUtf8OrWindows1252 } from './text-encoding.js';

/** Pattern for an encoded word of RFC 2047, such as `=?utf-8?B?w6Q=?=`. */
const encodedWord = /=\?([^?*\s]{1,40})(?:\*[^?\s]{0,40})?\?([bq])\?([^?]*)\?=/gi;
/** Pattern for the white space between two encoded words, which is not part of the text. */
const betweenWords = /(\?=)[ \t]{1,100}(?==\?[^?\s]{1,80}\?[bq]\?)/gi;
/** Pattern for the only characters that browsers percent-encode in the file name of a form part. */
const formEscape = /%(22|0D|0A)/gi;

/**
 * Decodes a file name from a header: encoded words, and the quotes and line breaks that browsers escape. A name with an
 * undecodable word is returned unchanged.
 */
export function decodeFileName(name: string): string {
  const plain = name.includes('=?') ? decodeWords(name) || name : name;
  return plain.replace(formEscape, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decodeWords(name: string): string {
  let decoded = '';
  let end = 0;
  let word: { readonly charset: string; readonly bytes: Buffer } | undefined;
  const joined = name.replace(betweenWords, '$1');
  for (const match of joined.matchAll(encodedWord)) {
    const { 0: whole, 1: charset = '', 2: encoding = '', 3: text = '', index } = match;
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedBytes(text);
    // The bytes of a character may be split between two adjacent words.
    const isContinued = word !== undefined && index === end && charset.toLowerCase() === word.charset.toLowerCase();
    if (word && isContinued) word = { charset, bytes: Buffer.concat([word.bytes, bytes]) };
    else {
      const before = decodeWord(word);
      if (before === undefined) return name;
      decoded += before + joined.slice(end, index);
      word = { charset, bytes };
    }
    end = index + whole.length;
  }
  const last = decodeWord(word);
  return last === undefined ? name : decoded + last + joined.slice(end);
}

function decodeWord(word: { readonly charset: string; readonly bytes: Buffer } | undefined): string | undefined {
  if (!word) return '';
  const { charset, bytes } = word;
  // Some programs label Latin-1 as UTF-8.
  return decodeStrictly(bytes, charset) ?? (/^utf-?8$/i.test(charset) ? decodeUtf8OrWindows1252(bytes) : undefined);
}

function quotedBytes(text: string): Buffer {
  return percentBytes(
    text
      .replaceAll('%', '%25')
      .replaceAll('_', ' ')
      .replace(/=([\da-f]{2})/gi, '%$1'),
  );
}

/**
 * Returns the bytes of a percent-encoded text; a percent sign that does not begin a code is kept.
 * @param encoding encoding of the other characters
 */
export function percentBytes(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Buffer {
  const parts: Buffer[] = [];
  for (const [, code, plain = ''] of text.matchAll(/%([\da-f]{2})|([^%]+|%)/gi)) {
    parts.push(code === undefined ? Buffer.from(plain, encoding) : Buffer.from(code, 'hex'));
  }
  return Buffer.concat(parts);
}
