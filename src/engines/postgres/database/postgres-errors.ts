import { Fault } from '../../../kernel/fault.js';
import { diskFull, storageUnavailable } from '../../../kernel/storage-faults.js';

/**
 * Error of the driver. `code` is a five-character SQLSTATE from the server, or an error code of the operating system.
 */
interface DriverError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

const asDriverError = (error: unknown): DriverError => error as DriverError;

/** `serialization_failure` and `deadlock_detected`: the transaction may succeed when repeated. */
const conflicts: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);

/** `read_only_sql_transaction`, and the codes that the server sends before it closes connections. */
const endsOfConnections: ReadonlySet<string | undefined> = new Set([
  '25006',
  '25P03',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
]);

const lockTimeoutCode = '55P03';
const diskFullCode = '53100';
const uniqueViolation = '23505';

/** Whether the transaction failed only because of concurrent transactions. */
export function isConflict(error: unknown): boolean {
  return conflicts.has(asDriverError(error).code);
}

/** Whether the statement waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return asDriverError(error).code === lockTimeoutCode;
}

/** Whether the connection is unusable, or its server is not the primary. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message, severity } = asDriverError(error);
  if (endsOfConnections.has(code) || code?.startsWith('08')) return true;
  // The server did not answer: the driver closed the connection or gave up waiting.
  return (
    severity === undefined && (isSystemError(code) || /^(Connection|Client|Query read timeout|timeout)/i.test(message))
  );
}

function isSystemError(code: string | undefined): boolean {
  return code !== undefined && /^E[A-Z]{3,}/.test(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return asDriverError(error).code === uniqueViolation;
}

/** Turns an error of the driver into a Fault, except a uniqueness violation, which the caller must explain. */
export function toFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code, severity } = asDriverError(error);
  if (code === diskFullCode) return diskFull(error);
  if (isUniqueViolation(error)) return error;
  return severity !== undefined || isConnectionLost(error) ? storageUnavailable(error) : error;
}

export function outcomeUnknown(cause: unknown): Fault {
  return new Fault(
    'unavailable',
    'storage.outcome-unknown',
    'The connection to the database was lost while the request was being stored, so it is unknown whether the request took effect. Check before you repeat it. With the same Idempotency-Key, you can repeat it safely.',
    { cause },
  );
}
