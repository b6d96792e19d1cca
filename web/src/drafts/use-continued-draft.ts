import { useCallback, useEffect, useRef, useState } from 'react';
import { type Beginning, findBegunDraft, newDraft } from './begin-draft.ts';
import type { Draft } from './draft.ts';
import { OpenDraft } from './open-draft.ts';

interface Continuing {
  /** Changes when another draft is wanted. */
  readonly key: string;
  /**
   * Name of the user whose drafts count; null: no user is signed in; undefined: not known yet. A new draft is theirs,
   * even if their session has ended.
   */
  readonly userName: string | null | undefined;
  readonly isWanted: (draft: Draft) => boolean;
  /** Purpose and content of a new draft; undefined: not known yet. */
  readonly beginning: Beginning | undefined;
}

export interface ContinuedDraft {
  readonly open: OpenDraft;
  /** Whether the draft was stored before. */
  readonly isStored: boolean;
  /** Replaces this draft by a new one. */
  readonly restart: () => void;
}

/**
 * Opens the newest stored draft that is wanted, or begins one. Undefined while it is being looked up, or while the
 * content to begin with is not known.
 */
export function useContinuedDraft(continuing: Continuing): ContinuedDraft | undefined {
  const { key, userName, beginning } = continuing;
  const [opened, setOpened] = useState<Omit<ContinuedDraft, 'restart'> & { readonly key: string }>();
  const latest = useRef({ ...continuing });
  latest.current = { ...continuing, beginning: beginning ?? latest.current.beginning };
  const restart = useCallback(() => {
    const { beginning: begun, userName: author = null } = latest.current;
    if (begun) setOpened({ key, open: openDraft(newDraft(begun, author), false, restart), isStored: false });
  }, [key]);
  const isKnown = userName !== undefined;
  const hasBeginning = latest.current.beginning !== undefined;
  // A beginning that arrives later starts a new search and ends this one: two searches would open two drafts.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above; a user who signs in continues with the text
  useEffect(() => {
    const { userName: author, isWanted } = latest.current;
    if (author === undefined) return undefined;
    let isCurrent = true;
    void findBegunDraft(author, isWanted).then((stored) => {
      if (!isCurrent) return;
      if (stored) setOpened({ key, open: openDraft(stored, true, restart), isStored: true });
      else restart();
    });
    return () => {
      isCurrent = false;
    };
  }, [key, isKnown, hasBeginning, restart]);
  return opened?.key === key ? { open: opened.open, isStored: opened.isStored, restart } : undefined;
}

function openDraft(draft: Draft, isStored: boolean, onGone: () => void): OpenDraft {
  // A text that continues under another id stays on the same page.
  return new OpenDraft(draft, isStored, () => undefined, onGone);
}
