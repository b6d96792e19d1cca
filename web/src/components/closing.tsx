import { useRouter } from '@tanstack/react-router';
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
  const [isAsking, setAsking] = useState(false);
  useBlockedBack(hasWork, () => setAsking(true));
  const close = () => {
    if (isAsking) setAsking(false);
    else if (hasWork()) setAsking(true);
    else onClose();
  };
  return (
    <Modal label={label} className={isAsking ? 'question' : className} onClose={close}>
      <div className="modal-content" hidden={isAsking}>
        {children(close)}
      </div>
      {isAsking && <DiscardQuestion onDiscard={onClose} onKeep={close} />}
    </Modal>
  );
}

/** Asks before the user leaves the page with unsaved work, for example with the Back button. */
function useBlockedBack(hasWork: () => boolean, ask: () => void): void {
  const { history } = useRouter();
  const latest = useRef({ hasWork, ask });
  latest.current = { hasWork, ask };
  useEffect(
    () =>
      history.block({
        blockerFn: () => {
          const isBlocked = latest.current.hasWork();
          if (isBlocked) latest.current.ask();
          return isBlocked;
        },
        enableBeforeUnload: () => latest.current.hasWork(),
      }),
    [history],
  );
}
