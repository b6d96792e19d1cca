import { inTurn } from '../in-turn.ts';
import { buildLock, buildOf } from '../worker-messages.ts';
import { networkFirst } from './network.ts';
import { build, type FetchEvent, scope } from './worker-scope.ts';

const prefix = 'logbook-shell-';
const ownName = prefix + build.version;
const pagePath = '/';
const script = '/service-worker.js';
/** Lock for every change of the kept builds. */
const shellsLock = 'logbook.shells';
const pageWithinMs = 8_000;
/** Maximum number of files that are fetched at a time: the files that the page itself loads have priority. */
const fetchedAtOnce = 3;

/** Keeps the page and all its files. @throws Error when one of them is not available, or is of another build */
export function installShell(): Promise<void> {
  return inTurn(shellsLock, async () => {
    const cache = await caches.open(ownName);
    const left = [...build.files];
    const keepNext = async (): Promise<void> => {
      for (let path = left.shift(); path !== undefined; path = left.shift()) await keep(cache, path);
    };
    await Promise.all(Array.from({ length: fetchedAtOnce }, keepNext));
    const page = await fetch(pagePath, { cache: 'no-cache', redirect: 'error' });
    // During an upgrade of several nodes, another node may answer.
    if (buildOf(await page.clone().text()) !== build.version) throw new Error('the page belongs to another build');
    // Stored last: if the page exists, so do all of its files.
    await cache.put(pagePath, page);
  });
}

async function keep(cache: Cache, path: string): Promise<void> {
  const isAsset = path.startsWith('/assets/');
  // An earlier build may have the same file.
  const known = isAsset ? await findKept(path) : undefined;
  const file = known ?? (await fetch(path, { cache: isAsset ? 'default' : 'no-cache', priority: 'low' }));
  // A proxy may answer with its sign-in page.
  if (!file.ok || file.redirected || isPage(file)) throw new Error(`${path} is not available`);
  await cache.put(path, file);
}

/** Removes the files of builds that no tab uses. */
export async function removeUnusedShells(): Promise<void> {
  await inTurn(shellsLock, async () => {
    const { installing, waiting } = scope.registration;
    if (installing ?? waiting) return;
    const used = await heldLocks();
    if (!used) return;
    for (const name of await shellNames()) {
      if (name !== ownName && !used.has(buildLock(name.slice(prefix.length)))) await caches.delete(name);
    }
  });
}

/** Names of the locks that pages hold; undefined in a browser without locks. */
async function heldLocks(): Promise<ReadonlySet<string | undefined> | undefined> {
  const { held } = (await navigator.locks?.query()) ?? {};
  return held && new Set(held.map(({ name }) => name));
}

/** Whether the files of this build are kept: neither the browser nor this worker has removed them. */
export async function isInstalled(): Promise<boolean> {
  return (await caches.match(pagePath, { cacheName: ownName, ignoreVary: true })) !== undefined;
}

/** Restores files that the browser, or a program that cleans it, has removed without notifying the worker. */
export async function restoreShell(): Promise<void> {
  if (!(await isInstalled())) await installShell();
}

/** Answers with a kept file, whichever build it belongs to: its name contains a hash of its content. */
export async function respondAsset(event: FetchEvent): Promise<Response> {
  const { pathname } = new URL(event.request.url);
  const kept = await findKept(pathname).catch(() => undefined);
  if (kept) return kept;
  const file = await fetch(event.request);
  if (file.ok && !isPage(file)) event.waitUntil(keepUsed(pathname, file.clone()).catch(() => undefined));
  return file;
}

/** Stores a file when it is first used, because it is too large to be fetched in advance. */
async function keepUsed(path: string, file: Response): Promise<void> {
  if (await isInstalled()) await (await caches.open(ownName)).put(path, file);
}

export function respondFixedFile({ request }: FetchEvent): Promise<Response> {
  return networkFirst(fetch(request), pageWithinMs, () => findKept(new URL(request.url).pathname));
}

/**
 * Answers with the page of the service, or with the kept one while the service is unreachable.
 * @param onOtherBuild called when the service has another page
 */
export async function respondPage(event: FetchEvent, onOtherBuild: () => Promise<unknown>): Promise<Response> {
  // No options are passed: they would make a navigation an ordinary request.
  const network = fetch(event.request);
  const compared = network.then((page) => compareBuild(page, onOtherBuild));
  event.waitUntil(compared.catch(() => undefined));
  const page = await networkFirst(network, pageWithinMs, findPage);
  // The browser asks for a password only if no worker handles the request.
  if (page.status !== 401 || !page.headers.has('www-authenticate')) return page;
  return (await scope.registration.unregister()) ? Response.redirect(event.request.url) : page;
}

/**
 * Keeps the page as the newest one if it is of this build. Another build means that the service has another worker, or
 * none.
 */
async function compareBuild(page: Response, onOtherBuild: () => Promise<unknown>): Promise<unknown> {
  if (!page.ok || !isPage(page)) return undefined;
  const copy = page.clone();
  if (buildOf(await page.clone().text()) !== build.version) return onOtherBuild();
  if (await isInstalled()) await (await caches.open(ownName)).put(pagePath, copy);
  return undefined;
}

/** Whether the service no longer has a worker: browsers keep one even if its script is gone. */
export async function isScriptGone(): Promise<boolean> {
  const answer = await fetch(script, { cache: 'no-store' });
  // A program that has taken over the address may answer everything with its page, and a proxy with its sign-in page.
  const isOther = answer.ok && isPage(answer) && !answer.redirected;
  if (!isOther && answer.status !== 404 && answer.status !== 410) return false;
  // While the service is down, a proxy may answer like this for every address.
  const page = await fetch(pagePath, { cache: 'no-store' });
  return page.ok && isPage(page);
}

/** Removes this worker and the files of all builds. Nothing is kept from then on. */
export async function removeWorker(): Promise<void> {
  await scope.registration.unregister();
  for (const name of await shellNames()) await caches.delete(name);
}

function isPage({ headers }: Response): boolean {
  return /^text\/html\b/.test(headers.get('content-type') ?? '');
}

/** Finds the page of the newest build: that of a waiting worker, or else of this one. */
async function findPage(): Promise<Response | undefined> {
  const { waiting } = scope.registration;
  const names = waiting ? (await shellNames()).toReversed() : [ownName, ...(await shellNames())];
  return findIn(names, pagePath);
}

/** Finds a file in this build, else in any other. */
async function findKept(path: string): Promise<Response | undefined> {
  return findIn([ownName, ...(await shellNames())], path);
}

async function findIn(names: readonly string[], path: string): Promise<Response | undefined> {
  for (const cacheName of names) {
    const found = await caches.match(path, { cacheName, ignoreVary: true });
    if (found) return found;
  }
  return undefined;
}

/** Names of the caches of builds, in the order in which they were installed. */
async function shellNames(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(prefix));
}
