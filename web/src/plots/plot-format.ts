import { formatDay, formatTime } from '../components/format.ts';
import { formatValue } from './format-value.ts';
import type { PlotAxis, PlotColumn } from './plot-source.ts';

const [secondMs, minuteMs, dayMs] = [1_000, 60_000, 86_400_000] as const;

/**
 * Formats a place on the horizontal axis for the cursor: times to the millisecond if the axis spans less than 10
 * minutes.
 */
export function formatPlace({ kind, from, to }: PlotAxis, value: number): string {
  if (kind === 'row') return String(Math.round(value));
  if (kind === 'number') return formatValue(value);
  const isFine = to - from < 10 * minuteMs;
  return `${formatDay(value)}, ${formatTime(value, true)}${isFine ? milliseconds(value) : ''}`;
}

const milliseconds = (ms: number): string => `.${String(Math.floor(ms) % 1_000).padStart(3, '0')}`;

/** Labels of the horizontal axis; null: a place without one. */
export function placeLabels({ kind }: PlotAxis, places: readonly (number | null)[], step: number): string[] {
  let day = '';
  return places.map((place) => {
    if (place === null) return '';
    if (kind !== 'time') return formatValue(place);
    const name = formatDay(place);
    if (step >= dayMs) return name;
    const time = formatTime(place, step < minuteMs) + (step < secondMs ? milliseconds(place) : '');
    const label = name === day ? time : `${time}\n${name}`;
    day = name;
    return label;
  });
}

/** Returns a label such as `Current [mA]`. */
export function labelOf(column: PlotColumn | undefined, name = ''): string {
  return column?.unit === undefined ? name : `${name} [${column.unit}]`;
}
