import type { ReactNode } from 'react';
import { SidePanel } from './side-panel.tsx';
import { useViewport } from './viewport.ts';
import './side-page.css';

interface SidePageProps {
  readonly className?: string;
  /** Whether the Tab key reaches the content: long content without a link or button could not be scrolled otherwise. */
  readonly isTabStop?: boolean;
  readonly children: ReactNode;
}

/** A page with one column, and the navigation next to it where the window has room. */
export function SidePage({ className = '', isTabStop = false, children }: SidePageProps) {
  const viewport = useViewport();
  return (
    <div className={`side-page ${className}`}>
      {(viewport === 'wide' || viewport === 'medium') && <SidePanel />}
      <main tabIndex={isTabStop ? 0 : undefined}>{children}</main>
    </div>
  );
}
