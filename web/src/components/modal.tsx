import { type ReactNode, useEffect, useRef } from 'react';
import { focusOrContent } from '../app/page-focus.ts';
import { giveKeysWithin } from '../keys/held-keys.ts';
import './modal.css';

interface ModalProps {
  readonly label: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A dialog above the page, which is inert in the meantime: the browser keeps the focus in it. Escape and a click
 * outside close it.
 */
export function Modal({ label, className = '', onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const focused = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    // A question focuses its harmless button first.
    element?.querySelector<HTMLElement>('[data-first]')?.focus();
    giveKeysWithin('dialog[open]');
    return () => {
      element?.close();
      focusOrContent(focused);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      className={`modal card ${className}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
