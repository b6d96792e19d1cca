import type { BackupHeader } from './manifest-line.js';
import type { TablePiece } from './table-piece-writer.js';

/** Current names of tables, by their names in backups of the format 1. */
const tables: Readonly<Record<string, string>> = {
  follower: 'subscriber',
  dropped_letters: 'dropped_deliveries',
  unread_file: 'pending_text_extraction',
  repeatable_write: 'idempotency_key',
};
const columns: Readonly<Record<string, string>> = { follower: 'subscriber', again: 'retry_requested' };

const rename = (names: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(names, name) ? String(names[name]) : name;

/** Replaces former names of tables and columns in the header of a backup with the current ones. */
export function renameColumns(header: BackupHeader): BackupHeader {
  if (header.format > 1) return header;
  const renamed = Object.entries(header.tables).map(([table, stored]) => [
    rename(tables, table),
    stored.map((column) => rename(columns, column)),
  ]);
  return { ...header, tables: Object.fromEntries(renamed) };
}

export function renameTable(piece: TablePiece, { format }: BackupHeader): TablePiece {
  return format > 1 ? piece : { ...piece, table: rename(tables, piece.table) };
}
