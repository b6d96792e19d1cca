import { useSyncExternalStore } from 'react';
import type { Entry } from '../api/types.ts';
import type { Draft } from './draft.ts';
import { rememberLogbooks } from './last-logbooks.ts';

export interface SentEntry {
  readonly draftId: string;
  readonly entry: Entry;
  readonly kind: Draft['purpose']['kind'];
}

/** Time for which an entry is marked as just sent. */
const markMs = 60_000;

const listeners = new Set<(sent: SentEntry) => void>();
const markListeners = new Set<() => void>();
let marked: ReadonlySet<number> = new Set();

/** Calls the listener with each entry that this tab has sent. */
export function onSent(listener: (sent: SentEntry) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announceSent(sent: SentEntry): void {
  if (sent.kind !== 'edit') mark(sent.entry.id);
  if (sent.kind === 'new') rememberLogbooks(sent.entry.logbooks.map(({ name }) => name));
  for (const listener of listeners) listener(sent);
}

/** The new entries and replies that this tab has sent within the last minute. */
export function useJustSent(): ReadonlySet<number> {
  return useSyncExternalStore(
    (listener) => {
      markListeners.add(listener);
      return () => markListeners.delete(listener);
    },
    () => marked,
  );
}

function mark(id: number): void {
  setMarked(new Set([...marked, id]));
  setTimeout(() => setMarked(new Set([...marked].filter((other) => other !== id))), markMs);
}

function setMarked(next: ReadonlySet<number>): void {
  marked = next;
  for (const listener of markListeners) listener();
}
