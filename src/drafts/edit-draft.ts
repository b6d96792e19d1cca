import type { AccountKey } from '../auth/accounts.js';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { type Draft, type DraftSummary, draftLimits, draftNotFound, titleOf, tooMany } from './draft.js';
import type { DraftStorage } from './draft-storage.js';

export interface EditDraftDeps {
  readonly storage: DraftStorage;
  readonly clock: Clock;
}

/** Returns whether the client expects this revision; undefined: there is no draft. */
export type RevisionCheck = (revision: string | undefined) => boolean;

/**
 * Stores the content of a new or existing draft.
 * @throws Fault conflict `draft.too-many-drafts`
 * @throws DraftMismatch
 */
export async function putDraft(
  { storage, clock }: EditDraftDeps,
  owner: AccountKey,
  { id, content }: { readonly id: string; readonly content: unknown },
  expects: RevisionCheck,
): Promise<DraftSummary> {
  const json = Buffer.from(JSON.stringify(content));
  const title = titleOf(content);
  return storage.write(async (tx) => {
    const stored = await tx.drafts.findRevision(owner, id);
    if (!expects(stored)) throw new DraftMismatch(await tx.drafts.find(owner, id));
    if (stored === undefined && (await tx.drafts.measure(owner)).drafts >= draftLimits.drafts) throw tooMany('drafts');
    return tx.drafts.put(owner, { id, json, title, modifiedMs: clock.nowMs() });
  });
}

/**
 * Removes a draft with its files.
 * @throws Fault missing `draft.not-found`
 * @throws DraftMismatch
 */
export async function removeDraft(
  { storage }: EditDraftDeps,
  owner: AccountKey,
  id: string,
  expects: RevisionCheck,
): Promise<void> {
  await storage.write(async (tx) => {
    const stored = await tx.drafts.findRevision(owner, id);
    if (stored === undefined) throw draftNotFound(id);
    if (!expects(stored)) throw new DraftMismatch(await tx.drafts.find(owner, id));
    await tx.drafts.remove(owner, id);
  });
}

/** The fault of a change that is based on an outdated revision: stale `draft.revision-mismatch`. */
export class DraftMismatch extends Fault {
  /** @param current undefined: there is no such draft */
  constructor(readonly current: Draft | undefined) {
    super(
      'stale',
      'draft.revision-mismatch',
      current
        ? 'The draft has changed since you read it. Apply your change to the current content, which is under “current”.'
        : 'This draft no longer exists: it was submitted or deleted. Send it without If-Match to store it again.',
      { details: { current: current ? JSON.parse(Buffer.from(current.json).toString()) : null } },
    );
  }
}
