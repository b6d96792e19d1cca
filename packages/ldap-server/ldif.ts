import { isUtf8 } from 'node:buffer';
import { parseAttributeName } from './attribute-name.js';
import { quote } from './quote.js';

export interface LdifRecord {
  readonly dn: string;
  readonly line: number;
  readonly attributes: readonly LdifAttribute[];
}

export interface LdifAttribute {
  readonly name: string;
  readonly value: Buffer;
  readonly line: number;
}

/** An error in an LDIF file; its message begins with the line number. */
export class LdifError extends Error {
  override readonly name = 'LdifError';

  constructor(
    readonly line: number,
    problem: string,
  ) {
    super(`line ${line}: ${problem}`);
  }
}

interface Line {
  readonly number: number;
  text: string;
}

/**
 * Parses the entries of an LDIF file (RFC 2849): content records, or change records that only add entries.
 * @throws LdifError
 */
export function parseLdif(content: Buffer): LdifRecord[] {
  const [first = [], ...others] = splitRecords(unfoldLines(decodeUtf8(content)));
  return [skipVersion(first), ...others].filter((lines) => lines.length > 0).map(parseRecord);
}

function decodeUtf8(content: Buffer): string {
  if (isUtf8(content)) return content.toString().replace(/^\uFEFF/, '');
  const lines = content.toString('latin1').split('\n');
  const index = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
  throw new LdifError(index + 1, 'it is not UTF-8. Save the file as UTF-8, or write the value in base64 after “::”.');
}

/** Joins continuation lines, and removes comments. */
function unfoldLines(content: string): Line[] {
  const lines: Line[] = [];
  for (const [index, raw] of content.split('\n').entries()) {
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const last = lines.at(-1);
    if (!text.startsWith(' ')) lines.push({ text, number: index + 1 });
    else if (last?.text) last.text += text.slice(1);
    else throw new LdifError(index + 1, 'it begins with a space, but there is no line to continue.');
  }
  return lines.filter(({ text }) => !text.startsWith('#'));
}

function splitRecords(lines: readonly Line[]): Line[][] {
  const records: Line[][] = [];
  let isOpen = false;
  for (const line of lines) {
    if (line.text !== '' && isOpen) records.at(-1)?.push(line);
    else if (line.text !== '') records.push([line]);
    isOpen = line.text !== '';
  }
  return records;
}

function skipVersion(lines: Line[]): Line[] {
  const [first, ...rest] = lines;
  const version = first && /^version:(.*)$/i.exec(first.text)?.[1]?.trim();
  if (first === undefined || version === undefined) return lines;
  if (version !== '1') throw new LdifError(first.number, `LDIF version ${quote(version)} is not supported; use 1.`);
  return rest;
}

function parseRecord(lines: readonly Line[]): LdifRecord {
  const [dn, ...attributes] = lines.map(parseLine) as [LdifAttribute, ...LdifAttribute[]];
  if (dn.name.toLowerCase() !== 'dn') {
    throw new LdifError(dn.line, `an entry must begin with “dn:”, not with ${quote(dn.name)}.`);
  }
  if (!isUtf8(dn.value)) throw new LdifError(dn.line, 'the name of the entry is not UTF-8.');
  if (isAddition(attributes[0])) attributes.shift();
  const misplaced = attributes.find(({ name }) => ['dn', 'changetype'].includes(name.toLowerCase()));
  if (misplaced) {
    throw new LdifError(misplaced.line, `${quote(misplaced.name)} is misplaced. Is an empty line missing above it?`);
  }
  if (attributes.length === 0) throw new LdifError(dn.line, 'the entry has no attributes.');
  return { dn: dn.value.toString(), line: dn.line, attributes };
}

/** @throws LdifError when the line begins a change other than an addition */
function isAddition(first: LdifAttribute | undefined): boolean {
  const name = first?.name.toLowerCase();
  if (first && name === 'control') {
    throw new LdifError(first.line, 'controls are not supported; the file must contain only entries.');
  }
  if (!first || name !== 'changetype') return false;
  const change = first.value.toString();
  if (change.toLowerCase() === 'add') return true;
  throw new LdifError(first.line, `the change ${quote(change)} is not supported; the file must contain only entries.`);
}

function parseLine({ text, number }: Line): LdifAttribute {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0));
  if (!parseAttributeName(name))
    throw new LdifError(number, `${quote(text, 40)} is not of the form “attribute: value”.`);
  const marker = text[colon + 1];
  if (marker === '<') {
    throw new LdifError(number, `the value of ${name} is a URL, which is not supported; write the value after “::”.`);
  }
  if (marker === ':') return { name, value: decodeBase64(text.slice(colon + 2).trim(), number), line: number };
  return { name, value: Buffer.from(text.slice(colon + 1).replace(/^ +/, '')), line: number };
}

function decodeBase64(text: string, line: number): Buffer {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new LdifError(line, 'the value is not valid base64.');
  }
  return Buffer.from(text, 'base64');
}
