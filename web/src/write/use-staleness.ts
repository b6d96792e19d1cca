import { useEffect, useRef, useState } from 'react';
import type { Entry } from '../api/types.ts';
import { type Draft, type EditBase, isSameContent } from '../drafts/draft.ts';
import { fetchBase } from '../drafts/entry-requests.ts';
import { useLive, useLiveState } from '../live/live-connection.ts';

/** The version that someone else has stored. */
export interface Theirs extends EditBase {
  readonly by: string;
  readonly atMs: number;
}

export interface Staleness {
  /** Undefined: the current version is edited. */
  readonly theirs: Theirs | undefined;
  readonly isMerging: boolean;
  readonly merge: () => void;
  readonly leave: () => void;
  /** Asks the service whether someone else has changed the entry. */
  readonly check: () => Promise<boolean>;
}

/** Warns, while an entry is being edited, that someone else has changed it. */
export function useStaleness({ purpose }: Draft): Staleness {
  const [theirs, setTheirs] = useState<Theirs>();
  const [isMerging, setMerging] = useState(false);
  const base = purpose.kind === 'edit' ? purpose.base : undefined;
  const check = async (): Promise<boolean> => {
    if (!base) return false;
    // The service is unreachable: it will compare the versions when the draft is sent.
    const present = await fetchBase(base.entryId).catch(() => undefined);
    if (!present || present.etag === base.etag || isSameContent(present.content, base.content)) return false;
    const { entry, ...other } = present;
    setTheirs({ ...other, by: editorOf(entry), atMs: entry.modifyDate ?? entry.createdDate });
    return true;
  };
  useLive((message) => {
    if (message.kind === 'updated' && message.id === base?.entryId) void check();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each version that is edited
  useEffect(() => {
    setTheirs(undefined);
    void check();
  }, [base?.etag]);
  const isLive = useLiveState() === 'live';
  const wasLive = useRef(isLive);
  // biome-ignore lint/correctness/useExhaustiveDependencies: no message tells what was saved before the page was live
  useEffect(() => {
    if (isLive && !wasLive.current) void check();
    wasLive.current = isLive;
  }, [isLive]);
  return { theirs, isMerging, merge: () => setMerging(true), leave: () => setMerging(false), check };
}

function editorOf(entry: Entry & { readonly modifiedBy?: string | null }): string {
  return entry.modifiedBy ?? entry.ownerName ?? entry.owner;
}
