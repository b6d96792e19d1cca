import { useEffect, useRef, useState } from 'react';
import { findBegunDraft, newDraft } from '../drafts/begin-draft.ts';
import type { Draft } from '../drafts/draft.ts';
import { OpenDraft } from '../drafts/open-draft.ts';
import type { Shift } from '../shifts/shift.ts';
import { handOverOf, handOverProperty } from './hand-over.ts';

/** Initial content of a new hand-over. */
export interface Beginning {
  readonly title: string;
  readonly text: string;
  readonly level: string;
  readonly logbooks: readonly string[];
}

export interface OpenedHandOver {
  readonly open: OpenDraft;
  /** Whether someone has written on it before. */
  readonly isStored: boolean;
}

/**
 * Opens the draft of the hand-over of that shift, or begins it; undefined while it is looked for, or while there is nothing
 * to begin with. It is a draft as every other: kept in the browser and on the server, and sent once.
 */
export function useHandOverDraft(
  shift: Shift,
  userName: string | null | undefined,
  beginning: Beginning | undefined,
): OpenedHandOver | undefined {
  const [opened, setOpened] = useState<OpenedHandOver>();
  const [attempt, again] = useState(0);
  const first = useRef(beginning);
  first.current ??= beginning;
  const hasBeginning = first.current !== undefined;
  const { startMs } = shift;
  const latestShift = useRef(shift);
  latestShift.current = shift;
  const isKnown = userName !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt looks again; who signs in goes on with the text
  useEffect(() => {
    if (userName === undefined) return undefined;
    let isCurrent = true;
    // A beginning that comes in the meantime starts a search of its own: two would open two drafts.
    const begun = first.current;
    const isWanted = (draft: Draft) => draft.purpose.kind === 'new' && isHandOverOf(draft, startMs);
    void findBegunDraft(userName, isWanted).then((stored) => {
      if (!isCurrent || (!stored && !begun)) return;
      const content = { ...begun, properties: [handOverOf(latestShift.current)] };
      const draft = stored ?? newDraft({ purpose: { kind: 'new' }, content });
      const onForked = () => undefined;
      const open = new OpenDraft(draft, stored !== undefined, onForked, () => again((count) => count + 1));
      setOpened({ open, isStored: stored !== undefined });
    });
    return () => {
      isCurrent = false;
    };
  }, [startMs, hasBeginning, attempt, isKnown]);
  return opened;
}

export function isHandOverOf(draft: Draft, startMs: number): boolean {
  const property = draft.content.properties.find(({ name }) => name === handOverProperty);
  const from = property?.attributes.find(({ name }) => name === 'from')?.value;
  return from !== undefined && Date.parse(from) === startMs;
}
