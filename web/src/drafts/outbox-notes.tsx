import { lazy, Suspense } from 'react';

/** Loaded after the page: nothing is sent from here before that. */
const OutboxStatus = lazy(async () => ({ default: (await import('./outbox-status.tsx')).OutboxStatus }));

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
