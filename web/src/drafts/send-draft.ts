import { queryClient } from '../api/query-client.ts';
import { meQuery } from '../session/me.ts';
import type { OpenDraft } from './open-draft.ts';
import { queueDraft } from './outbox.ts';

/**
 * Puts the draft into the outbox, which holds it for a moment. What cannot be sent stays a draft.
 * @throws Error when the draft could not be queued
 */
export async function sendDraft(open: OpenDraft): Promise<void> {
  await open.store();
  const { id } = open.draft;
  open.close();
  try {
    await queueDraft(id, queryClient.getQueryData(meQuery.queryKey)?.userName ?? undefined);
  } catch (error) {
    open.reopen();
    throw error;
  }
}
