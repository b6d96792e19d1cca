import { queryClient } from '../api/query-client.ts';
import { build } from '../app/build.ts';
import { rootPath } from '../app/root-path.ts';
import { registerServiceWorker } from '../app/trusted-types.ts';
import { whenIdle } from '../app/when-idle.ts';
import { listenLive } from '../live/live-connection.ts';
import { meQuery } from '../session/me.ts';
import { onRecovered } from './connection.ts';
import { tellWorker } from './tell-worker.ts';
import { buildLock, type WorkerMessage } from './worker-messages.ts';

/**
 * Installs the service worker. While the service is unreachable, the worker shows the client and what was read before.
 * Browsers have no service workers over plain HTTP, and some have none in private windows.
 */
export function startWorker(): void {
  if (build === '' || !isSecureContext || !('serviceWorker' in navigator)) return;
  holdBuild();
  // After the page has loaded its own files.
  whenIdle(() => void register().catch(() => undefined));
  listenLive((message) => {
    if (message.kind === 'updated') tellWorker({ kind: 'changed', id: message.id });
  });
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== 'me' || query.state.status !== 'success') return;
    const me = queryClient.getQueryData(meQuery.queryKey);
    // The worker sees the requests of the pages that it controls.
    if (me && navigator.serviceWorker.controller === null) tellWorker({ kind: 'user', userName: me.userName });
  });
}

/** Keeps the files of this build in the browser for as long as the page is open. */
function holdBuild(): void {
  const untilClosed = () => new Promise<never>(() => undefined);
  void navigator.locks?.request(buildLock(build), { mode: 'shared' }, untilClosed).catch(() => undefined);
}

async function register(): Promise<void> {
  const { serviceWorker } = navigator;
  const wasControlled = serviceWorker.controller !== null;
  const registration = await registerServiceWorker(`/service-worker.js?${new URLSearchParams({ api: rootPath })}`);
  // An extension may have replaced the function of the browser.
  if (!registration) return;
  // A service that was stopped may return with another version.
  onRecovered(() => void registration.update().catch(() => undefined));
  const { active } = await serviceWorker.ready;
  active?.postMessage({ kind: 'started' } satisfies WorkerMessage);
  if (!wasControlled) active?.postMessage({ kind: 'loaded', urls: readAddresses() } satisfies WorkerMessage);
}

/** Returns the addresses that this page has requested from the API. */
function readAddresses(): string[] {
  const names = performance.getEntriesByType('resource').map(({ name }) => name);
  return names.filter((name) => name.startsWith(`${location.origin}${rootPath}/`));
}
