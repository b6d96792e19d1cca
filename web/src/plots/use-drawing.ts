import { useEffect, useState } from 'react';
import type { Drawing } from './plot-options.ts';
import type { PlotRange, PlotSource } from './plot-source.ts';

type Wanted = Pick<Drawing, 'curves' | 'isLogX' | 'isLogY' | 'width' | 'height'> & Partial<Pick<Drawing, 'lane'>>;

/** The shown part of the axis, and how to change it; undefined: all of it. */
type ShownPart = readonly [part: PlotRange | undefined, show: (part: PlotRange | undefined) => void];

interface ShownDrawing {
  /** Undefined: the first points are not there yet. */
  readonly drawing: Drawing | undefined;
  /** The requested part, which the drawing shows as soon as its points have arrived. */
  readonly range: PlotRange;
  readonly whole: PlotRange;
  readonly hasFailed: boolean;
  /** Shows a part of the axis; undefined: all of it. */
  readonly setRange: (range: PlotRange | undefined) => void;
}

/** Requests the points of what is to be shown. The last ones stay until the next have arrived. */
export function useDrawing(source: PlotSource, wanted: Wanted, [part, setRange]: ShownPart): ShownDrawing {
  const { curves, isLogX, isLogY, width, height, lane } = wanted;
  const { axis } = source;
  const [drawing, setDrawing] = useState<Drawing>();
  const [hasFailed, setFailed] = useState(false);
  const from = isLogX ? (axis.positiveFrom ?? axis.from) : axis.from;
  const to = axis.to === from ? from + 1 : axis.to;
  const [shownFrom, shownTo] = [Math.max(from, part?.from ?? from), part?.to ?? to];
  useEffect(() => {
    if (width === 0) return undefined;
    let isOld = false;
    const range = { from: shownFrom, to: shownTo };
    const columns = curves.filter((one) => one !== undefined);
    source.points({ ...range, width, isLogX, columns }).then(
      (points) => {
        if (isOld) return;
        setFailed(false);
        setDrawing({
          axis: source.axis,
          columns: source.columns,
          marks: source.marks ?? [],
          limits: source.limits ?? [],
          states: source.states,
          curves,
          points,
          range,
          isLogX,
          isLogY,
          width,
          height,
          lane,
        });
      },
      () => !isOld && setFailed(true),
    );
    return () => {
      isOld = true;
    };
  }, [source, curves, isLogX, isLogY, width, height, lane, shownFrom, shownTo]);
  return { drawing, range: { from: shownFrom, to: shownTo }, whole: { from, to }, hasFailed, setRange };
}
