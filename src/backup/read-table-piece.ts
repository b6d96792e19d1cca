import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Row } from './backup-tables.js';
import type { BackupTarget } from './backup-target.port.js';
import { decodeRow } from './row-lines.js';
import type { TablePiece } from './table-piece-writer.js';

/** Maximum size of a piece: the maximum length of a string in V8. */
const maxPieceBytes = 536_870_000;

/** The intact content of a piece. */
export interface ReadTablePiece {
  readonly rows: readonly Row[];
  /** Damaged lines, each with the rows before and after it. */
  readonly damaged: readonly {
    readonly after: Row | undefined;
    readonly before: Row | undefined;
    readonly text: string;
  }[];
  /** Whether the whole piece is as it was stored. */
  readonly isIntact: boolean;
}

/** Reads a piece; undefined when it is missing. */
export async function readTablePiece(target: BackupTarget, piece: TablePiece): Promise<ReadTablePiece | undefined> {
  const stream = await target.open('pool', piece.checksum);
  if (!stream) return undefined;
  const content = await readAtMost(stream, Math.min(piece.size, maxPieceBytes));
  const isIntact = createHash('sha256').update(content).digest('hex') === piece.checksum;
  const lines = content.toString('utf8').split('\n');
  lines.pop();
  const decoded = lines.map((line) => decodeRow(line));
  const damaged = lines.flatMap((text, at) =>
    decoded[at] ? [] : [{ text, after: decoded[at - 1], before: decoded[at + 1] }],
  );
  return { rows: decoded.filter((row) => row !== undefined), damaged, isIntact };
}

/** Reads the stream, at most one byte more than expected: the additional byte shows that it is too long. */
async function readAtMost(stream: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let left = bytes + 1;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) break;
  }
  return Buffer.concat(chunks);
}

/** Returns a function that converts rows of a backup to the columns of this version of the program. */
export function columnMapper(stored: readonly string[], wanted: readonly string[]): (row: Row) => Row {
  if (stored.length === wanted.length && stored.every((column, at) => column === wanted[at])) return (row) => row;
  const positions = wanted.map((column) => stored.indexOf(column));
  return (row) => positions.map((at) => row[at] ?? null);
}
