import type { PlotRange } from './plot-source.ts';

const closest = 1e-9;

interface Zoom {
  readonly whole: PlotRange;
  readonly isLog: boolean;
}

/** Returns a range that is smaller or larger by the factor, around a place in it; undefined: the whole axis. */
export function zoomBy(range: PlotRange, factor: number, around: number, zoom: Zoom): PlotRange | undefined {
  return change(range, zoom, (at, place) => place + (at - place) * factor, around);
}

/** Returns the range moved by a share of its width. */
export function moveBy(range: PlotRange, share: number, zoom: Zoom): PlotRange | undefined {
  const scale = zoom.isLog ? Math.log : Number;
  const by = (scale(range.to) - scale(range.from)) * share;
  const moved = change(range, zoom, (at) => at + by, range.from);
  // The part does not move beyond an end of the axis, because it would become narrower.
  const isWhole = moved !== undefined && moved.from > zoom.whole.from && moved.to < zoom.whole.to;
  return isWhole ? moved : range;
}

function change(
  { from, to }: PlotRange,
  { whole, isLog }: Zoom,
  run: (at: number, around: number) => number,
  around: number,
): PlotRange | undefined {
  const [scale, back] = isLog ? [Math.log, Math.exp] : [Number, Number];
  const place = scale(around);
  const next = {
    from: Math.max(whole.from, back(run(scale(from), place))),
    to: Math.min(whole.to, back(run(scale(to), place))),
  };
  if (next.from <= whole.from && next.to >= whole.to) return undefined;
  return next.to - next.from > (whole.to - whole.from) * closest ? next : { from, to };
}
