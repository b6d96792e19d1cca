import type { Draft } from './draft.ts';

/** Message to the other tabs: this draft was stored, here or on the server, or it is gone. */
export interface DraftNews {
  readonly id: string;
  /** Undefined: it was sent or discarded. */
  readonly revision: string | undefined;
  /** The copy on the server that has just been stored. */
  readonly server?: Draft['server'];
}

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('logbook.drafts') : undefined;
const listeners = new Set<(news: DraftNews) => void>();

channel?.addEventListener('message', ({ data }) => {
  for (const listener of listeners) listener(data as DraftNews);
});

/** Notifies the other tabs, and the lists of this one. */
export function announceDraft(news: DraftNews): void {
  channel?.postMessage(news);
  for (const listener of listeners) listener(news);
}

export function watchDrafts(listener: (news: DraftNews) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
