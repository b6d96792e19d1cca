import type { Sample } from './sources.port.js';
import { withDecimals } from './with-decimals.js';

const maxTextLength = 200;
const shownDigits = 6;
const shownItems = 3;

type Shown = Pick<Sample, 'value' | 'exact' | 'precision'>;

/** Returns a value with its units in a form for people, such as `401.2 mA`. */
export function shownValue(sample: Shown & Pick<Sample, 'units'>): string {
  const { units } = sample;
  return units === undefined ? withoutUnits(sample) : `${withoutUnits(sample)} ${units}`;
}

function withoutUnits({ value, exact, precision }: Shown): string {
  if (typeof value === 'string') return printable(value);
  if (typeof value === 'number') return exact?.[0] ?? shownNumber(value, precision);
  const first = value.slice(0, shownItems).map((one, at) => exact?.[at] ?? shownNumber(one, precision));
  if (value.length <= shownItems) return `[${first.join(', ')}]`;
  return `[${first.join(', ')}, …] (${value.length} values)`;
}

function shownNumber(value: number, precision: number | undefined): string {
  if (!Number.isFinite(value)) return String(value);
  // Rounding an integer, such as a counter or an identifier, would show another one.
  const shown = Number.isSafeInteger(value) ? value : Number(value.toPrecision(shownDigits));
  return withDecimals(value, precision) ?? String(shown);
}

/** Returns a text on one line and with bounded length. */
export function printable(text: string, maxLength = maxTextLength): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line.toWellFormed();
}
