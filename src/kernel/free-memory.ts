import { MessageChannel } from 'node:worker_threads';

/** Closed port: data transferred through it is dropped. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees the memory of a buffer that nothing uses any more; its length is 0 then. It would be freed by a collection of
 * the whole heap otherwise, and every 64 MB in buffers cause one.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  nowhere.postMessage(undefined, [buffer as ArrayBuffer]);
}
