/** An entry as it stands in a file of an ELOG. */
export interface ElogEntry {
  readonly id: number;
  /** In their order; a name may come twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

const marker = Buffer.from('$@MID@$:');
const lineFeed = 0x0a;
const headEnd = /^={40}\s*$/;

/** Where an entry is in a file, in bytes. */
export interface Place {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** Lists the entries of a file: each begins with a marker at the beginning of a line. */
export function listPlaces(content: Buffer): Place[] {
  const starts: number[] = [];
  for (let at = content.indexOf(marker); at >= 0; at = content.indexOf(marker, at + 1)) {
    if (at === 0 || content[at - 1] === lineFeed) starts.push(at);
  }
  return starts.flatMap((start, at) => {
    const [, id] = /^\$@MID@\$:\s*(\d{1,12})\s*$/m.exec(content.toString('latin1', start, start + 40)) ?? [];
    return id === undefined ? [] : [{ id: Number(id), start, end: starts[at + 1] ?? content.length }];
  });
}

/** Parses an entry. Old ones are in Latin-1, newer ones in UTF-8, in one file. */
export function parseElogEntry(id: number, bytes: Buffer): ElogEntry {
  const lines = decode(bytes).replace(/\r\n?/g, '\n').split('\n');
  const end = lines.findIndex((line) => headEnd.test(line));
  const head = lines.slice(1, end < 0 ? lines.length : end);
  const headers = head.flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
  });
  const text = end < 0 ? '' : lines.slice(end + 1).join('\n');
  return { id, headers, text: text.replace(/\n+$/, '') };
}

function decode(bytes: Buffer): string {
  try {
    return clean(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return clean(new TextDecoder('windows-1252').decode(bytes));
  }
}

const clean = (text: string) => text.replaceAll('\0', '\ufffd');

/** Returns the value of a header, without regard to case; empty when there is none. */
export function headerOf({ headers }: ElogEntry, name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1] ?? '';
}

/** Of an attribute with several values. */
export function valuesOf(value: string): string[] {
  return value
    .split(' | ')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
