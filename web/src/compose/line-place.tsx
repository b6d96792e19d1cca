import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { ErrorBoundary } from '../app/error-boundary.tsx';
import { whenIdle } from '../app/when-idle.ts';
import { isFieldMissing } from '../keys/held-keys.ts';
import { useUserOfPage } from '../session/me.ts';
import { useLastUser } from '../session/session-end.ts';
import { AwaitedLine, type AwaitedLineProps } from './awaited-line.tsx';
import type { LineComposerProps } from './line-composer.tsx';
import './line-place.css';

let loadNow = () => {};
const isDue = new Promise<void>((resolve) => {
  loadNow = resolve;
  whenIdle(resolve);
});

/** Component of the line, loaded after the list or when the user asks for the line. */
const LineComposer = lazy(async () => {
  await isDue;
  return import('./line-composer.tsx').then(
    ({ LineComposer: component }) => ({ default: component }),
    (error: unknown) => ({ default: (props: LineComposerProps) => <NoLine {...props} error={error} /> }),
  );
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
        <ErrorBoundary>
          <Suspense fallback={awaited}>
            <LineComposer userName={userName} query={query} isAsked={isAsked} />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  );
}

/** Replaces a line that could not be loaded. Fails visibly once the user asks for the line. */
function NoLine({ isAsked, error }: AwaitedLineProps & { readonly error: unknown }) {
  const [isFailing, fail] = useState(false);
  // An effect checks this, because the user may ask for the line after it was rendered.
  useEffect(() => fail(isFieldMissing()), []);
  if (isFailing) throw error;
  return <AwaitedLine isAsked={isAsked} onAsked={() => fail(true)} />;
}
