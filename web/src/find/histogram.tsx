import { memo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Facets } from '../api/types.ts';
import { formatNumber } from '../components/format.ts';
import { levelLook, levelRank } from '../components/level.tsx';
import { useShortcut } from '../keys/use-shortcut.ts';
import { type Brush, bucketEnd, moment } from './brush.tsx';
import './histogram.css';
import { useWidth } from '../components/use-width.ts';
import { ticksOf } from './histogram-ticks.ts';

type Time = Facets['time'];

interface HistogramProps {
  readonly time: Time | undefined;
  readonly brush: Brush | undefined;
  readonly onBrush: (brush: Brush | undefined) => void;
  readonly onZoom: (brush: Brush) => void;
}

const height = 54;

/** Distribution of the hits over time, by level. The pointer or two handles choose a period. */
export function Histogram({ time, brush, onBrush, onZoom }: HistogramProps) {
  const { t } = useTranslation('find');
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  useShortcut('timeline', () => box.current?.querySelector<HTMLElement>('[role="slider"]')?.focus());
  const pointer = usePointerBrush(time?.buckets.length ?? 0, { brush, onBrush, onZoom });
  if (!time || time.buckets.length === 0) return <div className="histogram" ref={box} />;
  const n = time.buckets.length;
  const shown = brush ?? { from: 0, to: n };
  const move = (next: Brush) => onBrush(next);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && brush) onZoom(brush);
    else if (event.key === 'Escape' && brush) onBrush(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its handles are the controls; the pointer has the whole chart
    <div className={`histogram ${brush ? 'brushing' : ''}`} ref={box} onKeyDown={onKeyDown} {...pointer}>
      <Bars time={time} width={width} label={summary(t, time)} />
      {brush && <div className="brush" style={span(shown, n)} />}
      <Handle edge="from" brush={shown} time={time} onMove={move} />
      <Handle edge="to" brush={shown} time={time} onMove={move} />
    </div>
  );
}

const percent = (part: number, n: number): string => `${(part / n) * 100}%`;
const span = ({ from, to }: Brush, n: number) => ({ left: percent(from, n), width: percent(to - from, n) });

type Translate = ReturnType<typeof useTranslation<'find'>>['t'];

/** The chart in a sentence. */
function summary(t: Translate, time: Time): string {
  const total = time.buckets.reduce((sum, { count }) => sum + count, 0);
  const top = time.buckets.reduce((best, one) => (one.count > best.count ? one : best));
  const { length } = time.buckets;
  return t('histogram', {
    total: formatNumber(total),
    bars: length,
    top: moment(top.start),
    most: formatNumber(top.count),
  });
}

const Bars = memo(function Bars({ time, width, label }: { time: Time; width: number; label: string }) {
  const n = time.buckets.length;
  const step = width / n;
  const max = Math.max(1, ...time.buckets.map(({ count }) => count));
  return (
    <svg width={width} height={height + 18} role="img" aria-label={label}>
      <path d={`M0 ${height + 0.5}H${width}`} className="axis" />
      {time.buckets.map(({ start, count, levels }, at) => {
        let top = height;
        return levelParts(count, levels).map(([level, part]) => {
          const barHeight = Math.max(1, (part / max) * (height - 4));
          top -= barHeight;
          return (
            <rect
              key={`${start} ${level}`}
              className={levelLook(level)}
              x={at * step + Math.min(0.6, step / 6)}
              y={top}
              width={Math.max(0.5, step - Math.min(1.2, step / 3))}
              height={Math.max(0.8, barHeight - (barHeight > 2 ? 0.7 : 0))}
            />
          );
        });
      })}
      {ticksOf(time, width).map(({ x, text }) => (
        <g key={x}>
          <path d={`M${x} ${height}v5`} className="axis" />
          <text x={x + 4} y={height + 14}>
            {text}
          </text>
        </g>
      ))}
    </svg>
  );
});

/** Returns the levels of a bar from bottom to top, from Info to Urgent. */
function levelParts(count: number, levels: Readonly<Record<string, number>> | undefined): [string, number][] {
  if (!levels) return count === 0 ? [] : [['Info', count]];
  return Object.entries(levels)
    .filter(([, part]) => part > 0)
    .sort(([one], [other]) => levelRank(other) - levelRank(one));
}

interface HandleProps {
  readonly edge: 'from' | 'to';
  readonly brush: Brush;
  readonly time: Time;
  readonly onMove: (brush: Brush) => void;
}

function Handle({ edge, brush, time, onMove }: HandleProps) {
  const { t } = useTranslation('find');
  const n = time.buckets.length;
  const value = brush[edge];
  const [min, max] = edge === 'from' ? [0, brush.to - 1] : [brush.from + 1, n];
  const ms = value < n ? (time.buckets[value]?.start ?? 0) : bucketEnd(time, n - 1);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = event.shiftKey ? 10 : 1;
    const moves: Readonly<Record<string, number>> = {
      ...{ ArrowLeft: value - step, ArrowRight: value + step, ArrowDown: value - step, ArrowUp: value + step },
      ...{ Home: min, End: max },
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onMove({ ...brush, [edge]: Math.min(max, Math.max(min, next)) });
  };
  return (
    <div
      className="handle"
      role="slider"
      tabIndex={0}
      aria-label={t(edge === 'from' ? 'brushFrom' : 'brushTo')}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={`${moment(ms)}, ${formatNumber(brush.to - brush.from)}`}
      style={{ left: percent(value, n) }}
      onKeyDown={onKeyDown}
    />
  );
}

/** Handles the pointer: a drag makes a selection or moves one of its ends, a click on it zooms in. */
function usePointerBrush(n: number, { brush, onBrush, onZoom }: Pick<HistogramProps, 'brush' | 'onBrush' | 'onZoom'>) {
  const [anchor, setAnchor] = useState<number>();
  const dragged = useRef(false);
  const at = (event: React.PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(n, Math.max(0, ((event.clientX - left) / width) * n));
  };
  return {
    onPointerDown: (event: React.PointerEvent) => {
      if (event.button !== 0 || n === 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      dragged.current = false;
      const place = at(event);
      // A drag from near one end of the selection moves that end; the other one stays.
      if (brush && Math.abs(place - brush.from) < 1) setAnchor(brush.to);
      else if (brush && Math.abs(place - brush.to) < 1) setAnchor(brush.from);
      else setAnchor(place);
    },
    onPointerMove: (event: React.PointerEvent) => {
      if (anchor === undefined) return;
      const place = at(event);
      if (!dragged.current && Math.abs(place - anchor) < 0.5) return;
      dragged.current = true;
      const [low, high] = [Math.min(anchor, place), Math.max(anchor, place)];
      const from = Math.min(n - 1, Math.floor(low));
      onBrush({ from, to: Math.max(from + 1, Math.ceil(high)) });
    },
    onPointerUp: (event: React.PointerEvent) => {
      setAnchor(undefined);
      const place = at(event);
      if (dragged.current) return;
      if (brush && place >= brush.from && place <= brush.to) onZoom(brush);
      else if (brush) onBrush(undefined);
      else onBrush({ from: Math.min(n - 1, Math.floor(place)), to: Math.min(n, Math.floor(place) + 1) });
    },
    onPointerCancel: () => setAnchor(undefined),
  };
}
