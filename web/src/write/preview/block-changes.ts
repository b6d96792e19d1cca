/** Replacement of some blocks of a rendered text. */
export interface BlockChange {
  /** Position of the first block that differs. */
  readonly start: number;
  /** Number of blocks that are replaced. */
  readonly removed: number;
  readonly html: readonly string[];
}

/** Returns the change that leads from some blocks to others; blocks at both ends that are equal stay. */
export function changeOfBlocks(from: readonly string[], to: readonly string[]): BlockChange {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < most - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1;
  return { start, removed: from.length - start - end, html: to.slice(start, to.length - end) };
}

/** Returns a function that renders each text, and returns what differs from the text before. */
export function changesOf(render: (text: string) => readonly string[]): (text: string) => BlockChange {
  let shown: readonly string[] = [];
  return (text) => {
    const blocks = render(text);
    const change = changeOfBlocks(shown, blocks);
    shown = blocks;
    return change;
  };
}
