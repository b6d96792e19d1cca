import { queryClient } from '../api/query-client.ts';
import { meQuery } from '../session/me.ts';
import type { OpenDraft } from './open-draft.ts';
import { addLate, queueDraft } from './outbox.ts';

/**
 * Puts the draft into the outbox, which holds it for a moment. What cannot be sent stays a draft.
 * @throws Error when the draft could not be queued
 */
export async function sendDraft(open: OpenDraft): Promise<void> {
  await queueOpen(open, (id) => queueDraft(id, queryClient.getQueryData(meQuery.queryKey)?.userName ?? undefined));
}

/**
 * Stores the draft, then calls `queue`. Text typed before its page closes is added to it.
 * @throws Error when the draft could not be queued; it then stays open
 */
export async function queueOpen(open: OpenDraft, queue: (id: string) => Promise<void>): Promise<void> {
  await open.store();
  const { id } = open.draft;
  open.close((late) => void addLate(late));
  try {
    await queue(id);
  } catch (error) {
    open.reopen();
    throw error;
  }
}
