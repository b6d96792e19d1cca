import { nextRound } from '../kernel/time-slice.js';
import type {
  DeadLetter,
  DeferredDelivery,
  StoredDeadLetter,
  StoredDeferredDelivery,
  SubscriberState,
} from '../notifications/subscribers/subscriber-store.port.js';
import { type DocumentDamageReports, type DocumentRow, parseIntact } from './stored-document.js';

/** Encoding of subscriber data, the same in every engine. */

export interface StateRow extends DocumentRow {
  readonly name: string;
  readonly sequence: number;
}

export interface DeadLetterRow extends DocumentRow {
  readonly id: number;
  readonly retry_requested: number;
}

export interface DeferredRow extends DocumentRow {
  readonly id: number;
}

/** Number of rows read at a time while looking for an intact one; other work runs between the batches. */
const batchSize = 100;

/**
 * Decodes the state of a subscriber. If it is damaged, deliveries continue from the position: one may be repeated, none
 * is lost.
 */
export function toState(reports: DocumentDamageReports, row: StateRow): SubscriberState {
  const { name, sequence } = row;
  const lastError = 'The stored state was damaged; deliveries continue from the last position.';
  const empty = { name, sequence, sinceMs: 0, lastSuccessMs: null, lastErrorMs: null, lastError, pending: null };
  return parseIntact<SubscriberState>(reports, `subscriber ${name}`, row) ?? empty;
}

export function encodeDeadLetter({ deliveryId, recipient, changes, attempts, reason, atMs }: DeadLetter): string {
  return JSON.stringify({ deliveryId, recipient, changes, attempts, reason, atMs });
}

/** Decodes a dead letter; undefined if it is damaged. */
export function toDeadLetter(reports: DocumentDamageReports, row: DeadLetterRow): StoredDeadLetter | undefined {
  const { id, retry_requested: retryRequested } = row;
  const deadLetter = parseIntact<Omit<DeadLetter, 'retryRequested'>>(reports, `dead letter ${id}`, row);
  return deadLetter && { ...deadLetter, id, retryRequested: retryRequested === 1 };
}

/**
 * Returns the first intact row. Damaged rows must not block the deliveries behind them; each is read only once.
 * @param damaged ids of rows known to be damaged; newly found ones are added
 * @param list lists the next rows except the known damaged ones
 */
export async function firstIntact<Row extends { readonly id: number }, T>(
  damaged: Set<number>,
  list: (known: readonly number[], limit: number) => readonly Row[] | Promise<readonly Row[]>,
  parse: (row: Row) => T | undefined,
): Promise<T | undefined> {
  for (let limit = 1; ; limit = batchSize) {
    const rows = await list([...damaged], limit);
    for (const row of rows) {
      const found = parse(row);
      if (found) return found;
      damaged.add(row.id);
    }
    if (rows.length < limit) return undefined;
    await nextRound();
  }
}

export function encodeDeferred(deferred: DeferredDelivery): string {
  const { deliveryId, recipient, changes, attempts, failingSinceMs, nextAttemptMs, reason } = deferred;
  return JSON.stringify({ deliveryId, recipient, changes, attempts, failingSinceMs, nextAttemptMs, reason });
}

/** Decodes a deferred delivery; undefined if it is damaged. */
export function toDeferred(reports: DocumentDamageReports, row: DeferredRow): StoredDeferredDelivery | undefined {
  const deferred = parseIntact<DeferredDelivery>(reports, `deferred delivery ${row.id}`, row);
  return deferred && { ...deferred, id: row.id };
}
