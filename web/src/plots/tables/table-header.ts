import { isComment, type SampleLine, split } from './sample-lines.ts';

interface Header {
  readonly name: string | undefined;
  readonly unit: string | undefined;
}

interface HeaderPlace {
  readonly all: readonly SampleLine[];
  /** Lines that are neither blank nor comments. */
  readonly lines: readonly SampleLine[];
  /** Index of the first row among these lines. */
  readonly start: number;
  readonly delimiter: string;
  readonly count: number;
  readonly charset: string;
}

/** Reads names and units from the lines above the first row: from one line, from one for each, or from a comment. */
export function readHeader(bytes: Uint8Array, place: HeaderPlace): Header[] {
  const { all, lines, start, delimiter, count, charset } = place;
  const decoder = new TextDecoder(charset);
  const cellsOf = (line: SampleLine | undefined, isCommented = false): string[] | undefined => {
    if (!line) return undefined;
    const text = decoder.decode(bytes.subarray(line.at, line.at + line.text.length));
    const cells = split(isCommented ? text.replace(/^\s*(?:[#%!]+|\/\/)\s*/, '') : text, delimiter);
    // A name for each column; a delimiter at the end adds an empty one.
    return cells.length === count ? cells : undefined;
  };
  const last = cellsOf(lines[start - 1]);
  if (last === undefined) {
    const comment = all.filter(({ at, text }) => at < (lines[start]?.at ?? 0) && isComment(text)).at(-1);
    return (cellsOf(comment, true) ?? Array<string>(count).fill('')).map(nameAndUnit);
  }
  const above = cellsOf(lines[start - 2]);
  if (
    above &&
    last.every((cell) => cell.length <= 12) &&
    last.some((cell) => /^[([].*[)\]]$|^\p{L}{1,4}$|^[%°]/u.test(cell))
  ) {
    return above.map((cell, at) => ({
      name: cell || undefined,
      unit: last[at]?.replace(/^[([]|[)\]]$/g, '') || undefined,
    }));
  }
  return last.map(nameAndUnit);
}

/** Splits `Current (mA)`, `Current [mA]` or `Current / mA` into name and unit. */
function nameAndUnit(cell: string): Header {
  const [, name, unit] =
    /^(.*\S)\s*[([]([^()[\]]{1,16})[)\]]$/.exec(cell) ?? /^(.*\S)\s+\/\s*(\S{1,16})$/.exec(cell) ?? [];
  if (name === undefined) return { name: cell || undefined, unit: undefined };
  return { name, unit };
}
