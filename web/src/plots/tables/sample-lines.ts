/** A line of the sample, without its line end. */
export interface SampleLine {
  readonly at: number;
  readonly text: string;
}

const sampleBytes = 64_000;
const maxLines = 400;
const lineEnd = /\r\n?|\n/g;

/** The first lines of a text. */
export function sampleLines(bytes: Uint8Array): SampleLine[] {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const start = hasMark ? 3 : 0;
  // One character for each byte, so that positions are those of bytes.
  const text = new TextDecoder('latin1').decode(bytes.subarray(start, start + sampleBytes));
  const lines: SampleLine[] = [];
  for (let at = 0; at < text.length && lines.length < maxLines; ) {
    lineEnd.lastIndex = at;
    const next = lineEnd.exec(text);
    // The last line of the sample may be cut.
    if (!next && text.length === sampleBytes && lines.length > 0) break;
    const end = next?.index ?? text.length;
    lines.push({ at: at + start, text: text.slice(at, end) });
    at = end + (next?.[0].length ?? 1);
  }
  return lines;
}

/** Whether the line is a comment and not a row. */
export function isComment(text: string): boolean {
  return /^\s*(?:#|%|\/\/|!)/.test(text);
}

/**
 * Divides a line; cells lose their quotes, and doubled quotes within them become single ones. A quote that does not
 * close before the end of a cell is part of the text; one that does not close at all may close in a later line.
 */
export function split(text: string, delimiter: string): string[] {
  if (delimiter === ' ') return text.trim().split(/[ \t]+/);
  const end = `\\${delimiter}`;
  const quoted = new RegExp(` *"(?:[^"]|"")*(?:" *(?=${end}|$)|$)`, 'y');
  const cells: string[] = [];
  for (let at = 0; at <= text.length; ) {
    quoted.lastIndex = at;
    const next = quoted.test(text) ? quoted.lastIndex : text.indexOf(delimiter, at);
    const to = next < 0 ? text.length : next;
    cells.push(unquoted(text.slice(at, to).trim()));
    at = to + 1;
  }
  return cells;
}

function unquoted(cell: string): string {
  return /^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}
