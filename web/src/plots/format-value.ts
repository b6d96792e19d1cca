import type { Display } from '../../../packages/control-system/device-view.ts';
import { withDecimals } from '../../../packages/control-system/with-decimals.ts';

/**
 * Formats a value with the number of decimals that its device specifies. If the device specifies none, integers are
 * shown in full, and other numbers with six digits, enough for usual measurements. Very large and very small numbers
 * have an exponent.
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

/** Separates groups of three digits, as elsewhere, if there are more than four digits before the decimal point. */
const grouped = (text: string): string =>
  text.replace(/^-?\d{5,}/, (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, '\u202f'));

function shortExponent(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential(4).split('e');
  return `${String(Number(digits))}e${exponent.replace('+', '')}`;
}
