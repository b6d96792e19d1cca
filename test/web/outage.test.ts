import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyProgram, hideWorker, removeWorker, renameBuild, showWorker } from '../fixtures/client-builds.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { freePort } from '../fixtures/free-port.js';
import { LogbookProcess, type ProcessOptions } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';
import { plainHost, useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

const admin = 'admin:adminPass';

describe.skipIf(withoutBrowser)('a browser with the service worker', () => {
  const browser = useBrowser();
  let dataDir: string;
  let env: Record<string, string>;
  let logbook: LogbookProcess;

  beforeEach(async () => {
    dataDir = await makeTempDir();
    env = { LOGBOOK_HTTP_PORT: String(await freePort()) };
    logbook = await LogbookProcess.start(dataDir, { env });
  });
  afterEach(async () => {
    await logbook.stop('SIGKILL');
  });

  const restart = async (options: ProcessOptions = {}) => {
    await logbook.stop('SIGKILL');
    logbook = await LogbookProcess.start(dataDir, { env, ...options });
  };
  const create = async (title: string, source: string) => {
    const json = { title, source, logbooks: [{ name: 'operations' }] };
    expect((await call(`${logbook.base}/logs`, { method: 'PUT', json })).status).toBe(200);
  };
  const sources = async (): Promise<string[]> => {
    const { body } = await call(`${logbook.base}/logs?sort=up`);
    return body.map(({ source }: { source: string }) => source);
  };
  const open = async (path = '/') => {
    const client = await browser.open(logbook.origin, { path, hasWorker: true });
    ignoreOutages(client);
    return client;
  };
  const openEntry = async (client: WebClientPage, title: string) => {
    await client.page.locator('.entry-row', { hasText: title }).click();
    await client.page.getByRole('heading', { name: title }).waitFor();
  };

  test('the service is down for a while: everything that was read is shown, entries can be written, and nothing is lost', async () => {
    await create('Kicker misfired', 'The thyratron was replaced.');
    const client = await open();
    const { page } = client;
    // Some browsers and programs remove what is kept, but not the worker.
    await hasKept(page, '/bootstrap');
    const [build = ''] = await shells(page);
    await page.evaluate(removeKept);
    await page.reload();
    await expect.poll(() => page.evaluate(hasPage(build))).toBe(true);
    await page.reload();
    await openEntry(client, 'Kicker misfired');
    await hasKept(page, '/logs/search', '/logs/facets', '/logs/1', '/bootstrap', '/me');
    await logbook.stop('SIGKILL');
    await page.getByText(/Not connected since \d\d:\d\d/).waitFor();
    await client.expectAccessible();
    await client.screenshot('outage');
    await page.reload();
    // The list and the entry.
    await page.locator('.entry-row', { hasText: 'Kicker misfired' }).waitFor();
    await page.locator('.doc').getByText('The thyratron was replaced.').first().waitFor();
    await page.getByRole('button', { name: 'Account of user' }).waitFor();
    await page.getByText(/Not connected since/).waitFor();
    await page.keyboard.press('r');
    const draft = new DraftPage(page);
    await draft.text.waitFor();
    await draft.append('It works again.');
    await draft.send();
    await page.getByText('1 entry waits to be sent').waitFor();
    await page.getByRole('link', { name: 'New entry' }).click();
    await draft.text.waitFor();
    await draft.write('Written offline', 'During the outage.');
    await draft.chooseLogbook();
    await draft.light('offline');
    await page.reload();
    await expect.poll(() => draft.text.innerText()).toBe('During the outage.');
    await draft.send();
    await page.getByText('2 entries wait to be sent').waitFor();
    for (const path of ['/drafts', '/hand-over', '/entries/1/history', '/administration', '/wall']) {
      const answer = await page.goto(`${new URL(page.url()).origin}${path}`, { waitUntil: 'commit' });
      expect(answer?.fromServiceWorker()).toBe(true);
    }
    await page.goto(new URL(page.url()).origin);
    await restart();
    await expect.poll(sources).toHaveLength(3);
    expect((await sources()).toSorted()).toEqual([
      'During the outage.',
      'It works again.',
      'The thyratron was replaced.',
    ]);
    await expect.poll(() => page.getByText(/Not connected since|waits? to be sent/).count()).toBe(0);
    await page.reload();
    await page.locator('.entry-row', { hasText: 'Written offline' }).waitFor();
    await client.expectClean();
    // A browser that is closed forgets the session of its user, and the next one must not see what was kept.
    await logbook.stop('SIGKILL');
    await client.context.clearCookies();
    await page.reload();
    await page.getByText('No connection to the logbook.').first().waitFor();
    expect(await page.locator('.entry-row').count()).toBe(0);
    await expect.poll(() => page.evaluate(keptText)).toBe('');
    await client.close();
  });

  test('the service is away for 30 seconds: the list, an entry, a new one and a reply recover, and no page is reloaded', async () => {
    const awayMs = 30_000;
    await create('Kicker misfired', 'The thyratron was replaced.');
    const list = await open();
    await hasKept(list.page, '/bootstrap');
    const others = ['/entries/1', '/write', '/entries/1'].map(async (path) => {
      const client = await browser.open(logbook.origin, { beside: list, path });
      ignoreOutages(client);
      return client;
    });
    const [entry, writing, replying] = (await Promise.all(others)) as [WebClientPage, WebClientPage, WebClientPage];
    const [draft, reply] = [new DraftPage(writing.page), new DraftPage(replying.page)];
    for (const client of [entry, replying]) await client.page.locator('.doc h1').waitFor();
    await draft.write('Begun before', 'Before.');
    await draft.chooseLogbook();
    await draft.light();
    await replying.page.getByRole('button', { name: 'Write a reply' }).press('Enter');
    await reply.text.waitFor();
    const all = [list, entry, writing, replying];
    for (const { page } of all) await page.evaluate('window.isSame = true');
    await logbook.stop('SIGKILL');
    const back = new Promise((resolve) => setTimeout(resolve, awayMs));
    await replying.page.bringToFront();
    await reply.append('It works again.');
    await reply.send();
    await replying.page.getByText('1 entry waits to be sent').waitFor();
    await writing.page.bringToFront();
    await draft.append(' During.');
    await draft.light('offline');
    for (const { page } of [list, entry]) await page.getByText(/Not connected since/).waitFor();
    await back;
    await restart();
    await create('Created elsewhere', 'Afterwards.');
    await draft.light();
    await draft.send();
    await expect.poll(sources).toHaveLength(4);
    expect((await sources()).toSorted()).toEqual([
      'Afterwards.',
      'Before. During.',
      'It works again.',
      'The thyratron was replaced.',
    ]);
    await list.page.bringToFront();
    for (const title of ['Created elsewhere', 'Begun before'])
      await list.page.locator('.entry-row', { hasText: title }).waitFor();
    await entry.page.bringToFront();
    await entry.page.locator('.thread-entry', { hasText: 'It works again.' }).waitFor();
    for (const { page } of all) {
      await expect.poll(() => page.getByText(/Not connected since|waits? to be sent/).count()).toBe(0);
      expect(await page.evaluate('window.isSame')).toBe(true);
    }
    await list.close();
  });

  test.each([
    ['after 7 days', 7],
    ['if the clock was 2 days ahead', -2],
  ])('what a visitor has read is removed %s', async (_case, days) => {
    await create('Plain', 'Read a week ago.');
    const client = await browser.open(logbook.origin, { as: null, hasWorker: true });
    ignoreOutages(client);
    const { page } = client;
    await openEntry(client, 'Plain');
    await hasKept(page, '/logs/1', '/bootstrap', '/me');
    await logbook.stop('SIGKILL');
    await page.reload();
    await page.locator('.doc').getByText('Read a week ago.').first().waitFor();
    await shiftClock(client, days);
    await page.reload();
    await expect.poll(() => page.evaluate(keptText)).not.toContain('Read a week ago.');
    await client.close();
  });

  test('what a user has read stays if the session only seems to have ended, as after a day of changes', async () => {
    await create('Plain', 'Read a day ago.');
    const client = await open();
    const { page } = client;
    await openEntry(client, 'Plain');
    await hasKept(page, '/logs/1', '/bootstrap', '/me');
    await page.goto(logbook.origin);
    await page.locator('.entry-row').waitFor();
    await logbook.stop('SIGKILL');
    await shiftClock(client, 1);
    await page.reload();
    await page.getByText('No connection to the logbook.').first().waitFor();
    expect(await page.locator('.entry-row').count()).toBe(0);
    await restart();
    await page.reload();
    await expect.poll(() => page.evaluate(isUserKeptLater)).toBe(true);
    await logbook.stop('SIGKILL');
    await page.goto(`${logbook.origin}/entries/1`);
    await page.locator('.doc').getByText('Read a day ago.').first().waitFor();
    await client.close();
  });

  test('an upgrade: an open tab keeps its draft and its files until it is closed; the wall gets the new version; the worker goes with its script', async () => {
    const client = await open();
    const { page } = client;
    await hasKept(page, '/bootstrap');
    const writing = await browser.open(logbook.origin, { beside: client, path: '/write' });
    ignoreOutages(writing);
    const draft = new DraftPage(writing.page);
    await draft.text.waitFor();
    await draft.write('Before the upgrade', 'Begun.');
    await draft.chooseLogbook();
    await draft.light();
    await writing.page.evaluate('window.isSame = true');
    const wall = await browser.open(logbook.origin, { beside: client, path: '/wall' });
    ignoreOutages(wall);
    await wall.page.getByText('following').waitFor();
    const before = await shells(page);
    expect(before).toHaveLength(1);
    const copy = await makeTempDir();
    const program = await copyProgram(copy);
    await renameBuild(copy);
    await restart({ program, args: ['serve', '--demo'] });
    await page.reload();
    await expect.poll(() => shells(page)).toEqual([...before, `${before[0]}2`]);
    await expect.poll(() => page.evaluate(isWaiting)).toBe(true);
    await writing.page.bringToFront();
    await draft.append(' Continued.');
    await draft.light();
    expect(await writing.page.evaluate('window.isSame')).toBe(true);
    // The service no longer has the files of this page.
    const [old = ''] = await writing.page.evaluate<string[]>(keptFiles(before[0] ?? '', 'administration-page'));
    expect(await writing.page.evaluate<number>(`fetch('${old}').then(({ status }) => status)`)).toBe(200);
    expect((await call(`${logbook.origin}${old}`)).status).toBe(404);
    await draft.send();
    await draft.sent();
    expect(await sources()).toEqual(['Begun. Continued.']);
    await expect.poll(() => wall.page.locator('meta[name=build]').getAttribute('content')).toBe(`${before[0]}2`);
    for (const one of [client, writing, wall]) await one.expectClean();
    // While a debugger is attached to the workers, a page that is opened during their replacement may hang.
    const replaced = Promise.race(client.context.serviceWorkers().map((worker) => worker.waitForEvent('close')));
    for (const one of [client, writing, wall]) await one.page.close();
    await replaced;
    const { page: after } = await browser.open(logbook.origin, { beside: client });
    await expect.poll(() => shellsOfNewWorker(after)).toEqual([`${before[0]}2`]);
    await hideWorker(copy);
    await restart({ program, args: ['serve', '--demo'] });
    await after.reload();
    await isRemoved(after);
    await showWorker(copy);
    await restart({ program, args: ['serve', '--demo'] });
    // Chromium may restore data that were just removed, but not for another user of the browser.
    const other = await open();
    await hasKept(other.page, '/bootstrap');
    await removeWorker(copy);
    await restart({ program, args: ['serve', '--demo'] });
    await other.page.reload();
    await isRemoved(other.page);
    for (const one of [client, other]) await one.close();
  });

  test('answers that may no longer be read are not kept: after a removal and after signing out', async () => {
    await restart({ env: { ...env, LOGBOOK_REQUIRE_SIGN_IN_FOR_READS: 'true' } });
    await create('Camera replaced', 'its password is swordfish');
    await create('Quiet shift', 'Nothing happened.');
    const client = await open();
    const { page } = client;
    await openEntry(client, 'Camera replaced');
    await openEntry(client, 'Quiet shift');
    await hasKept(page, '/logs/search', '/logs/1', '/logs/2');
    // The page learns of changes once it is live.
    await page.locator('.live:not(.connecting, .off)').waitFor();
    expect(await page.evaluate(keptText)).toContain('swordfish');
    const json = { text: true, reason: 'It showed a password.' };
    await call(`${logbook.base}/logs/1/redaction`, { method: 'POST', json, as: admin });
    await expect.poll(() => page.evaluate(keptText)).not.toContain('swordfish');
    expect(await page.evaluate(keptText)).toContain('Nothing happened.');
    await page.getByRole('button', { name: 'Account of user' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await expect.poll(() => page.evaluate(keptText)).toContain('"userName":null');
    expect(await page.evaluate(keptText)).not.toContain('Nothing happened.');
    await logbook.stop('SIGKILL');
    await page.reload();
    await page.getByText('No connection to the logbook.').first().waitFor();
    await client.close();
  });

  test('signing out after the session has ended forgets what was read, and shows that no one is signed in', async () => {
    await restart({ env: { ...env, LOGBOOK_REQUIRE_SIGN_IN_FOR_READS: 'true' } });
    await create('Quiet shift', 'Nothing happened.');
    const client = await open();
    client.expectConsole('401');
    const { page } = client;
    await openEntry(client, 'Quiet shift');
    await hasKept(page, '/logs/search', '/logs/1', '/me');
    await page.getByRole('button', { name: 'Account of user' }).click();
    // The browser drops the session, and the page does not notice.
    await client.context.clearCookies();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await expect.poll(() => page.evaluate(keptText)).toContain('"userName":null');
    expect(await page.evaluate(keptText)).not.toContain('Nothing happened.');
    await expect.poll(() => page.evaluate("localStorage.getItem('logbook.signedInAs')")).toBeNull();
    await expect.poll(() => page.getByText('Your session has ended.').count()).toBe(0);
    await client.close();
  });

  test('plain HTTP: there is no worker, and the page works; what could not be loaded works after the outage', async () => {
    await create('Plain', 'Text.');
    const client = await browser.open(logbook.origin.replace('127.0.0.1', plainHost), { as: null, hasWorker: true });
    await openEntry(client, 'Plain');
    expect(await client.page.evaluate("'serviceWorker' in navigator")).toBe(false);
    await logbook.stop('SIGKILL');
    await client.page.getByText(/Not connected since/).waitFor();
    await client.page.getByRole('button', { name: 'Settings' }).click();
    await client.page.getByRole('button', { name: 'Show it again' }).waitFor();
    await restart();
    await client.page.getByRole('button', { name: 'Show it again' }).click();
    await client.page.getByRole('button', { name: 'Settings' }).click();
    await client.page.getByRole('menuitemradio', { name: 'Night, red only' }).waitFor();
    await client.close();
  });
});

function ignoreOutages(client: WebClientPage): void {
  for (const text of ['net::ERR_', 'WebSocket', 'FetchEvent']) client.expectConsole(text);
}

/** Sets the clock of the worker. */
async function shiftClock(client: WebClientPage, days: number): Promise<void> {
  const [worker] = client.context.serviceWorkers();
  await worker?.evaluate(`Date.now = () => performance.timeOrigin + performance.now() + ${days} * 86_400_000`);
}

/** Waits until the worker serves the page and has kept these answers. */
async function hasKept(page: Page, ...paths: readonly string[]): Promise<void> {
  const kept = `caches.open('logbook-answers').then((cache) => cache.keys())
    .then((requests) => requests.map(({ url }) => new URL(url).pathname))`;
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  const wanted = paths.map((path) => `/logbook${path}`);
  await expect.poll(() => page.evaluate<string[]>(kept)).toEqual(expect.arrayContaining(wanted));
}

/** The builds whose files are kept. */
async function shells(page: Page): Promise<string[]> {
  const names = await page.evaluate<string[]>('caches.keys()');
  return names.filter((name) => name.startsWith('logbook-shell-')).map((name) => name.slice('logbook-shell-'.length));
}

/** The builds whose files are kept by the worker that takes over once no page of the one before it is open. */
async function shellsOfNewWorker(page: Page): Promise<string[]> {
  // The browser may notice late that the other pages are closed.
  if (await page.evaluate(isWaiting)) {
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
  }
  return shells(page);
}

/** Waits until the worker has removed itself and everything that it kept. */
async function isRemoved(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('caches.keys()')).toEqual([]);
  expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)')).toBe(0);
}

const isWaiting = "navigator.serviceWorker.getRegistration('/').then(({ waiting }) => waiting !== null)";

const keptFiles = (build: string, part: string) => `caches.open('logbook-shell-${build}')
  .then((cache) => cache.keys())
  .then((requests) => requests.map(({ url }) => new URL(url).pathname).filter((path) => path.includes('${part}')))`;

/** Whether the page of that build is kept, and with it all of its files. */
const hasPage = (build: string) =>
  `caches.match('/', { cacheName: 'logbook-shell-${build}' }).then((page) => page !== undefined)`;

const removeKept = 'caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))';

/** Whether the worker has kept who the user is after its clock was set ahead. */
const isUserKeptLater = `caches.match('/logbook/me', { ignoreVary: true })
  .then((answer) => Number(answer.headers.get('x-logbook-stored')) > Date.now())`;

/** All answers that are kept, as one text. */
const keptText = `caches.open('logbook-answers')
  .then((cache) => cache.matchAll())
  .then((answers) => Promise.all(answers.map((answer) => answer.text())))
  .then((texts) => texts.join())`;
