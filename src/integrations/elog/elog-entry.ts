import type { ElogBytes } from './elog-bytes.js';

/** An entry in a file of an ELOG. */
export interface ElogEntry {
  readonly id: number;
  /** Headers in their order; a name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Names of the attachments, in their order. */
  readonly files: readonly StoredName[];
  /** Text below the headers, in the form for `decodeText`. */
  readonly textBytes: Buffer;
  /** Whether the headers exceed the maximum length, so that the rest was not parsed. */
  readonly isCut: boolean;
}

/** Name of a stored file, such as `190102_093000_plot.png`. */
export interface StoredName {
  readonly name: string;
  /** Bytes of the name in the entry, which may be the same as on disk. */
  readonly bytes: Buffer;
}

const marker = Buffer.from('$@MID@$:');
const rule = Buffer.from('='.repeat(40));
const [lineFeed, carriageReturn] = [0x0a, 0x0d];
/** Maximum length of the headers that are read. */
export const maxHeadBytes = 262_144;
/** Number of bytes that are searched for markers in one step. */
const searchedBytes = 1_048_576;

/** Position of an entry in a file, in bytes. */
export interface EntryRange {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Lists the entries of a file. Each entry begins with a marker at the beginning of a line, followed by its headers. A
 * text may contain the same marker, which does not begin an entry there.
 * @yields undefined after each step without an entry, so that the caller can let other work run
 */
export function* listRanges(content: Buffer): Generator<EntryRange | undefined> {
  let last: Omit<EntryRange, 'end'> | undefined;
  for (const at of findMarkers(content)) {
    const id = at === undefined ? undefined : idAt(content, at);
    if (at === undefined || id === undefined || (last && !isHead(content, at))) {
      yield undefined;
      continue;
    }
    if (last) yield { ...last, end: at };
    last = { id, start: at };
  }
  if (last) yield { ...last, end: content.length };
}

function* findMarkers(content: Buffer): Generator<number | undefined> {
  for (let from = 0; from < content.length; from += searchedBytes) {
    const part = content.subarray(from, from + searchedBytes + marker.length - 1);
    for (let at = part.indexOf(marker); at >= 0; at = part.indexOf(marker, at + 1)) yield from + at;
    yield undefined;
  }
}

function idAt(content: Buffer, at: number): number | undefined {
  const before = content[at - 1];
  const isFirst = at === 0 || (at === 3 && content.readUIntBE(0, 3) === 0xefbbbf);
  if (!isFirst && before !== lineFeed && before !== carriageReturn) return undefined;
  const [, id] = /^\$@MID@\$:[ \t]*(\d{1,12})[ \t]*(?:[\r\n]|$)/.exec(content.toString('latin1', at, at + 60)) ?? [];
  return id === undefined ? undefined : Number(id);
}

/**
 * Whether an entry begins here. Its first header is the date; without a date, it must have other headers and the line
 * below them.
 */
function isHead(content: Buffer, at: number): boolean {
  const head = content.subarray(at, at + maxHeadBytes);
  const next = head.indexOf(marker, marker.length);
  const [, ...lines] = head.toString('latin1', 0, next < 0 ? head.length : next).split(/\r\n|\n|\r/);
  if (/^Date:/i.test(lines[0] ?? '')) return true;
  const end = lines.findIndex((line) => /^={40}\s*$/.test(line));
  return end > 0 && lines.slice(0, end).every((line) => /^[^:]{1,200}:/.test(line));
}

/** Parses the entry in a range of a file. */
export function parseElogEntry(id: number, bytes: Buffer, decoder: ElogBytes): ElogEntry {
  const end = findRule(bytes.subarray(0, maxHeadBytes));
  const head = bytes.subarray(0, end ?? maxHeadBytes);
  const headers = decoder.decodeLines(head).slice(1).flatMap(toHeader);
  // The names of files are read as single bytes.
  const attachments = head
    .toString('latin1')
    .split(/\r\n|\n|\r/)
    .find((line) => /^attachment:/i.test(line));
  return {
    id,
    headers,
    files: toStoredNames(attachments ?? '', decoder),
    textBytes: end === undefined ? Buffer.alloc(0) : bytes.subarray(afterLine(bytes, end)),
    isCut: end === undefined && bytes.length > maxHeadBytes,
  };
}

/** Returns the beginning of the line after a position. */
function afterLine(bytes: Buffer, at: number): number {
  const [, line = '', end = ''] = /^([^\r\n]*)(\r\n|\n|\r)?/.exec(bytes.toString('latin1', at, at + 60)) ?? [];
  return at + line.length + end.length;
}

export function decodeText(textBytes: Buffer, decoder: ElogBytes): string {
  const text = decoder.decodeLines(textBytes).join('\n');
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return text.slice(text.startsWith('\ufeff') ? 1 : 0, end);
}

function toHeader(line: string): [string, string][] {
  const colon = line.indexOf(':');
  return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
}

/** Returns the position of the line below the headers; undefined without one. */
function findRule(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf(rule); at >= 0; at = bytes.indexOf(rule, at + 1)) {
    const before = bytes[at - 1];
    if (before !== lineFeed && before !== carriageReturn) continue;
    if (/^={40}[ \t]*(?:[\r\n]|$)/.test(bytes.toString('latin1', at, at + 60))) return at;
  }
  return undefined;
}

function toStoredNames(line: string, decoder: ElogBytes): StoredName[] {
  const names = new Map<string, StoredName>();
  for (const part of line.replace(/^[^:]*:/, '').split(',')) {
    const bytes = Buffer.from(part.trim(), 'latin1');
    const name = decoder.decode(bytes);
    if (name !== '' && !names.has(name)) names.set(name, { name, bytes });
  }
  return [...names.values()];
}

/** Returns the value of a header, ignoring case; empty when there is none. */
export function headerOf({ headers }: Pick<ElogEntry, 'headers'>, name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1] ?? '';
}

/** Splits an attribute with several values. */
export function valuesOf(value: string): string[] {
  return value
    .split(' | ')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
