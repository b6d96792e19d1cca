import { type KeyboardEvent, useState } from 'react';
import type { Drawing } from './plot-options.ts';
import type { PlotRange } from './plot-source.ts';
import { moveBy, zoomBy } from './zoom.ts';

/** The cursor, which several plots can share. */
export interface PlotCursor {
  /** Place on the horizontal axis. */
  readonly place: number;
  /** Position of its point among the points of the plot in which it was moved. */
  readonly at: number;
  readonly x: readonly number[];
}

interface PlotKeysProps {
  readonly drawing: Drawing | undefined;
  /** The requested part, which the keys change. The drawing shows it as soon as its points have arrived. */
  readonly range: PlotRange;
  readonly whole: PlotRange;
  readonly setRange: (range: PlotRange | undefined) => void;
  readonly known: PlotCursor | undefined;
  readonly setKnown: (cursor: PlotCursor | undefined) => void;
}

interface PlotKeys {
  /** Position of the point at the cursor. */
  readonly cursor: number | undefined;
  /** Sets the cursor to a point, or to `place` if it is given. */
  readonly setCursor: (at: number | undefined, place?: number) => void;
  /** Shows a part that is wider by the factor, around the cursor. */
  readonly zoom: (factor: number) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

const fastStep = 10;
const none: readonly number[] = [];

/** The cursor of a plot or of several. */
export function usePlotCursor(): Pick<PlotKeysProps, 'known' | 'setKnown'> {
  const [known, setKnown] = useState<PlotCursor>();
  return { known, setKnown };
}

/** Returns the cursor of a plot, and the handler of its keys. */
export function usePlotKeys({ drawing, range, whole, setRange, known, setKnown }: PlotKeysProps): PlotKeys {
  const x = drawing?.points.x ?? none;
  const place = known?.place;
  // If the points have changed, the position has, too: find the point again by its place.
  const cursor = known?.x === x || place === undefined || !drawing ? known?.at : nearest(x, place, drawing.range);
  const setCursor = (at: number | undefined, to = at === undefined ? undefined : x[at]) =>
    setKnown(at === undefined || to === undefined ? undefined : { at, place: to, x });
  const zoom = (factor: number) => {
    if (!drawing) return;
    const { isLogX } = drawing;
    const middle = isLogX ? Math.sqrt(range.from * range.to) : (range.from + range.to) / 2;
    const around = place !== undefined && place >= range.from && place <= range.to ? place : middle;
    setRange(zoomBy(range, factor, around, { whole, isLog: isLogX }));
  };
  const move = (share: number) => drawing && setRange(moveBy(range, share, { whole, isLog: drawing.isLogX }));
  const step = (by: number) => setCursor(Math.min(x.length - 1, Math.max(0, (cursor ?? -1) + by)));
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? fastStep : 1;
    const keys: Readonly<Record<string, () => void>> = {
      ...{
        ArrowRight: () => step(by),
        ArrowLeft: () => step(-by),
        Home: () => setCursor(0),
        End: () => setCursor(x.length - 1),
      },
      ...{ PageUp: () => move(-0.5), PageDown: () => move(0.5), '0': () => setRange(undefined) },
      ...{ '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2) },
    };
    const run = keys[event.key];
    if (!run || !drawing) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
  return { cursor, setCursor, zoom, onKey };
}

/** The position of the nearest point in the range; undefined: the place is not shown. */
function nearest(x: readonly number[], place: number, { from, to }: PlotRange): number | undefined {
  if (place < from || place > to) return undefined;
  let best = 0;
  for (const [at, one] of x.entries()) {
    if (Math.abs(one - place) < Math.abs((x[best] as number) - place)) best = at;
  }
  return best;
}
