import { useEffect } from 'react';
import { build } from '../app/build.ts';
import { useLive } from '../live/live-connection.ts';
import { buildOf } from '../offline/worker-messages.ts';

const checkEveryMs = 3_600_000;

/** Reloads the page once the service has another build of it. A wall has no user to do so, and no text to lose. */
export function useNewBuild(): void {
  useLive(({ kind }) => {
    if (kind === 'reconnected') void followService();
  });
  useEffect(() => {
    const timer = setInterval(() => void followService(), checkEveryMs);
    return () => clearInterval(timer);
  }, []);
}

async function followService(): Promise<void> {
  const page = await fetch('/', { cache: 'no-cache' }).catch(() => undefined);
  const served = page?.ok ? buildOf(await page.text().catch(() => '')) : undefined;
  if (served !== undefined && served !== build) location.reload();
}
