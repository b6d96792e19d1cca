import { useCallback, useEffect, useRef, useState } from 'react';
import type { Beginning } from '../drafts/begin-draft.ts';
import { type Draft, emptyContent, isOwn } from '../drafts/draft.ts';
import { listDrafts } from '../drafts/draft-store.ts';
import { OpenDraft } from '../drafts/open-draft.ts';
import { newUuid } from '../drafts/uuid.ts';

interface Continuing {
  /** Changes when another draft is meant. */
  readonly key: string;
  /** Name of the user whose drafts count. */
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
  const restart = useCallback(
    () => setOpened({ key, open: openDraft(newDraft(latest.current), false, restart) }),
    [key],
  );
  useEffect(() => {
    let isCurrent = true;
    void listDrafts()
      .catch(() => [])
      .then((drafts) => {
        if (!isCurrent) return;
        const stored = drafts.find((draft) => isOpenTo(draft, userName) && latest.current.isWanted(draft));
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

function isOpenTo(draft: Draft, userName: string): boolean {
  return !draft.submission && draft.discardedMs === undefined && isOwn(draft, userName);
}

function newDraft({ begin }: Continuing): Draft {
  const { purpose, content } = begin();
  return {
    id: newUuid(),
    purpose,
    content: { ...emptyContent, ...content },
    revision: newUuid(),
    modifiedMs: Date.now(),
    userName: null,
  };
}
