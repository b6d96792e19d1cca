import { Fault } from '../../../kernel/fault.js';
import { diskFull, storageUnavailable } from '../../../kernel/storage-faults.js';

/** Error of the driver. `code` is a five-character SQLSTATE from the server, or a code of the operating system. */
interface DriverError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

const asDriverError = (error: unknown): DriverError => error as DriverError;

/** `serialization_failure` and `deadlock_detected`: the transaction can be repeated, and may then succeed. */
const conflicts: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);

/** `read_only_sql_transaction`, and what the server sends before it closes connections. */
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

/** True when the transaction has failed only because of others at the same time. */
export function isConflict(error: unknown): boolean {
  return conflicts.has(asDriverError(error).code);
}

/** True when something was in use by others for longer than the statement was to wait. */
export function isLockTimeout(error: unknown): boolean {
  return asDriverError(error).code === lockTimeoutCode;
}

/** True when the connection cannot be used any longer, or its server takes no writes. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message, severity } = asDriverError(error);
  if (endsOfConnections.has(code) || code?.startsWith('08')) return true;
  // No answer from the server: the driver has closed the connection, or gave up waiting.
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

/** Turns an error of the driver into a Fault, except a violation of uniqueness, which the caller has to explain. */
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
    'The connection to the database was lost while the request was being stored, and the database could not be asked since. Check whether it has taken effect before you repeat it; with the same Idempotency-Key it can be repeated safely.',
    { cause },
  );
}
