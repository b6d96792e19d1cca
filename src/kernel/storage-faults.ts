import { Fault } from './fault.js';

/** Returns the Fault of a write that a full disk prevents. */
export function diskFull(cause?: unknown): Fault {
  return new Fault(
    'full',
    'storage.full',
    'The disk of the logbook is full; nothing was stored. Free some space and try again.',
    { cause },
  );
}

/** Turns an error of the file system into a Fault; returns other errors unchanged. */
export function fileSystemFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(error);
  return syscall === undefined ? error : storageUnavailable(error);
}

/** Returns the Fault of a storage engine that fails for any other reason. */
export function storageUnavailable(cause: unknown): Fault {
  return new Fault(
    'unavailable',
    'storage.unavailable',
    'The storage is unavailable; nothing was stored. The log of the service has the reason. Try again later.',
    { cause },
  );
}
