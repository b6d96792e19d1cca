import { lazy, Suspense, useEffect, useRef } from 'react';
import { whenIdle } from '../app/when-idle.ts';
import { dropKeys } from '../keys/held-keys.ts';
import { useUserOfPage } from '../session/me.ts';
import { useLastUser } from '../session/session-end.ts';
import { AwaitedLine } from './awaited-line.tsx';
import './line-place.css';

let loadNow = () => {};
const isDue = new Promise<void>((resolve) => {
  loadNow = resolve;
  whenIdle(resolve);
});

/** Loaded after the list, or when it is asked for; without it, the list still works. */
const LineComposer = lazy(async () => {
  await isDue;
  const loaded = await import('./line-composer.tsx').catch(() => undefined);
  return { default: loaded?.LineComposer ?? (() => <NoLine />) };
});

/** Reserves the height of the line above the list, for those who may write, until its code is loaded. */
export function LinePlace({ query }: { readonly query: string | undefined }) {
  const me = useUserOfPage();
  const lastUser = useLastUser();
  const isAsked = useRef(false);
  const isOffered = me === undefined ? lastUser !== undefined : me.permissions.includes('entries');
  const userName = me?.userName ?? undefined;
  if (!isOffered || (me && userName === undefined)) return null;
  const awaited = <AwaitedLine isAsked={isAsked} onAsked={loadNow} />;
  return (
    <div className="line-composer">
      {userName === undefined ? (
        awaited
      ) : (
        <Suspense fallback={awaited}>
          <LineComposer userName={userName} query={query} isAsked={isAsked} />
        </Suspense>
      )}
    </div>
  );
}

/** Replaces a line that cannot be loaded. */
function NoLine() {
  useEffect(dropKeys, []);
  return null;
}
