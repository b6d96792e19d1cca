import { Fault, quoted } from '../kernel/fault.js';
import { Type } from '../kernel/json-schema.js';

/** The value of an attribute as clients send it: in entries and, as a preset, in property definitions. */
export type ValueInput = string | number | boolean | null;

export const OptionalValue = (description: string) =>
  Type.Optional(
    Type.Unsafe<ValueInput>({ type: ['string', 'number', 'boolean', 'null'], maxLength: 100_000, description }),
  );

export const StoredValue = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });

/**
 * Returns the value to store: the JSON text of a number or boolean, and null for null.
 * @throws Fault invalid `request.inexact-number`
 */
export function toStoredValue(attributeName: string, value: ValueInput): string | null {
  if (value === null || typeof value === 'string') return value;
  // Parsing the body has already rounded such a number.
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Fault(
      'invalid',
      'request.inexact-number',
      `The value of ${quoted(attributeName)} is a number with too many digits. Send it as a string.`,
    );
  }
  return JSON.stringify(value);
}
