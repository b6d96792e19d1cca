import { decodeFileName, percentBytes } from '../../kernel/file-name.js';
import { decodeStrictly, decodeUtf8OrWindows1252 } from '../../kernel/text-encoding.js';

/** A header value with parameters, such as `form-data; name="files"`. */
interface HeaderValue {
  /** Value in lower case. */
  readonly value: string;
  /** Parameters by their names in lower case. The first one counts if a name occurs several times. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The name of a form part and, if it has one, the file name. */
export interface PartNames {
  readonly name: string | undefined;
  readonly filename: string | undefined;
}

/**
 * Reads `Content-Disposition` of a form part, with one byte per character; undefined when it is not `form-data`.
 * Existing programs differ, so `filename*` has precedence in any position and with or without quotation marks, the
 * bytes of a name may be UTF-8 or windows-1252, and encoded words are decoded.
 */
export function parsePartNames(header: string): PartNames | undefined {
  const { value, parameters } = parseHeaderValue(header);
  if (value !== 'form-data') return undefined;
  const name = parameters.get('name');
  return { name: name === undefined ? undefined : decodeBytes(name), filename: filenameOf(parameters) };
}

/** Parses a header value with parameters, with one byte per character. */
export function parseHeaderValue(header: string): HeaderValue {
  const end = endOf(header, 0);
  const parameters = new Map<string, string>();
  for (let at = end; at < header.length; ) {
    const equals = header.indexOf('=', at);
    if (equals === -1) break;
    const separator = endOf(header, at + 1);
    // The parameter has no value.
    if (separator < equals) {
      at = separator;
      continue;
    }
    const name = header
      .slice(at + 1, equals)
      .trim()
      .toLowerCase();
    const start = equals + 1 + leadingSpaces(header, equals + 1);
    const [text, next] = header[start] === '"' ? readQuoted(header, start + 1) : readToken(header, start);
    if (!parameters.has(name)) parameters.set(name, text);
    at = next;
  }
  return { value: header.slice(0, end).trim().toLowerCase(), parameters };
}

function endOf(header: string, from: number): number {
  const at = header.indexOf(';', from);
  return at === -1 ? header.length : at;
}

function leadingSpaces(header: string, from: number): number {
  let at = from;
  while (header[at] === ' ' || header[at] === '\t') at += 1;
  return at - from;
}

function readToken(header: string, start: number): readonly [text: string, end: number] {
  const end = endOf(header, start);
  return [header.slice(start, end).trim(), end];
}

/**
 * Reads up to the quotation mark that ends the value. A quotation mark in the middle is part of the value, since some
 * programs do not escape it. A backslash escapes only quotation marks and itself, since some programs send Windows
 * paths unescaped.
 */
function readQuoted(header: string, start: number): readonly [text: string, end: number] {
  let text = '';
  for (let at = start; at < header.length; at += 1) {
    const char = header.charAt(at);
    if (char === '\\' && /["\\]/.test(header.charAt(at + 1))) {
      at += 1;
      text += header.charAt(at);
    } else if (char === '"') {
      const next = at + 1 + leadingSpaces(header, at + 1);
      if (next === header.length || header[next] === ';') return [text, next];
      text += char;
    } else text += char;
  }
  return [text, header.length];
}

function filenameOf(parameters: ReadonlyMap<string, string>): string | undefined {
  const extended = parameters.get('filename*') ?? joinContinuations(parameters);
  const decoded = extended === undefined ? undefined : decodeExtended(extended);
  const given = parameters.get('filename');
  const isInvalid = /%(?![\da-f]{2})/i.test(extended ?? '');
  if (decoded && !(isInvalid && given)) return decoded;
  const plain = given ?? decoded ?? extended;
  return plain === undefined ? undefined : decodeFileName(decodeBytes(plain));
}

/** Joins a value that is divided as RFC 2231 allows (`filename*0*=…; filename*1=…`); undefined when there is none. */
function joinContinuations(parameters: ReadonlyMap<string, string>): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at < parameters.size; at += 1) {
    const plain = parameters.get(`filename*${at}`);
    const part = parameters.get(`filename*${at}*`) ?? plain?.replaceAll('%', '%25');
    if (part === undefined) break;
    joined = (joined ?? (plain === undefined ? '' : "''")) + part;
  }
  return joined;
}

/** Decodes `charset'language'percent-encoded` (RFC 8187); undefined when the character set is not known. */
function decodeExtended(value: string): string | undefined {
  const [, charset = '', encoded = value] = /^([^']*)'[^']*'(.*)$/s.exec(value) ?? [];
  const bytes = percentBytes(encoded, 'latin1');
  if (charset === '' || /^utf-?8$/i.test(charset)) return decodeUtf8OrWindows1252(bytes);
  return decodeStrictly(bytes, charset);
}

function decodeBytes(text: string): string {
  return decodeUtf8OrWindows1252(Buffer.from(text, 'latin1'));
}
