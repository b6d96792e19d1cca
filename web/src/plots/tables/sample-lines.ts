/** A line of the sample, without its line end. */
export interface SampleLine {
  readonly at: number;
  readonly text: string;
}

const sampleBytes = 64_000;
const maxLines = 400;

/** The first lines of a text. */
export function sampleLines(bytes: Uint8Array): SampleLine[] {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const start = hasMark ? 3 : 0;
  // One character for each byte, so that positions are those of bytes.
  const text = new TextDecoder('latin1').decode(bytes.subarray(start, start + sampleBytes));
  const lines: SampleLine[] = [];
  for (let at = 0; at < text.length && lines.length < maxLines; ) {
    const next = text.indexOf('\n', at);
    // The last line of the sample may be cut.
    if (next < 0 && text.length === sampleBytes && lines.length > 0) break;
    const end = next < 0 ? text.length : next;
    lines.push({ at: at + start, text: text.slice(at, end).replace(/\r$/, '') });
    at = end + 1;
  }
  return lines;
}

/** Whether the line is a comment and not a row. */
export function isComment(text: string): boolean {
  return /^\s*(?:#|%|\/\/|!)/.test(text);
}

/** Divides a line; cells lose their quotes, and doubled quotes within them become single ones. */
export function split(text: string, delimiter: string): string[] {
  if (delimiter === ' ') return text.trim().split(/[ \t]+/);
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted;
    if (char !== delimiter || isQuoted) cell += char;
    else {
      cells.push(cell);
      cell = '';
    }
  }
  return [...cells, cell].map((one) => unquoted(one.trim()));
}

function unquoted(cell: string): string {
  return /^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}
