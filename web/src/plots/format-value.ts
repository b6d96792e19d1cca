import type { Display } from '../../../packages/control-system/device-view.ts';
import { withDecimals } from '../../../packages/control-system/with-decimals.ts';

/**
 * Formats a value with the decimals of its device. Without them, a usual integer is whole, and another number has the
 * precision of a usual measurement: six digits, with an exponent for very large and small values.
 */
export function formatValue(value: number, precision?: number | null): string {
  const size = Math.abs(value);
  const isUsual = value === 0 || (size >= 1e-4 && size < 1e9);
  const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(6));
  const digits = () => (isUsual ? String(rounded) : shortExponent(value));
  return grouped(withDecimals(value, precision) ?? digits()).replaceAll('-', '−');
}

/** Formats a value of a column: as its state, or as a number with its decimals. */
export function formatReading({ states, precision }: Partial<Pick<Display, 'states' | 'precision'>>, value: number) {
  return states?.[value] ?? formatValue(value, precision);
}

/** Formats a value for a table: as its state, with the decimals of its device, or else with all of its digits. */
export function formatCell({ states, precision }: Pick<Display, 'states' | 'precision'>, value: number | null): string {
  if (value === null) return '–';
  return states?.[value] ?? (precision === null ? String(value) : formatValue(value, precision));
}

/** Groups of three, as everywhere, for more than four digits before the decimal point. */
const grouped = (text: string): string =>
  text.replace(/^-?\d{5,}/, (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, '\u202f'));

function shortExponent(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential(4).split('e');
  return `${String(Number(digits))}e${exponent.replace('+', '')}`;
}
