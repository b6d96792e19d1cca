/**
 * Returns a finite number with the decimals of its device; undefined if these are unknown, or would hide the value, as
 * they would a low pressure. Zero decimals are the default of EPICS, which many records keep, so they do not apply to a
 * fraction.
 */
export function withDecimals(value: number, precision: number | null | undefined): string | undefined {
  if (typeof precision !== 'number' || (precision === 0 && !Number.isInteger(value))) return undefined;
  const rounded = value.toFixed(precision);
  const isShown = rounded.length <= 20 && !rounded.includes('e') && (Number(rounded) !== 0 || value === 0);
  return isShown ? rounded : undefined;
}
