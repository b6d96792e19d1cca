import { toDigits, toNumber } from './lenient-json.js';
import type { Sample } from './sources.port.js';

/** Returns the value that a source has sent; undefined for anything that is not a value. */
export function readValue(sent: unknown): Pick<Sample, 'value' | 'exact'> | undefined {
  if (typeof sent === 'boolean') return { value: String(sent) };
  if (!Array.isArray(sent)) {
    const number = toNumber(sent);
    if (number !== undefined) return { value: number, ...exactOf([sent]) };
    return typeof sent === 'string' ? { value: sent } : undefined;
  }
  const numbers = sent.map(toNumber);
  if (numbers.every((one) => one !== undefined)) return { value: numbers, ...exactOf(sent) };
  return sent.every((one) => typeof one === 'string') ? { value: `[${sent.join(', ')}]` } : undefined;
}

function exactOf(sent: readonly unknown[]): Pick<Sample, 'exact'> {
  const isRounded = sent.some((one) => toDigits(one) !== undefined);
  return isRounded ? { exact: sent.map((one) => toDigits(one) ?? String(toNumber(one))) } : {};
}
