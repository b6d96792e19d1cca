import { Fault } from '../kernel/fault.js';

/** Whether the error says that stored data cannot be read. */
export function isDamage(error: unknown): error is Fault {
  return error instanceof Fault && error.code === 'storage.damaged';
}

/** Returns the result of `read`; `damaged` when the stored data cannot be read. */
export async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | 'damaged'> {
  try {
    return await read();
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}
