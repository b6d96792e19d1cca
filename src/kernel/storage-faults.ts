import { Fault } from './fault.js';

/** The Fault of every write that a full disk prevents. */
export function diskFull(cause?: unknown): Fault {
  return new Fault(
    'full',
    'storage.full',
    'The disk of the logbook is full; nothing was stored. Free some space and try again.',
    { cause },
  );
}

/** The Fault of a storage engine that fails for any other reason. */
export function storageUnavailable(cause: unknown): Fault {
  return new Fault(
    'unavailable',
    'storage.unavailable',
    'The storage is unavailable; nothing was stored. The log of the service has the reason. Try again later.',
    { cause },
  );
}
