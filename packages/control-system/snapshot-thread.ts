import { parentPort, workerData } from 'node:worker_threads';
import type { SnapshotPart } from './parse-snapshot.js';
import { readSnapshotItems } from './snapshot-items.js';

/**
 * Maximum number of devices in a message. `maxElements` is the maximum number of elements of their values. Reading such
 * a message takes a few milliseconds.
 */
const maxItems = 500;
const maxElements = 20_000;

const send = (part: SnapshotPart) => parentPort?.postMessage(part);

const items = readSnapshotItems(workerData as string);
if ('missing' in items) {
  send(items);
} else {
  let part: (typeof items)[number][] = [];
  let elements = 0;
  for (const item of items) {
    part.push(item);
    if ('value' in item.saved && Array.isArray(item.saved.value)) elements += item.saved.value.length;
    if (part.length < maxItems && elements < maxElements) continue;
    send(part);
    part = [];
    elements = 0;
  }
  send(part);
}
