import type { Draft } from './draft.ts';

/** Drafts that the browser did not keep, because its storage is full or switched off: they last as long as the page. */
export const heldDrafts = new Map<string, Draft>();

/** Bytes of files, likewise; under the ids of the draft and of the file. */
export const heldFiles = new Map<string, Blob>();

/** Asks before the page is left as long as it alone has something that was written. */
export function guardHeldDrafts(): void {
  addEventListener('beforeunload', (event) => {
    const isOnlyHere = [...heldDrafts.values()].some(isMissingElsewhere);
    if (isOnlyHere) event.preventDefault();
  });
}

function isMissingElsewhere({ submission, discardedMs, server, revision }: Draft): boolean {
  return discardedMs === undefined && (submission !== undefined || server?.revision !== revision);
}
