import { lazy, Suspense } from 'react';
import { useUserOfPage } from '../session/me.ts';
import { useLastUser } from '../session/session-end.ts';
import './line-place.css';

/** Loaded after the list; without it, the list still works. */
const LineComposer = lazy(async () => {
  const loaded = await import('./line-composer.tsx').catch(() => undefined);
  return { default: loaded?.LineComposer ?? (() => null) };
});

/** Reserves the height of the line above the list, for those who may write, until its code is loaded. */
export function LinePlace({ query }: { readonly query: string | undefined }) {
  const me = useUserOfPage();
  const lastUser = useLastUser();
  const isOffered = me === undefined ? lastUser !== undefined : me.permissions.includes('entries');
  const userName = me?.userName ?? undefined;
  if (!isOffered || (me && userName === undefined)) return null;
  return (
    <div className="line-composer">
      {userName !== undefined && (
        <Suspense>
          <LineComposer userName={userName} query={query} />
        </Suspense>
      )}
    </div>
  );
}
