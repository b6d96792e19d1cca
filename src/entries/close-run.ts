import type { Principal } from '../auth/principal.js';
import { findRun, type RunDeps } from './append-block.js';
import { isClosed } from './entry.js';
import type { StoredEntry } from './entry-json.js';
import { lostBlocks, runClosed } from './run-faults.js';

export interface CloseRun {
  readonly entryId: number;
  readonly author: Principal;
  readonly status: 'done' | 'failed';
  /** Number of blocks that the author sent; undefined: not checked. */
  readonly blocks: number | undefined;
  /** Whether connected clients are notified. */
  readonly notify: boolean;
}

/**
 * Closes a run by an edit, which archives the entry as it was during the run. Closing it again with the same status
 * changes nothing.
 * @throws Fault missing `entry.not-found`; conflict `run.…`; forbidden `auth.…`
 */
export async function closeRun(deps: Omit<RunDeps, 'blobs' | 'texts'>, request: CloseRun): Promise<StoredEntry> {
  const { entryId, author, status, blocks, notify } = request;
  const closed = await deps.storage.write(async (tx) => {
    const { stored, run } = await findRun(tx, deps, request);
    const isLacking = blocks !== undefined && blocks > run.blocks;
    if (run.status === status && !isLacking) return stored;
    if (isClosed(run)) throw runClosed(entryId, run);
    if (isLacking) throw lostBlocks(entryId, run, blocks);
    const atMs = deps.clock.nowMs();
    const edited = await tx.entries.edit({
      ...stored.entry,
      run: { ...run, status, changedDate: atMs },
      modifyDate: atMs,
      modifiedBy: author.userName,
    });
    await tx.feed.append({ kind: 'edited', entryId, revision: edited.revision, notify, atMs });
    return edited;
  });
  deps.growingRuns.forget(entryId);
  return closed;
}
