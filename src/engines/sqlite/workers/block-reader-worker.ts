import { workerData } from 'node:worker_threads';
import { type EntryBlock, readBlock } from '../search/index/entry-block.js';
import type { FrequentWordTable } from '../search/index/frequent-words.js';
import type { BlockAnswer, BlockReaderSettings, BlockRequest } from './block-readers.js';
import { checkStop, lowerPriority, openDocuments } from './worker-thread.js';

/** Same priority as the indexing thread. */
const niceness = 15;

const { port, discarded, progress } = workerData as BlockReaderSettings;
lowerPriority(niceness);
Atomics.add(progress, 0, 1);
const opened = openDocuments('reader');
// The rejection is handled when a block is read. Without this handler, it would end the thread in the meantime.
opened.catch(() => undefined);
let frequentWords: FrequentWordTable = new Map();
port.on('message', (request: BlockRequest) => void handle(request));

async function handle(request: BlockRequest): Promise<void> {
  if (request.kind === 'end') {
    (await opened.catch(() => undefined))?.close();
    port.postMessage({ kind: 'ended' } satisfies BlockAnswer);
    port.close();
    return;
  }
  frequentWords = request.frequentWords ?? frequentWords;
  const checkNeeded = () => {
    checkStop();
    Atomics.add(progress, 0, 1);
    if (Atomics.load(discarded, 0) >= request.number) throw new Error('the block is no longer needed');
  };
  let block: EntryBlock | undefined;
  try {
    block = readBlock(await opened, { ...request.range, frequentWords }, checkNeeded);
  } catch {
    // The requesting thread reads the block itself and reports the error.
  }
  const { lists, terms } = block ?? {};
  const buffers =
    lists && terms ? [lists.buffer, terms.pairs.buffer as ArrayBuffer, terms.kinds.buffer as ArrayBuffer] : [];
  port.postMessage({ kind: 'read', block } satisfies BlockAnswer, buffers);
}
