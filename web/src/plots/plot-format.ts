import { formatDay, formatTime } from '../components/format.ts';
import type { PlotAxis, PlotColumn } from './plot-source.ts';

const [secondMs, minuteMs, dayMs] = [1_000, 60_000, 86_400_000] as const;

/** A value as it was probably measured: six digits, with an exponent where it is far from one. */
export function formatValue(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e-4 && size < 1e9 ? String(Number(value.toPrecision(6))) : shortExponent(value);
  return grouped(text).replace('-', '−');
}

/** Groups of three, as everywhere, for more than four digits before the decimal point. */
const grouped = (text: string): string =>
  /^-?\d{5,}/.test(text) ? text.replace(/\B(?=(?:\d{3})+(?:\.|$))/g, '\u202f') : text;

function shortExponent(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential(4).split('e');
  return `${String(Number(digits))}e${exponent.replace('+', '')}`;
}

/** A place on the horizontal axis, for the cursor: times to the millisecond where rows are that close. */
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

/** `Current [mA]`. */
export function labelOf(column: PlotColumn | undefined, name = ''): string {
  return column?.unit === undefined ? name : `${name} [${column.unit}]`;
}
