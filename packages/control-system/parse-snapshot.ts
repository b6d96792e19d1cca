import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { readSnapshotItems } from './snapshot-items.js';
import type { Missing, SavedItem } from './sources.port.js';

/** Maximum length of a snapshot that is parsed in the calling thread, which is faster than starting another one. */
const maxParsedHere = 131_072;
const threadFile = new URL('./snapshot-thread.js', import.meta.url);
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/** Message of the thread with some of the devices, or the reason why there are none. */
export type SnapshotPart = readonly SavedItem[] | Missing;

/** Settles when the last large snapshot has been parsed. Only one has a thread, because each takes much memory. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Parses a snapshot. A large one is parsed in a separate thread and received in parts, so that nothing else has to
 * wait.
 * @throws Error when the text is not JSON
 */
export async function parseSnapshot(text: string, signal: AbortSignal): Promise<readonly SavedItem[] | Missing> {
  if (text.length <= maxParsedHere) return readSnapshotItems(text);
  const parsing = last.then(() => parseInThread(text, signal));
  last = parsing.catch(() => undefined);
  return parsing;
}

async function parseInThread(text: string, signal: AbortSignal): Promise<readonly SavedItem[] | Missing> {
  signal.throwIfAborted();
  const thread = new Worker(threadFile, { workerData: text, resourceLimits });
  const items: SavedItem[] = [];
  let missing: Missing | undefined;
  thread.on('message', (part: SnapshotPart) => {
    if ('missing' in part) missing = part;
    else items.push(...part);
  });
  try {
    const [code] = await once(thread, 'exit', { signal });
    if (code !== 0) throw new Error('the snapshot could not be parsed');
  } finally {
    await thread.terminate();
  }
  return missing ?? items;
}
