import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatValue } from './format-value.ts';
import { type Drawing, plotData, plotOptions, readLook } from './plot-options.ts';
import type { PlotRange } from './plot-source.ts';

interface PlotCanvasProps {
  readonly drawing: Drawing;
  readonly label: string;
  /** Position of the point at the cursor. */
  readonly cursor: number | undefined;
  /** Place of the cursor if it is not at a point. */
  readonly place?: number | undefined;
  readonly onCursor: (at: number | undefined, place?: number) => void;
  readonly valueText: string;
  readonly onRange: (range: PlotRange | undefined) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  /** The drawn picture. */
  readonly picture: Ref<() => HTMLCanvasElement | undefined>;
}

/** The curves. A drag zooms in; arrow keys move the cursor. */
export function PlotCanvas(props: PlotCanvasProps) {
  const { drawing, label, cursor, place, valueText, onCursor, onRange, onKey, picture } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const latest = useRef({ onCursor, onRange, cursor });
  latest.current = { onCursor, onRange, cursor };
  const theme = useTheme();
  useImperativeHandle(picture, () => () => plot.current?.ctx.canvas);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const options = plotOptions(drawing, readLook(element));
    const hooks = {
      drawAxes: [(made: UPlot) => drawMarks(made, drawing), (made: UPlot) => drawLimits(made, drawing)],
      // If there is no event, this component has set the cursor, or the cursor is the initial one.
      setCursor: [
        (made: UPlot) => {
          const { idx, event, left = 0 } = made.cursor;
          if (event) latest.current.onCursor(idx ?? undefined, made.posToVal(left, 'x'));
        },
      ],
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
  useEffect(() => plot.current && moveCursor(plot.current, drawing, cursor, place), [cursor, place, drawing]);
  return (
    <div
      className="plot-canvas"
      ref={box}
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

/** Moves the line of the cursor to a place, or else to a point; hides it if there is neither. */
function moveCursor(made: UPlot, { points }: Drawing, cursor: number | undefined, place: number | undefined): void {
  const x = place ?? (cursor === undefined ? undefined : points.x[cursor]);
  if (x !== undefined && place === undefined && made.cursor.idx === cursor) return;
  made.setCursor({ left: x === undefined ? -10 : made.valToPos(x, 'x'), top: 1 }, false);
}

/** Draws the marks behind the curves. */
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

/** Draws the limits behind the curves. An alarm has longer dashes than a warning, and its name at the other end. */
function drawLimits(made: UPlot, { limits }: Drawing): void {
  const { ctx, bbox, scales } = made;
  const { min, max } = scales.left ?? {};
  if (typeof min !== 'number' || typeof max !== 'number') return;
  const style = getComputedStyle(made.root);
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  ctx.font = `${10 * devicePixelRatio}px ${style.fontFamily}`;
  for (const { name, value, isAlarm } of limits.filter((one) => one.value >= min && one.value <= max)) {
    const y = Math.round(made.valToPos(value, 'left', true)) + 0.5;
    ctx.strokeStyle = style.getPropertyValue(isAlarm ? '--urgent' : '--problem');
    ctx.fillStyle = ctx.strokeStyle;
    ctx.setLineDash([(isAlarm ? 8 : 3) * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    // Above the line where there is room.
    const isAtTop = y < bbox.top + 12 * devicePixelRatio;
    ctx.textBaseline = isAtTop ? 'top' : 'bottom';
    ctx.textAlign = isAlarm ? 'right' : 'left';
    const x = isAlarm ? bbox.left + bbox.width - 4 : bbox.left + 4;
    ctx.fillText(`${name} ${formatValue(value)}`, x, y + (isAtTop ? 2 : -2));
  }
  ctx.restore();
}

/** Minimum length of a drag; a shorter one is a click. */
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
