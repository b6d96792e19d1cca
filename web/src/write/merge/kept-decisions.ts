import type { Decisions } from './merge-content.ts';

/** What was decided about the conflicts of a draft, for as long as its tab: a reload loses nothing that was written there. */
const prefix = 'logbook.merge.';

export function readDecisions(draftId: string): Decisions {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + draftId) ?? '{}') as Decisions;
  } catch {
    return {};
  }
}

export function keepDecisions(draftId: string, decisions: Decisions): void {
  try {
    sessionStorage.setItem(prefix + draftId, JSON.stringify(decisions));
  } catch {
    // The page still has them.
  }
}
