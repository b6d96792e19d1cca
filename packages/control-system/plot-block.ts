import { maxPlotLines, plotLines } from './plot-file-name.js';

/** The text of a `plot` block as typed by people: names of devices and a time range, one per line. */

/** Limits of a plot. */
export const plotLimits = {
  /** Maximum number of devices of a plot. */
  names: 8,
  nameLength: 200,
  /** Maximum length of the range: a leap year. */
  spanMs: 366 * 86_400_000,
  /** Maximum time from the creation or last change of the text, whichever is later, to the end of a range. */
  aheadMs: 86_400_000,
} as const;

export type LineProblem = 'name' | 'names' | 'range' | 'ranges' | 'event' | 'order' | 'span' | 'ahead';

/** A line that is not used, with the reason. */
export interface UnusedLine {
  readonly line: string;
  readonly problem: LineProblem;
}

export interface PlotRequest {
  /** Names without duplicates, in the order of the lines. */
  readonly names: readonly string[];
  /** Start of the range, in milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly unused: readonly UnusedLine[];
}

/** Moments of the text that contains a plot, in milliseconds since the epoch. */
export interface PlotMoments {
  /** Reference moment of a range such as `-1h..+10m`: the creation of the entry. */
  readonly aroundMs: number;
  /** Reference moments of ranges such as `-1h..+10m at NAME`; undefined when the events are not known yet. */
  readonly events: readonly { readonly name: string; readonly instant: number }[] | undefined;
  /** Time at which the text was last written. */
  readonly writtenMs: number;
}

/** Default range of a block. */
export const usualRange = '-1h..+10m';

const hourMs = 3_600_000;
const unitMs = { s: 1_000, m: 60_000, h: hourMs, d: 24 * hourMs } as const;
const rangeLine = /^(\S+?)\s*\.\.\s*(\S+)(?:\s+at\s+(\S.*))?$/;
const offset = /^([+-])(\d{1,6})([smhd])$/;
const absolute = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Reads the lines of a block. Lines that cannot be used are listed in `unused`. */
export function readPlotBlock(lines: readonly string[], moments: PlotMoments): PlotRequest {
  const names = new Set<string>();
  const unused: UnusedLine[] = [];
  let range: { readonly startMs: number; readonly endMs: number } | undefined;
  for (const line of lines) {
    const isRange = line.length <= plotLimits.nameLength && rangeLine.test(line);
    const read = isRange ? readRange(line, moments) : readName(line, names);
    if (typeof read === 'string') unused.push({ line, problem: read });
    else if (!('startMs' in read)) names.add(read.name);
    else if (range) unused.push({ line, problem: 'ranges' });
    else range = read;
  }
  const usual = { startMs: moments.aroundMs - hourMs, endMs: moments.aroundMs + 10 * unitMs.m };
  return { names: [...names], ...(range ?? usual), unused };
}

function readName(line: string, names: ReadonlySet<string>): { readonly name: string } | LineProblem {
  if (/\s/.test(line) || line.length > plotLimits.nameLength) return 'name';
  return names.size === plotLimits.names && !names.has(line) ? 'names' : { name: line };
}

function readRange(line: string, { aroundMs, writtenMs, events }: PlotMoments) {
  const [, from = '', to = '', eventName] = rangeLine.exec(line) ?? [];
  const event = eventName === undefined ? undefined : events?.find(({ name }) => name.trim() === eventName);
  if (eventName !== undefined && events && !event) return 'event';
  const centreMs = event?.instant ?? aroundMs;
  const startMs = readTime(from, centreMs);
  const endMs = readTime(to, centreMs);
  if (startMs === undefined || endMs === undefined || startMs < 0) return 'range';
  if (startMs >= endMs) return 'order';
  if (endMs - startMs > plotLimits.spanMs) return 'span';
  return endMs > Math.max(aroundMs, writtenMs) + plotLimits.aheadMs ? 'ahead' : { startMs, endMs };
}

function readTime(text: string, aroundMs: number): number | undefined {
  const [, sign, amount, unit] = offset.exec(text) ?? [];
  if (unit !== undefined) {
    const byMs = Number(amount) * unitMs[unit as keyof typeof unitMs];
    return sign === '-' ? aroundMs - byMs : aroundMs + byMs;
  }
  if (text === '0') return aroundMs;
  const ms = absolute.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Maximum number of characters of a text that are searched for blocks. */
const maxExaminedChars = 131_072;

/**
 * Returns the contents of the `plot` blocks of a text in CommonMark that are not inside a list or a quote. Only the
 * beginning of a long text is examined.
 */
export function findPlotBlocks(text: string): string[] {
  const blocks: string[] = [];
  const source = text.slice(0, maxExaminedChars).replace(/\r\n?/g, '\n');
  if (!/^(?:`{3,}|~{3,})\s*plot\s*$/m.test(source)) return blocks;
  let open: OpenBlock | undefined;
  const close = () => {
    if (open?.isPlot) blocks.push(open.lines.join('\n'));
    open = undefined;
  };
  for (const line of source.split('\n')) {
    // A line without indentation ends the list that contains the block.
    if (open?.isNested && /^[^\s>]/.test(line)) open = undefined;
    if (!line.includes('```') && !line.includes('~~~')) {
      open?.lines.push(line);
      continue;
    }
    const [, before = '', fence = '', rest = ''] = fenceLine.exec(line) ?? [];
    const info = rest.trim();
    const isFence = fence !== '' && (open?.isNested || before.length < 4 || /\S/.test(before));
    if (open && isFence && fence.startsWith(open.fence) && info === '') close();
    else if (open) open.lines.push(line);
    else if (isFence) open = { fence, lines: [], isNested: /\S/.test(before), isPlot: before + info === 'plot' };
  }
  // An unclosed block extends to the end of the text. If that end was not examined, the block counts only if it already
  // has the maximum number of lines.
  const isWhole = text.length <= maxExaminedChars || (open && plotLines(open.lines.join('\n')).length === maxPlotLines);
  if (isWhole) close();
  return blocks;
}

interface OpenBlock {
  readonly fence: string;
  readonly lines: string[];
  /** Whether the block is inside a list or a quote. */
  readonly isNested: boolean;
  readonly isPlot: boolean;
}

/** Matches the marks of quotes and lists, a fence, and the text after it. */
const fenceLine = /^( *(?:(?:[-*+>]|\d{1,9}[.)]) *)*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/s;
