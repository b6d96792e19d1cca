import type { Measured } from './latencies.js';

/** One line of the table. */
export interface Line {
  readonly name: string;
  readonly figure: string;
  /** Against what was measured beside it. */
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

export function table(lines: readonly Line[]): string {
  const cells = lines.map(({ name, figure, ratio = '', aim }) => [
    name,
    figure,
    ratio,
    aim ? aim.text : '',
    aim ? (aim.met ? 'met' : 'MISSED') : '',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
