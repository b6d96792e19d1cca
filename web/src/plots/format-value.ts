/**
 * Formats a value with the precision of a usual measurement: six digits, with an exponent for very large and small
 * values.
 */
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
