import type { Decisions } from './merge-content.ts';

/**
 * Prefix of the keys that store the decisions about a draft's conflicts for the lifetime of the tab, so that a reload
 * keeps them.
 */
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
