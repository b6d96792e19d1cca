import { useCallback, useEffect, useRef, useState } from 'react';
import { type Beginning, findBegunDraft, newDraft } from '../drafts/begin-draft.ts';
import type { Draft } from '../drafts/draft.ts';
import { OpenDraft } from '../drafts/open-draft.ts';

interface Continuing {
  /** Changes when another draft is meant. */
  readonly key: string;
  /** Name of the user whose drafts count. A new one is theirs, also when their session has ended. */
  readonly userName: string;
  readonly isWanted: (draft: Draft) => boolean;
  readonly begin: () => Beginning;
}

export interface ContinuedDraft {
  readonly open: OpenDraft;
  /** Replaces this draft by a new one. */
  readonly restart: () => void;
}

/** Opens the newest stored draft that is wanted, or begins one; undefined while it is looked for. */
export function useContinuedDraft(continuing: Continuing): ContinuedDraft | undefined {
  const { userName } = continuing;
  const key = `${userName} ${continuing.key}`;
  const [opened, setOpened] = useState<{ readonly key: string; readonly open: OpenDraft }>();
  const latest = useRef(continuing);
  latest.current = continuing;
  const restart = useCallback(() => {
    const draft = newDraft(latest.current.begin(), userName);
    setOpened({ key, open: openDraft(draft, false, restart) });
  }, [key, userName]);
  useEffect(() => {
    let isCurrent = true;
    void findBegunDraft(userName, (draft) => latest.current.isWanted(draft)).then((stored) => {
      if (!isCurrent) return;
      if (stored) setOpened({ key, open: openDraft(stored, true, restart) });
      else restart();
    });
    return () => {
      isCurrent = false;
    };
  }, [key, userName, restart]);
  return opened?.key === key ? { open: opened.open, restart } : undefined;
}

function openDraft(draft: Draft, isStored: boolean, onGone: () => void): OpenDraft {
  // A text that continues under another id stays where it is.
  return new OpenDraft(draft, isStored, () => undefined, onGone);
}
