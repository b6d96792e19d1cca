import { Fault } from '../kernel/fault.js';

/** Returns what `read` returns; `damaged` when the stored data cannot be read. */
export async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | 'damaged'> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Fault && error.code === 'storage.damaged') return 'damaged';
    throw error;
  }
}
