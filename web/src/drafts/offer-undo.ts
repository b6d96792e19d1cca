import i18next from 'i18next';
import { showToast } from '../toasts/toasts.ts';
import { bringBack, removeForGood } from './outbox.ts';

/** Time for which a message offers to restore a discarded draft. The pointer or the focus on the message extends it. */
export const undoMs = 10_000;

interface Undo {
  /** Restores the draft. Returns false if it was removed for good. */
  readonly restore: () => boolean | Promise<boolean>;
  readonly onRestored?: (() => void) | undefined;
  /** Called when the message has gone and the draft was not restored. */
  readonly onGone?: () => void;
}

/** Says that a draft was discarded, and offers to undo it. */
export function offerUndo({ restore, onRestored, onGone }: Undo): void {
  let isUndone = false;
  const undo = async () => {
    isUndone = true;
    if (await restore()) onRestored?.();
    else showToast(i18next.t('write:removedForGood'), { tone: 'problem' });
  };
  showToast(i18next.t('write:discarded'), {
    durationMs: undoMs,
    action: { label: i18next.t('write:undo'), run: () => void undo() },
    onGone: () => {
      if (!isUndone) onGone?.();
    },
  });
}

/**
 * Offers to restore a draft of this browser that was discarded at this time. Removes the draft for good after the offer,
 * but not earlier than `undoMs` after the discard: the Back button restores it, too.
 */
export function offerToBringBack(id: string, discardedMs: number, onRestored?: () => void): void {
  const onGone = () => {
    setTimeout(() => void removeForGood(id, discardedMs), Math.max(0, discardedMs + undoMs - Date.now()));
  };
  offerUndo({ restore: () => bringBack(id), onRestored, onGone });
}
