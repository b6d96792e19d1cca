import type { StoredFile } from '../attachments/attach-uploads.js';
import type { AccountKey } from '../auth/accounts.js';
import { Fault, quoted } from '../kernel/fault.js';
import { draftNotFound } from './draft.js';
import type { DraftTransaction } from './draft-storage.js';

/**
 * Removes a draft that is being submitted, and returns its files. The same transaction must attach them, because
 * nothing else refers to them after its commit.
 * @throws Fault missing `draft.not-found`; conflict `draft.file-incomplete`
 */
export async function claimDraft(
  { drafts }: Pick<DraftTransaction, 'drafts'>,
  owner: AccountKey,
  draftId: string,
): Promise<StoredFile[]> {
  const files = await drafts.listFiles(owner, draftId);
  const claimed = files.map(({ id, filename, fileMetadataDescription, size, received, complete }): StoredFile => {
    if (complete) return { id, filename, fileMetadataDescription, size, ...complete };
    throw new Fault(
      'conflict',
      'draft.file-incomplete',
      `Only ${received} of ${size} bytes of the draft file ${quoted(filename)} have arrived. Send the rest, or delete the file.`,
    );
  });
  if (!(await drafts.remove(owner, draftId))) throw draftNotFound(draftId);
  return claimed;
}
