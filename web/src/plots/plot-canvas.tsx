import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Drawing, plotData, plotOptions, readLook } from './plot-options.ts';
import type { PlotRange } from './plot-source.ts';

interface PlotCanvasProps {
  readonly drawing: Drawing;
  readonly label: string;
  /** Position of the point at the cursor. */
  readonly cursor: number | undefined;
  readonly onCursor: (at: number | undefined) => void;
  readonly valueText: string;
  readonly onRange: (range: PlotRange | undefined) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  /** The drawn picture. */
  readonly picture: Ref<() => HTMLCanvasElement | undefined>;
}

/** The curves. A drag zooms in; arrow keys move the cursor. */
export function PlotCanvas({ drawing, label, cursor, valueText, onCursor, onRange, onKey, picture }: PlotCanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const latest = useRef({ onCursor, onRange, cursor });
  latest.current = { onCursor, onRange, cursor };
  const theme = useTheme();
  useImperativeHandle(picture, () => () => plot.current?.ctx.canvas);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const options = plotOptions(drawing, readLook(element));
    const hooks = {
      drawAxes: [(made: UPlot) => drawMarks(made, drawing)],
      // A cursor without an event was set by this component, or is the first.
      setCursor: [({ cursor: { idx, event } }: UPlot) => event && latest.current.onCursor(idx ?? undefined)],
      setSelect: [
        (made: UPlot) => {
          const { left, width } = made.select;
          const range = { from: made.posToVal(left, 'x'), to: made.posToVal(left + width, 'x') };
          if (width >= minDragPx) latest.current.onRange(range);
          made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    };
    const made = new UPlot({ ...options, hooks }, plotData(drawing), element);
    plot.current = made;
    return () => {
      plot.current = undefined;
      made.destroy();
    };
  }, [drawing, theme]);
  useEffect(() => {
    const made = plot.current;
    const x = cursor === undefined ? undefined : drawing.points.x[cursor];
    if (!made || x === undefined || made.cursor.idx === cursor) return;
    made.setCursor({ left: made.valToPos(x, 'x'), top: 1 }, false);
  }, [cursor, drawing]);
  return (
    <div
      className="plot-canvas"
      ref={place}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, drawing.points.x.length)}
      aria-valuenow={(cursor ?? 0) + 1}
      aria-valuetext={valueText}
      onKeyDown={onKey}
      onDoubleClick={() => onRange(undefined)}
      style={{ height: drawing.height }}
    />
  );
}

/** Draws the marks below the curves. */
function drawMarks(made: UPlot, { marks, range }: Drawing): void {
  const { ctx, bbox } = made;
  ctx.save();
  ctx.strokeStyle = getComputedStyle(made.root).getPropertyValue('--edge');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  for (const place of marks.filter((one) => one >= range.from && one <= range.to)) {
    const x = Math.round(made.valToPos(place, 'x', true)) + 0.5;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

/** A shorter drag is a click. */
const minDragPx = 4;

const root = document.documentElement;

/** Follows the theme of the page. */
function useTheme(): string | undefined {
  const [theme, setTheme] = useState(root.dataset.theme);
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(root.dataset.theme));
    observer.observe(root, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return theme;
}
