import type { Measured } from './latencies.js';

/** One line of the table. */
export interface Line {
  readonly name: string;
  readonly figure: string;
  /** Figure relative to another one of the same round. */
  readonly ratio?: string;
  readonly aim?: Aim;
}

export interface Aim {
  readonly text: string;
  readonly met: boolean;
}

export function atMost(value: number, limit: number, unit: string): Aim {
  return { text: `at most ${limit} ${unit}`, met: value <= limit };
}

export function atLeast(value: number, limit: number, unit: string): Aim {
  return { text: `at least ${limit} ${unit}`, met: value >= limit };
}

/** Rate and latencies, in columns of their own. */
export function timings({ perSecond, p50, p95, p99 }: Measured): string {
  const rate = perSecond.toFixed(perSecond < 100 ? 1 : 0).padStart(7);
  const [half, most, nearlyAll] = [p50, p95, p99].map((ms) => ms.toFixed(ms < 100 ? 2 : 0).padStart(6));
  return `${rate}/s   p50 ${half}   p95 ${most}   p99 ${nearlyAll} ms`;
}

/** Widths of the columns of lines that are printed before all of them are known. */
const streamWidths = [46, 58, 30, 18];

/** A line of a table that is printed as it grows. */
export function streamedLine(line: Line): string {
  return joinCells(toCells(line), streamWidths);
}

/** The lines with columns as wide as their longest cell. */
export function table(lines: readonly Line[]): string {
  const rows = lines.map(toCells);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells) => joinCells(cells, widths)).join('\n');
}

function toCells({ name, figure, ratio = '', aim }: Line): string[] {
  return [name, figure, ratio, aim ? aim.text : '', aim ? (aim.met ? 'met' : 'MISSED') : ''];
}

function joinCells(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('   ')
    .trimEnd();
}
