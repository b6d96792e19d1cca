import { MessageChannel } from 'node:worker_threads';

/** Closed port: data transferred through it is dropped. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees the memory of a buffer that is no longer used; its length is 0 afterwards. Otherwise, every 64 MB in buffers
 * cause a collection of the whole heap.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  nowhere.postMessage(undefined, [buffer as ArrayBuffer]);
}
