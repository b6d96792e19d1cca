import { crc32 } from 'node:zlib';
import type { Row } from './backup-tables.js';

/**
 * Encodes a row as a line of a piece: the CRC-32 of its JSON in hex, a space, the JSON. The SHA-256 of the piece shows
 * that some row was altered; the CRC-32 shows which one.
 */
export function encodeRow(row: Row): string {
  const json = JSON.stringify(row);
  return `${crcOf(json)} ${json}\n`;
}

/** Decodes a line; undefined when it is damaged. */
export function decodeRow(line: string): Row | undefined {
  const json = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== crcOf(json)) return undefined;
  try {
    const row: unknown = JSON.parse(json);
    return Array.isArray(row) ? (row as Row) : undefined;
  } catch {
    return undefined;
  }
}

function crcOf(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}
