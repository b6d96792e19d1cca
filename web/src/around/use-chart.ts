import { createContext, useContext } from 'react';
import type { PlotRange } from '../plots/plot-source.ts';
import type { PlotCursor } from '../plots/use-plot-keys.ts';

/** The axis, the zoom and the cursor, which all parts of the chart share. */
export interface Chart {
  /** The moment whose surroundings are shown. */
  readonly moment: number;
  /** The chosen range, and the part of it that is shown. */
  readonly whole: PlotRange;
  readonly shown: PlotRange;
  readonly part: PlotRange | undefined;
  readonly setPart: (part: PlotRange | undefined) => void;
  readonly cursor: PlotCursor | undefined;
  readonly setCursor: (cursor: PlotCursor | undefined) => void;
  /** Width of the chart with the vertical axes, in pixels. */
  readonly width: number;
  readonly gutter: number;
  readonly ticks: readonly number[];
}

export const ChartContext = createContext<Chart | undefined>(undefined);

export function useChart(): Chart {
  const chart = useContext(ChartContext);
  if (!chart) throw new Error('there is no chart');
  return chart;
}

/** Place of a time from the left end of the axis, in pixels. */
export function placeOf({ shown: { from, to }, width, gutter }: Chart, ms: number): number {
  return ((ms - from) / (to - from)) * (width - gutter);
}

export const isShown = ({ shown: { from, to } }: Chart, ms: number): boolean => ms >= from && ms <= to;
