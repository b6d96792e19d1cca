import { diffArrays } from 'diff';

/** A part of three texts. `line` is the line of the base at which it begins, from 1. */
export interface MergePart {
  readonly kind: 'same' | 'mine' | 'theirs' | 'alike' | 'conflict';
  readonly line: number;
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Merges two changes of a text by lines, which hold whole paragraphs. Joining the parts with line breaks gives each
 * text.
 */
export function mergeLines(base: string, mine: string, theirs: string): MergePart[] {
  const lines = base.split('\n');
  const mineHunks = hunksOf(lines, mine.split('\n'));
  const theirHunks = hunksOf(lines, theirs.split('\n'));
  const parts: MergePart[] = [];
  let at = 0;
  for (const region of regionsOf(mineHunks, theirHunks)) {
    if (region.start > at) parts.push(samePart(lines, at, region.start));
    parts.push(toPart(lines, region, mineHunks, theirHunks));
    at = region.end;
  }
  if (at < lines.length) parts.push(samePart(lines, at, lines.length));
  return parts;
}

/** Returns the merged text. `choose` settles a conflict; if it returns `removed`, nothing remains of that place. */
export function joinParts(parts: readonly MergePart[], choose: (part: MergePart, at: number) => string): string {
  return parts
    .map((part, at) => (part.kind === 'conflict' ? choose(part, at) : settledText(part)))
    .filter((text) => text !== removed)
    .join('\n');
}

/** Stands for a place in which no line is left, unlike one with an empty line. */
export const removed = '\u0000removed';

function settledText({ kind, base, mine, theirs }: MergePart): string {
  if (kind === 'same') return base;
  return kind === 'theirs' ? theirs : mine;
}

function hunksOf(base: string[], changed: string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: { start: number; end: number; lines: string[] } | undefined;
  for (const { added, removed: isRemoved, value } of diffArrays(base, changed)) {
    if (!added && !isRemoved) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (!open) {
      open = { start: at, end: at, lines: [] };
      hunks.push(open);
    }
    if (added) open.lines.push(...value);
    else {
      at += value.length;
      open.end = at;
    }
  }
  return hunks;
}

/** The places that were changed, with overlapping changes put together. */
function regionsOf(mine: readonly Hunk[], theirs: readonly Hunk[]): { start: number; end: number }[] {
  const regions: { start: number; end: number }[] = [];
  for (const { start, end } of [...mine, ...theirs].sort(
    (one, other) => one.start - other.start || one.end - other.end,
  )) {
    const last = regions.at(-1);
    if (last && (start < last.end || start === last.start)) last.end = Math.max(last.end, end);
    else regions.push({ start, end });
  }
  return regions;
}

function toPart(
  lines: readonly string[],
  region: { readonly start: number; readonly end: number },
  mineHunks: readonly Hunk[],
  theirHunks: readonly Hunk[],
): MergePart {
  const base = toText(lines.slice(region.start, region.end));
  const mine = apply(lines, region, mineHunks);
  const theirs = apply(lines, region, theirHunks);
  const kind = mine === theirs ? 'alike' : mine === base ? 'theirs' : theirs === base ? 'mine' : 'conflict';
  return { kind, line: region.start + 1, base, mine, theirs };
}

function apply(
  lines: readonly string[],
  { start, end }: { start: number; end: number },
  hunks: readonly Hunk[],
): string {
  const changed: string[] = [];
  let at = start;
  for (const hunk of hunks) {
    if (hunk.start < start || hunk.end > end || (hunk.start === end && start < end)) continue;
    changed.push(...lines.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  return toText([...changed, ...lines.slice(at, end)]);
}

const toText = (lines: readonly string[]): string => (lines.length === 0 ? removed : lines.join('\n'));

function samePart(lines: readonly string[], start: number, end: number): MergePart {
  const text = toText(lines.slice(start, end));
  return { kind: 'same', line: start + 1, base: text, mine: text, theirs: text };
}
