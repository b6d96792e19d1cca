import type { Draft } from './draft.ts';

/**
 * Prefix of the keys under which local storage holds the newest change of each draft. The journal is written
 * immediately, even while a page ends, when the database can no longer be written. Changes that the database has are
 * removed from the journal.
 */
const prefix = 'logbook.journal.';

/**
 * Maximum length of a change that is written with every key: a longer one would delay typing, and reaches the database
 * a moment later.
 */
const maxPromptLength = 20_000;

/** Returns whether the change was written: the storage may be full, or switched off. */
export function writeJournal(draft: Draft): boolean {
  try {
    localStorage.setItem(prefix + draft.id, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** Writes the change as it is typed, unless it is too long for that. */
export function writeJournalPromptly(draft: Draft): void {
  if (draft.content.text.length < maxPromptLength) writeJournal(draft);
}

export function readJournal(id: string): Draft | undefined {
  try {
    const text = localStorage.getItem(prefix + id);
    return text === null ? undefined : (JSON.parse(text) as Draft);
  } catch {
    return undefined;
  }
}

export function journaledDrafts(): Draft[] {
  try {
    const ids = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    return ids.map((key) => readJournal(key.slice(prefix.length))).filter((draft) => draft !== undefined);
  } catch {
    return [];
  }
}

/** Removes the state from this time or earlier, which the database has stored. */
export function removeFromJournal(id: string, storedMs = Number.POSITIVE_INFINITY): void {
  const journaled = readJournal(id);
  if (!journaled || journaled.modifiedMs > storedMs) return;
  try {
    localStorage.removeItem(prefix + id);
  } catch {
    // A journal that stays is older than the database, and is ignored.
  }
}
