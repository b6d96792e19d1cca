import type { Draft } from './draft.ts';

/** Drafts that the browser did not keep, because its storage is full or switched off: they last as long as the page. */
export const heldDrafts = new Map<string, Draft>();

let isGuarded = false;

/** Keeps a draft in the page. As long as it is stored nowhere else, the browser asks before the page is left. */
export function holdDraft(draft: Draft): void {
  heldDrafts.set(draft.id, draft);
  if (!isGuarded) addEventListener('beforeunload', askBeforeLoss);
  isGuarded = true;
}

/** Bytes of files that the browser did not keep, by the ids of the draft and the file. */
export const heldFiles = new Map<string, Blob>();

function askBeforeLoss(event: BeforeUnloadEvent): void {
  if ([...heldDrafts.values()].some(isMissingElsewhere)) event.preventDefault();
}

function isMissingElsewhere({ submission, discardedMs, server, revision }: Draft): boolean {
  return discardedMs === undefined && (submission !== undefined || server?.revision !== revision);
}
