import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
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
 * A dialog above the page. The page is inert while the dialog is open, so that the focus stays in the dialog. Escape
 * and a click outside close it.
 */
export function Modal({ label, className = '', onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pressedOutside = useRef(false);
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
      onClose={() => {
        // A browser closes a dialog on the second Escape or Back in a row, whatever the page does.
        if (dialog.current && !dialog.current.open) dialog.current.showModal();
      }}
      onPointerDown={(event) => {
        pressedOutside.current = isOutside(event);
      }}
      onClick={(event) => {
        // A selection of text beyond the edge ends with a click outside.
        if (pressedOutside.current && isOutside(event)) onClose();
      }}
    >
      {children}
    </dialog>
  );
}

/**
 * Whether the pointer is outside the box of the dialog. The target does not tell: clicks on the backdrop and on the
 * padding both have the dialog as their target.
 */
function isOutside({ target, currentTarget, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}
