import type { FeedItem } from '../entries/change-feed.port.js';

/** Returns the age of the oldest waiting change; 0 if there is none, or if it is damaged and will be skipped. */
export function ageOfChange(next: FeedItem | undefined, nowMs: number): number {
  return next === undefined || next.kind === 'damaged' ? 0 : Math.max(0, nowMs - next.atMs);
}
