import { isWorthKeeping } from './draft.ts';
import { announceDraft } from './draft-channel.ts';
import { changeStored, removeDraft } from './draft-store.ts';
import { deleteServerDraft } from './server-drafts.ts';

/**
 * Removes an emptied draft, here and on the server. Returns false if there is none, or if another tab has written
 * something into it.
 */
export async function removeEmptied(id: string): Promise<boolean> {
  const emptied = await changeStored(id, (draft) =>
    draft.submission || isWorthKeeping(draft) ? undefined : { ...draft, discardedMs: Date.now() },
  );
  if (!emptied) return false;
  try {
    if (emptied.server) await deleteServerDraft(id);
    await removeDraft(id, ({ discardedMs }) => discardedMs !== undefined);
  } catch {
    // The service is unreachable: the draft is removed later, like a discarded one.
  }
  announceDraft({ id, revision: undefined });
  return true;
}
