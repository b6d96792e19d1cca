import type { WorkerMessage } from '../worker-messages.ts';
import { handlingOf } from './addresses.ts';
import { Answers } from './answers.ts';
import { openPressed, showPush } from './notifications.ts';
import { renewPush } from './renew-push.ts';
import {
  installShell,
  isInstalled,
  isScriptGone,
  removeUnusedShells,
  removeWorker,
  respondAsset,
  respondFixedFile,
  respondPage,
  restoreShell,
} from './shells.ts';
import { type FetchEvent, scope } from './worker-scope.ts';

const { origin, searchParams } = new URL(location.href);
const rootPath = searchParams.get('api') ?? '/logbook';
const answers = new Answers(origin, rootPath, isInstalled);

scope.addEventListener('install', (event) => event.waitUntil(installShell()));

scope.addEventListener('activate', (event) => event.waitUntil(takeOver()));

scope.addEventListener('fetch', (event) => respond(event));

scope.addEventListener('message', (event) => {
  event.waitUntil(receive(event.data as WorkerMessage).catch(() => undefined));
});

scope.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(showPush(event.data.text()));
});

scope.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewPush(event, rootPath)));

scope.addEventListener('notificationclick', (event) => event.waitUntil(openPressed(event.notification)));

/**
 * Serves the first page, too, which was loaded without a worker. A worker of another build waits until all pages are
 * closed. If it took over earlier, it would wait for the requests of this worker, while new requests would wait for it.
 */
async function takeOver(): Promise<void> {
  await scope.clients.claim();
  await removeUnusedShells();
}

/** Answers the request, or leaves it to the browser: changes, streams, files and other pages. */
function respond(event: FetchEvent): void {
  const handling = handlingOf(event.request, origin, rootPath);
  if (handling === 'page') event.respondWith(respondPage(event, followService));
  else if (handling === 'asset') event.respondWith(respondAsset(event));
  else if (handling === 'fixed-file') event.respondWith(respondFixedFile(event));
  else if (handling === 'answer') answers.respond(event);
  else if (handling === 'session-end') event.waitUntil(answers.forget());
}

/**
 * Removes this worker and its data if the service no longer has a worker. If the service has another one, the browser
 * installs it.
 * @returns whether this worker was removed
 */
async function followService(): Promise<boolean> {
  if (!(await isScriptGone())) return false;
  await removeWorker();
  // Last, because answers that come in the meantime would be stored again.
  await answers.forget();
  return true;
}

async function receive(message: WorkerMessage): Promise<void> {
  switch (message.kind) {
    case 'started':
      // A browser whose storage fails still gets the files of the next build.
      await answers.removeExpired().catch(() => undefined);
      // This worker waits while another build is in use, whose files its first page needs.
      await removeUnusedShells();
      return (await followService()) ? undefined : restoreShell();
    case 'loaded':
      return answers.load(message.urls);
    case 'changed':
      return answers.refresh(message.id);
    case 'user':
      return answers.keepFor(message.userName);
    case 'forget':
      await answers.forget();
      // The page may have read who the user is just before.
      return answers.load([]);
  }
}
