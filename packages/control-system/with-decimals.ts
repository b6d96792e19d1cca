/**
 * Returns a finite number with the decimals of its device; undefined if they are unknown, or would hide the value, such
 * as a pressure.
 */
export function withDecimals(value: number, precision: number | null | undefined): string | undefined {
  if (typeof precision !== 'number') return undefined;
  const rounded = value.toFixed(precision);
  const isShown = rounded.length <= 20 && !rounded.includes('e') && (Number(rounded) !== 0 || value === 0);
  return isShown ? rounded : undefined;
}
