import type { Statements } from '../database/connection.js';

const newestInOrder = 'FROM entry WHERE in_order = 1 AND created_ms <= ? ORDER BY created_ms DESC, id DESC LIMIT 1';

/**
 * Returns whether the ids of the entries in date order still ascend with this entry included. Its id may be lower than
 * those of stored entries if it was imported or stored by another node.
 */
export function isInOrder(connection: Pick<Statements, 'get'>, id: number, createdMs: number): boolean {
  const before = connection.get<{ id: number }>(`SELECT id ${newestInOrder}`, createdMs);
  const after = connection.get<{ id: number }>(
    'SELECT id FROM entry WHERE in_order = 1 AND created_ms > ? ORDER BY created_ms, id LIMIT 1',
    createdMs,
  );
  return (before?.id ?? -1) < id && id < (after?.id ?? Number.MAX_SAFE_INTEGER);
}

/** Records a backdated entry with its `place`: the id of the entry in order that precedes it by date; 0 for none. */
export function recordBackdated(connection: Pick<Statements, 'get' | 'run'>, id: number, createdMs: number): void {
  const place = connection.get<{ id: number }>(`SELECT id ${newestInOrder}`, createdMs)?.id ?? 0;
  connection.run('INSERT INTO backdated_entry (id, created_ms, place) VALUES (?, ?, ?)', id, createdMs, place);
}
