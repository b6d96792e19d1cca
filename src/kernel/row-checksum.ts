import { crc32 } from 'node:zlib';

/**
 * Computes the checksum of the values of a row: the CRC-32 of their texts in UTF-8, one per line. Flags are 0 or 1.
 * Null is an empty line, or “null” if it is the only value.
 */
export function rowChecksum(values: readonly (string | number | null)[]): number {
  return crc32(values.length === 1 ? String(values[0]) : values.map((value) => value ?? '').join('\n'));
}
