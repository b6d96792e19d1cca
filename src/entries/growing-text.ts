/** Texts between the blocks of a run. */
export const separators = { source: '\n\n', description: '\n' } as const;

/** Joins two texts, of which either may be empty. */
export function join(before: string, added: string, separator: string): string {
  return before === '' || added === '' ? before + added : `${before}${separator}${added}`;
}

/** Minimum length of a line, or of the last blocks, by which a version is recognised, in UTF-16 code units. */
const sufficientLength = 16;
/** Maximum number of versions whose ends are searched for, because each search reads the whole text. */
const maxEnds = 32;

/** A text that grew by blocks. Recognises the version on which a client based an edited text. */
export class GrowingText {
  /** Lines of the first version and of each later block. */
  private readonly blocks: readonly (readonly string[])[];
  /** All lines, between line breaks. */
  private readonly whole: string;
  /** End of each version in `whole`. */
  private readonly ends: readonly number[];

  /** @param lengths lengths of the versions of the text, oldest first */
  constructor(text: string, lengths: readonly number[]) {
    this.blocks = lengths.map((end, version) => linesOf(text.slice(lengths[version - 1] ?? 0, end)));
    this.whole = between(this.blocks.flat());
    let end = 1;
    this.ends = this.blocks.map((lines) => (end += lines.reduce((sum, line) => sum + line.length + 1, 0)));
  }

  /**
   * Returns the index of the latest version that the sender of a text must have read; 0 if there is none. The sent text
   * contains a long line of the last block of this version, or its last blocks unchanged, as often as the version does.
   * Returns 0 if the ends of more than `maxEnds` versions would have to be searched for.
   */
  findLatest(sent: string): number {
    const lines = linesOf(sent);
    const sentCounts = countLines(lines);
    const counts = countLines(this.blocks.flat());
    const text = between(lines);
    let endsLeft = maxEnds;
    for (let version = this.blocks.length - 1; version > 0; version -= 1) {
      const block = this.blocks[version] ?? [];
      const isSent = (line: string) => (sentCounts.get(line) ?? 0) >= (counts.get(line) ?? 0);
      const found = block.filter(isSent);
      if (found.some((line) => line.length >= sufficientLength)) return version;
      if (found.length > 0) {
        if (endsLeft-- === 0) return 0;
        if (this.hasEnd(text, version)) return version;
      }
      for (const line of block) counts.set(line, (counts.get(line) ?? 0) - 1);
    }
    return 0;
  }

  /** Whether a text contains the last blocks of a version as often as the version does. */
  private hasEnd(text: string, version: number): boolean {
    const end = this.ends[version] ?? 0;
    let start = version;
    while (start > 1 && end - this.startOf(start) < sufficientLength) start -= 1;
    const last = this.whole.slice(this.startOf(start), end);
    const sent = countIn(text, last);
    return sent > 0 && sent >= countIn(this.whole.slice(0, end), last);
  }

  /** Returns where the lines of a block start in `whole`, with the line break before them. */
  private startOf(version: number): number {
    return (this.ends[version - 1] ?? 1) - 1;
  }
}

/** Lists the lines that are not blank, without spaces at their ends: clients change these, and line breaks. */
function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/).flatMap((line) => line.trimEnd() || []);
}

/** Returns the lines between line breaks, so that only whole lines are found in them. */
function between(lines: readonly string[]): string {
  return `\n${lines.join('\n')}\n`;
}

function countLines(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Counts the occurrences of a text, including those that overlap. */
function countIn(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}
