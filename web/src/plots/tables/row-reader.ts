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
    let at = delimiter === space ? this.skipBlanks(start) : start;
    while (at < length && !this.isLineEnd(at)) {
      at = (bytes[at] === quote ? this.readQuoted(at) : undefined) ?? this.readPlain(at);
      if (at === length || this.isLineEnd(at)) break;
      if (delimiter === space) at = this.skipBlanks(at);
      else if (++at === length || this.isLineEnd(at)) this.add(at, at);
    }
    return at + (bytes[at] === carriageReturn && bytes[at + 1] === newline ? 2 : 1);
  }

  /** Returns the texts of the cells of the last row. */
  texts(decoder: TextDecoder): string[] {
    return Array.from(this.starts.subarray(0, this.count), (start, cell) => {
      const text = decoder.decode(this.bytes.subarray(start, this.ends[cell]));
      return this.bytes[start - 1] === quote ? text.replaceAll('""', '"') : text;
    });
  }

  /** @returns where the cell ends */
  private readPlain(start: number): number {
    let end = start;
    while (end < this.bytes.length && !this.isCellEnd(end)) end += 1;
    this.add(start, end);
    return end;
  }

  /**
   * Reads a quoted cell. Returns undefined if the quote is not closed at the end of a cell: it is then part of the
   * text. The search stops at the next single quote, so that it does not read the rest of the file for each such cell.
   */
  private readQuoted(start: number): number | undefined {
    const { bytes } = this;
    let end = start + 1;
    while (end < bytes.length && (bytes[end] !== quote || bytes[end + 1] === quote)) {
      end += bytes[end] === quote ? 2 : 1;
    }
    if (end >= bytes.length) return undefined;
    let at = end + 1;
    while (this.delimiter !== space && bytes[at] === space) at += 1;
    if (at < bytes.length && !this.isCellEnd(at)) return undefined;
    this.add(start + 1, end);
    return at;
  }

  private isCellEnd(at: number): boolean {
    const byte = this.bytes[at];
    return byte === this.delimiter || (this.delimiter === space && byte === tab) || this.isLineEnd(at);
  }

  private isLineEnd(at: number): boolean {
    const byte = this.bytes[at];
    return byte === newline || byte === carriageReturn;
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
