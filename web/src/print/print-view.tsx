import { type ReactNode, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { printPage } from './print-page.ts';
import './print.css';

interface PrintViewProps {
  /** Whether everything that is to be printed is there. */
  readonly isReady: boolean;
  /** Called after the print. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Prints its content in place of the page, as soon as it is ready. The screen does not show it. */
export function PrintView({ isReady, onClose, children }: PrintViewProps) {
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    if (!isReady) return undefined;
    const close = () => latest.current();
    addEventListener('afterprint', close);
    void printPage();
    return () => removeEventListener('afterprint', close);
  }, [isReady]);
  return createPortal(<div className="print-view">{children}</div>, document.body);
}
