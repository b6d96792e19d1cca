import { isLongInteger } from '../../packages/control-system/lenient-json.js';
import { printable } from '../../packages/control-system/shown-value.js';
import { isSample, type Missing, type Sample } from '../../packages/control-system/sources.port.js';
import { isValuesProperty } from '../ledger/added-values.js';
import type { AttributeValue, PropertyInstance, StoredSample } from './entry.js';

/** Limits of a stored sample. Longer arrays have no sample; their entry shows the first numbers. */
export const sampleLimits = { numbers: 32, textLength: 1_000, unitsLength: 100, severityLength: 20 } as const;

/** Returns the sample to store for a source's answer; undefined if it has no value, or too long an array. */
export function storedSample(reading: Sample | Missing | undefined): StoredSample | undefined {
  if (!isSample(reading)) return undefined;
  const { value, exact, index, units, severity, atMs } = reading;
  const about = {
    index: Number.isSafeInteger(index) ? index : undefined,
    units: units === undefined ? undefined : printable(units, sampleLimits.unitsLength),
    severity,
    instant: Math.round(atMs),
  };
  if (typeof value === 'string') return { text: printable(value, sampleLimits.textLength), ...about };
  const numbers = typeof value === 'number' ? [value] : value;
  return numbers.length > sampleLimits.numbers ? undefined : { numbers: exact ?? numbers.map(String), ...about };
}

/** Reads a sample from an entry of another logbook; undefined if it is invalid, or not in a property of values. */
export function readSample(given: unknown, propertyName: string): StoredSample | undefined {
  if (!isValuesProperty(propertyName) || typeof given !== 'object' || given === null) return undefined;
  const { numbers, text, index, units, severity, instant } = given as Readonly<Record<string, unknown>>;
  const isValid =
    (numbers === undefined || isNumbers(numbers)) &&
    (text === undefined || isText(text, sampleLimits.textLength)) &&
    (numbers === undefined) !== (text === undefined) &&
    (index === undefined || Number.isSafeInteger(index)) &&
    (units === undefined || isText(units, sampleLimits.unitsLength)) &&
    isText(severity, sampleLimits.severityLength) &&
    Number.isSafeInteger(instant);
  return isValid ? ({ numbers, text, index, units, severity, instant } as StoredSample) : undefined;
}

const isNumbers = (given: unknown): boolean =>
  Array.isArray(given) && given.length <= sampleLimits.numbers && given.every(isNumber);

/** Whether a value is a number as `storedSample` writes it, which may be an integer of 64 bits. */
const isNumber = (given: unknown): boolean =>
  String(Number(given)) === given || (typeof given === 'string' && isLongInteger(given));

/** Whether a value is a text that is at most as long as `storedSample` makes it, including the ellipsis. */
const isText = (given: unknown, maxLength: number): boolean =>
  typeof given === 'string' && given.length <= maxLength + 1 && given.isWellFormed() && !given.includes('\0');

/**
 * Returns edited properties with the samples of the values that the edit has not changed: clients do not send them.
 * Attributes with equal names and values get their samples in order.
 */
export function withStoredSamples(
  edited: readonly PropertyInstance[],
  stored: readonly PropertyInstance[],
): readonly PropertyInstance[] {
  const samples = new Map<string, (StoredSample | undefined)[]>();
  for (const property of stored) {
    if (!isValuesProperty(property.name)) continue;
    for (const attribute of property.attributes) {
      const key = keyOf(property, attribute);
      samples.set(key, [...(samples.get(key) ?? []), attribute.sample]);
    }
  }
  return edited.map((property) => {
    if (!isValuesProperty(property.name)) return property;
    const attributes = property.attributes.map((one) => ({
      ...one,
      sample: samples.get(keyOf(property, one))?.shift(),
    }));
    return { ...property, attributes };
  });
}

const keyOf = (property: PropertyInstance, { name, value }: AttributeValue): string =>
  JSON.stringify([property.name.trim().toLowerCase(), name, value]);
