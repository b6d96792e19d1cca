import UPlot from 'uplot';
import type { PlotLimit } from './plot-source.ts';

/** The properties of a plot on which its vertical axis depends. */
interface Shown {
  readonly limits: readonly PlotLimit[];
  readonly states: readonly string[] | undefined;
  readonly isLogY: boolean;
}

const maxStateLength = 12;
const maxStates = 12;

/** The vertical scale. */
export function yScale({ isLogY, states, limits }: Shown): UPlot.Scale {
  if (isLogY) return { distr: 3 };
  if (states) return { distr: 1, range: (_, low, high) => [low - 0.5, high + 0.5] };
  if (limits.length === 0) return { distr: 1 };
  return {
    distr: 1,
    range: (_, low, high) => (low === null ? [low, high] : UPlot.rangeNum(...withLimits(low, high, limits), 0.1, true)),
  };
}

/** Extends the range of the values to limits that are no further away than the range is wide. */
function withLimits(low: number, high: number, limits: readonly PlotLimit[]): [low: number, high: number] {
  const width = high - low;
  const near = limits.map(({ value }) => value).filter((value) => value >= low - width && value <= high + width);
  return [Math.min(low, ...near), Math.max(high, ...near)];
}

/** Minimum distance of two labels of the horizontal axis, in pixels. */
export const labelSpace = 70;

/** Places with labels on a logarithmic axis: 1, 2 and 5, powers of ten, or even steps in less than a decade. */
export function logTicks(low: number, high: number, width: number): number[] {
  const pixels = width / Math.log10(high / low);
  const decades = Math.ceil(labelSpace / pixels);
  const mantissas = pixels * Math.log10(2) >= labelSpace ? [1, 2, 5] : [1];
  const first = Math.floor(Math.log10(low) / decades) * decades;
  const ticks: number[] = [];
  for (let power = first; 10 ** power <= high; power += decades) {
    ticks.push(...mantissas.map((one) => times(one, power)).filter((one) => one >= low && one <= high));
  }
  return ticks.length >= 3 ? ticks : evenTicks(low, high, high * (1 - 10 ** (-labelSpace / pixels)));
}

/** Returns the multiples of the smallest round step that is at least `least`. */
function evenTicks(low: number, high: number, least: number): number[] {
  const power = Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((one) => times(one, power) >= least) ?? 10;
  // The quotients are not exact: 0.0042 / 0.0001 is below 42.
  const [from, to] = [Math.ceil(low / times(step, power) - 1e-9), Math.floor(high / times(step, power) + 1e-9)];
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => times((from + at) * step, power));
}

/** Returns the decimal number as it is written: factors such as 0.1 are not exact. */
const times = (mantissa: number, power: number): number => Number(`${mantissa}e${power}`);

/** The vertical axis of an enumeration names its states. */
export function stateAxis({ states, isLogY }: Shown): UPlot.Axis {
  if (!states || isLogY) return {};
  return {
    splits: (_, __, low, high) => {
      const [from, to] = [Math.ceil(low), Math.floor(high)];
      const step = Math.max(1, Math.ceil((to - from + 1) / maxStates));
      return Array.from({ length: Math.floor((to - from) / step) + 1 }, (___, at) => from + at * step);
    },
    values: (_, places) => places.map((place) => shortened(states[place] ?? String(place))),
  };
}

const shortened = (name: string): string =>
  name.length > maxStateLength ? `${name.slice(0, maxStateLength - 1)}…` : name;
