/** Maximum number of columns; later ones are not read. */
const maxColumns = 100;

const [newline, carriageReturn, quote, space, tab] = [10, 13, 34, 32, 9] as const;

/** Reads the cells of a row: where each begins and ends, without the quotes around it. */
export class RowReader {
  readonly starts = new Int32Array(maxColumns);
  readonly ends = new Int32Array(maxColumns);
  /** Number of cells of the last row. */
  count = 0;
  private readonly delimiter: number;

  /** @param delimiter a space stands for any number of spaces and tabs */
  constructor(
    private readonly bytes: Uint8Array,
    delimiter: string,
  ) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** Reads the row that begins there. @returns where the next one begins */
  read(start: number): number {
    const { bytes, delimiter } = this;
    const { length } = bytes;
    this.count = 0;
    let at = start;
    if (delimiter === space) at = this.skipBlanks(at);
    while (at < length && bytes[at] !== newline) {
      at = bytes[at] === quote ? this.readQuoted(at) : this.readPlain(at);
      if (bytes[at] !== delimiter && !(delimiter === space && bytes[at] === tab)) continue;
      if (delimiter === space) at = this.skipBlanks(at);
      else if (bytes[at + 1] === newline || bytes[at + 1] === carriageReturn || at + 1 === length) this.add(++at, at);
      else at += 1;
    }
    return at + 1;
  }

  private readPlain(start: number): number {
    const { bytes, delimiter } = this;
    let end = start;
    const isSpaced = delimiter === space;
    for (; end < bytes.length; end += 1) {
      const byte = bytes[end];
      if (byte === newline || byte === delimiter || (isSpaced && byte === tab)) break;
    }
    const isCut = end > start && bytes[end - 1] === carriageReturn && (end === bytes.length || bytes[end] === newline);
    if (!(isCut && isSpaced && end - 1 === start)) this.add(start, isCut ? end - 1 : end);
    return end;
  }

  private readQuoted(start: number): number {
    const { bytes } = this;
    let end = start + 1;
    while (end < bytes.length && (bytes[end] !== quote || bytes[end + 1] === quote)) {
      end += bytes[end] === quote ? 2 : 1;
    }
    this.add(start + 1, Math.min(end, bytes.length));
    // Up to the delimiter: nothing else may follow the quote.
    let at = end + 1;
    while (at < bytes.length && bytes[at] !== this.delimiter && bytes[at] !== newline) at += 1;
    return at;
  }

  private skipBlanks(start: number): number {
    let at = start;
    while (this.bytes[at] === space || this.bytes[at] === tab) at += 1;
    return at;
  }

  private add(start: number, end: number): void {
    if (this.count === maxColumns) return;
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.count += 1;
  }
}
