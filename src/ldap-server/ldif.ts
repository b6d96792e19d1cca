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

/** A mistake in a file; the message names the line for the person who edits it. */
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
  readonly text: string;
  readonly number: number;
}

/**
 * Reads the entries of an LDIF file (RFC 2849): content, or nothing but additions.
 * @throws LdifError
 */
export function parseLdif(content: Buffer): LdifRecord[] {
  const records: LdifRecord[] = [];
  let isFirst = true;
  for (const paragraph of paragraphs(content)) {
    const lines = isFirst ? withoutVersion(paragraph) : paragraph;
    isFirst = false;
    const [first, ...rest] = lines;
    if (first) records.push(parseRecord(first, rest));
  }
  return records;
}

/** What stands between empty lines: without comments, and folded lines in one piece again. */
function paragraphs(content: Buffer): Line[][] {
  const found: Line[][] = [];
  let pieces: string[] = [];
  let start = 0;
  let paragraph: Line[] = [];
  const endLine = () => {
    const text = pieces.join('');
    pieces = [];
    if (text !== '' && !text.startsWith('#')) paragraph.push({ text, number: start });
  };
  textOf(content)
    .split('\n')
    .forEach((raw, index) => {
      const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (text.startsWith(' ')) {
        if (pieces.length === 0)
          throw new LdifError(index + 1, 'it begins with a space, and there is nothing to continue.');
        pieces.push(text.slice(1));
        return;
      }
      endLine();
      if (text === '') {
        if (paragraph.length > 0) found.push(paragraph);
        paragraph = [];
      } else {
        pieces = [text];
        start = index + 1;
      }
    });
  endLine();
  if (paragraph.length > 0) found.push(paragraph);
  return found;
}

function textOf(content: Buffer): string {
  if (!isUtf8(content)) {
    let line = 1;
    for (let start = 0; start < content.length; line += 1) {
      const end = content.indexOf(10, start);
      if (!isUtf8(content.subarray(start, end < 0 ? content.length : end))) break;
      start = end < 0 ? content.length : end + 1;
    }
    throw new LdifError(line, 'it is not UTF-8. Save the file as UTF-8, or write the value in base64 after “::”.');
  }
  return content.toString().replace(/^\uFEFF/, '');
}

function withoutVersion(paragraph: readonly Line[]): readonly Line[] {
  const [first, ...rest] = paragraph;
  const version = first && /^version:(.*)$/i.exec(first.text)?.[1]?.trim();
  if (first === undefined || version === undefined) return paragraph;
  if (version !== '1') throw new LdifError(first.number, `version ${quote(version)} of LDIF is not known, only 1.`);
  return rest;
}

function parseRecord(first: Line, lines: readonly Line[]): LdifRecord {
  const name = parseLine(first);
  if (name.name.toLowerCase() !== 'dn') {
    throw new LdifError(first.number, `an entry begins with its “dn:”, not with ${quote(name.name)}.`);
  }
  if (!isUtf8(name.value)) throw new LdifError(first.number, 'the name of the entry is not UTF-8.');
  const attributes = lines.map(parseLine);
  const [change] = attributes;
  if (change?.name.toLowerCase() === 'control') {
    throw new LdifError(change.line, 'controls are for changes; this file must hold entries.');
  }
  if (change?.name.toLowerCase() === 'changetype') {
    const kind = change.value.toString();
    if (kind.toLowerCase() !== 'add') {
      throw new LdifError(change.line, `the change ${quote(kind)} cannot be made; this file must hold entries.`);
    }
    attributes.shift();
  }
  const misplaced = attributes.find(({ name }) => ['dn', 'changetype'].includes(name.toLowerCase()));
  if (misplaced) {
    throw new LdifError(misplaced.line, `${quote(misplaced.name)} is out of place. Is an empty line missing above it?`);
  }
  if (attributes.length === 0) throw new LdifError(first.number, 'the entry has no attributes.');
  return { dn: name.value.toString(), line: first.number, attributes };
}

function parseLine({ text, number }: Line): LdifAttribute {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0));
  if (colon < 0 || !parseAttributeName(name)) {
    throw new LdifError(number, `${quote(text, 40)} is no “attribute: value”.`);
  }
  const mark = text[colon + 1];
  if (mark === '<') throw new LdifError(number, `the value of ${name} is a link; write the value itself after “::”.`);
  if (mark === ':') return { name, value: fromBase64(text.slice(colon + 2).trim(), number), line: number };
  return { name, value: Buffer.from(text.slice(colon + 1).replace(/^ +/, '')), line: number };
}

function fromBase64(text: string, line: number): Buffer {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new LdifError(line, 'the value is no base64.');
  return Buffer.from(text, 'base64');
}
