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
