/**
 * Returns a finite number with the decimals of its device; undefined if they are unknown, or would hide the value, such
 * as a pressure. No decimals are the default of EPICS, which many records keep, and not a choice for a fraction.
 */
export function withDecimals(value: number, precision: number | null | undefined): string | undefined {
  if (typeof precision !== 'number' || (precision === 0 && !Number.isInteger(value))) return undefined;
  const rounded = value.toFixed(precision);
  const isShown = rounded.length <= 20 && !rounded.includes('e') && (Number(rounded) !== 0 || value === 0);
  return isShown ? rounded : undefined;
}
