import { dropEntryKeys, forgetEntryKeys, giveKeysToEntry } from './held-keys.ts';

/** Id of the entry that the address asks for. */
let asked = entryIdIn(location.pathname);
/** Id of the entry that is shown with its actions, or that could not be loaded. */
let settled: string | undefined;

/** Returns the id of the entry that the path opens. */
function entryIdIn(path: string): string | undefined {
  return /^\/entries\/([^/]+)\/?$/.exec(path)?.[1];
}

/** Makes the keys of an entry wait for the one that the path opens. Returns false if they already wait for it. */
export function awaitEntryOf(path: string): boolean {
  const id = entryIdIn(path);
  if (id === asked && isEntryAwaited()) return false;
  asked = id;
  forgetEntryKeys();
  return true;
}

/** Whether the address asks for an entry that has not settled yet. */
export function isEntryAwaited(): boolean {
  return asked !== undefined && asked !== settled;
}

/** Presses the waiting keys if the entry is shown, or drops them. Returns a function that makes keys wait again. */
export function settleEntry(id = asked, isShown = false): () => void {
  const isDue = isEntryAwaited() && id === asked;
  settled = id;
  if (isDue && isShown) giveKeysToEntry();
  else if (isDue) dropEntryKeys();
  return () => {
    settled = undefined;
  };
}
