import { lazy, Suspense } from 'react';

/** Loaded after the page: nothing is sent from here before that. */
const OutboxStatus = lazy(() =>
  import('./outbox-status.tsx').then(async ({ OutboxStatus: component }) => {
    const { startOutbox } = await import('./outbox.ts');
    startOutbox();
    return { default: component };
  }),
);

/** The place above a page for what waits to be sent. */
export function OutboxNotes() {
  return (
    <div className="notes">
      <Suspense>
        <OutboxStatus />
      </Suspense>
    </div>
  );
}
