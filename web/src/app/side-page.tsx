import type { ReactNode } from 'react';
import { SidePanel } from './side-panel.tsx';
import { useViewport } from './viewport.ts';
import './side-page.css';

interface SidePageProps {
  readonly className?: string;
  readonly children: ReactNode;
}

/** A page with one column, and the navigation next to it where the window has room. */
export function SidePage({ className = '', children }: SidePageProps) {
  const viewport = useViewport();
  return (
    <div className={`side-page ${className}`}>
      {(viewport === 'wide' || viewport === 'medium') && <SidePanel />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also without a link in it */}
      <main tabIndex={0}>{children}</main>
    </div>
  );
}
