import { type BlockerFn, type RouterHistory, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFocusBack } from '../app/use-focus-back.ts';
import { Modal } from './modal.tsx';

interface DiscardQuestionProps {
  readonly onDiscard: () => void;
  readonly onKeep: () => void;
}

/** Asks whether unsaved work is discarded. The harmless answer has the focus. */
export function DiscardQuestion({ onDiscard, onKeep }: DiscardQuestionProps) {
  // Suspending would hide the unsaved work while these texts load.
  const { t } = useTranslation('write', { useSuspense: false });
  const keep = useRef<HTMLButtonElement>(null);
  useFocusBack();
  useEffect(() => keep.current?.focus(), []);
  return (
    <>
      <h1>{t('closing.title')}</h1>
      <div className="row">
        <button type="button" className="button primary" ref={keep} data-first onClick={onKeep}>
          {t('closing.keep')}
        </button>
        <button type="button" className="button danger" onClick={onDiscard}>
          {t('closing.confirm')}
        </button>
      </div>
    </>
  );
}

interface ClosingModalProps {
  readonly label: string;
  readonly className?: string;
  /** Whether closing would lose work. */
  readonly hasWork: () => boolean;
  readonly onClose: () => void;
  /** Returns the content; its button for closing calls `close`. */
  readonly children: (close: () => void) => ReactNode;
}

/**
 * A dialog that asks before it discards work. The question replaces the content of the same dialog: if it were a second
 * dialog, repeated Escape could make the browser close both.
 */
export function ClosingModal({ label, className = '', hasWork, onClose, children }: ClosingModalProps) {
  const leaving = useBlockedLeaving(hasWork);
  const [isClosing, setClosing] = useState(false);
  const isAsking = isClosing || leaving !== undefined;
  const keep = () => {
    setClosing(false);
    leaving?.keep();
  };
  const close = () => {
    if (isAsking) keep();
    else if (hasWork()) setClosing(true);
    else onClose();
  };
  // Leaving the page with the Back button closes only the dialog.
  const discard = () => {
    leaving?.keep();
    onClose();
  };
  return (
    <Modal label={label} className={isAsking ? 'question' : className} onClose={close}>
      <div className="modal-content" hidden={isAsking}>
        {children(close)}
      </div>
      {isAsking && <DiscardQuestion onDiscard={discard} onKeep={keep} />}
    </Modal>
  );
}

/**
 * Stops the user from leaving the page with unsaved work, for example with the Back button. Returns the answers to the
 * question that must be asked; undefined: nothing is being left.
 */
export function useBlockedLeaving(
  hasWork: () => boolean,
): { readonly discard: () => void; readonly keep: () => void } | undefined {
  const { history } = useRouter();
  const latest = useRef(hasWork);
  latest.current = hasWork;
  const [blocked, setBlocked] = useState<Move>();
  useEffect(
    () =>
      history.block({
        // Blocks immediately: the address of the page would otherwise be that of the next one until the answer.
        blockerFn: (move) => {
          const { currentLocation: here, nextLocation: next } = move;
          // A link to the page itself leaves nothing.
          if (!latest.current() || (here.pathname === next.pathname && here.search === next.search)) return false;
          setBlocked(move);
          return true;
        },
        enableBeforeUnload: () => latest.current(),
      }),
    [history],
  );
  if (!blocked) return undefined;
  const keep = () => setBlocked(undefined);
  const discard = () => {
    keep();
    repeat(history, blocked);
  };
  return { discard, keep };
}

type Move = Parameters<BlockerFn>[0];

/** Makes a move that was blocked. */
function repeat(history: RouterHistory, { action, currentLocation, nextLocation }: Move): void {
  const { href, state } = nextLocation;
  const options = { ignoreBlocker: true };
  if (action === 'PUSH') history.push(href, state, options);
  else if (action === 'REPLACE') history.replace(href, state, options);
  else history.go(state.__TSR_index - currentLocation.state.__TSR_index, options);
}
