import { useSyncExternalStore } from 'react';

/** The layouts, from narrow to wide: one pane; list and entry; with a folded side panel, too; all three panes. */
export type Viewport = 'phone' | 'tablet' | 'medium' | 'wide';

const tablet = matchMedia('(min-width: 768px)');
const medium = matchMedia('(min-width: 1024px)');
const wide = matchMedia('(min-width: 1280px)');

function read(): Viewport {
  if (wide.matches) return 'wide';
  if (medium.matches) return 'medium';
  return tablet.matches ? 'tablet' : 'phone';
}

function watch(listener: () => void): () => void {
  const queries = [tablet, medium, wide];
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    for (const query of queries) query.removeEventListener('change', listener);
  };
}

export function useViewport(): Viewport {
  return useSyncExternalStore(watch, read);
}
