import type { Sample } from './sources.port.js';

const maxTextLength = 200;
const shownDigits = 6;
const shownItems = 3;

/** Returns a value with its units in a form for people, such as `401.2 mA`. */
export function shownValue(sample: Pick<Sample, 'value' | 'precision' | 'units'>): string {
  const { units } = sample;
  return units === undefined ? withoutUnits(sample) : `${withoutUnits(sample)} ${units}`;
}

function withoutUnits({ value, precision }: Pick<Sample, 'value' | 'precision'>): string {
  if (typeof value === 'string') return printable(value);
  if (typeof value === 'number') return shownNumber(value, precision);
  const first = value.slice(0, shownItems).map((one) => shownNumber(one, precision));
  if (value.length <= shownItems) return `[${first.join(', ')}]`;
  return `[${first.join(', ')}, …] (${value.length} values)`;
}

/**
 * Returns a number with the precision of the device. Small values such as pressures, which that precision would hide,
 * are shown with their digits.
 */
function shownNumber(value: number, precision: number | undefined): string {
  if (!Number.isFinite(value)) return String(value);
  const rounded = precision === undefined ? undefined : value.toFixed(precision);
  if (rounded !== undefined && rounded.length <= 20 && (Number(rounded) !== 0 || value === 0)) return rounded;
  return String(Number(value.toPrecision(shownDigits)));
}

/** Returns a text on one line and with bounded length. */
export function printable(text: string, maxLength = maxTextLength): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line;
}
