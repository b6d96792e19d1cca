import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aSignal } from '../fixtures/a-signal.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { withoutTimers } from '../fixtures/held-timers.js';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir, TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

/** Browsers whose storage is switched off throw, and those whose disk is full refuse what is stored. */
const storageFaults = {
  'switched off': `IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError'); };
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });`,
  full: `IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };
    Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`,
} as const;

/** Keeps the drafts of the browser locked until the page sets `isDatabaseFree`, and counts the writes that wait for them. */
const holdDatabase = `new Promise((done) => {
  window.waitingWrites = 0;
  const { transaction } = IDBDatabase.prototype;
  indexedDB.open('logbook').onsuccess = ({ target: { result: database } }) => {
    const store = database.transaction('drafts', 'readwrite').objectStore('drafts');
    const hold = () => {
      done();
      if (!window.isDatabaseFree) store.get('none').onsuccess = hold;
    };
    store.get('none').onsuccess = hold;
    IDBDatabase.prototype.transaction = function (...args) {
      if (args[1] === 'readwrite') window.waitingWrites += 1;
      return transaction.apply(this, args);
    };
  };
})`;

/** Whether the request sends a copy of a draft to the server. */
const isCopy = (request: Request) => request.method() === 'PUT' && request.url().includes('/drafts/');

describe.skipIf(withoutBrowser)('a browser, a network or a service that fails', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  const open = async (options: { script?: string; as?: string | null } = {}) => {
    const { script = '', as = 'user:userPass' } = options;
    const client = await browser.open(logbook.origin, { path: '/sign-in', as });
    await client.context.addInitScript(script);
    return { client, draft: await openDraft(client) };
  };
  const openDraft = async ({ page, origin }: WebClientPage, path = '/write') => {
    await page.goto(`${origin}${path}`);
    const draft = new DraftPage(page);
    await draft.text.waitFor();
    return draft;
  };
  const sources = async (title: string): Promise<string[]> =>
    (await logbook.search(`title=${title}`)).logs.map(({ source }) => source);

  /** Returns the texts of the drafts with that title on the server. */
  const storedTexts = async (title: string): Promise<string[]> => {
    const drafts = (await logbook.get('/drafts')).body as { id: string; title: string }[];
    const ids = drafts.filter((one) => one.title === title).map(({ id }) => id);
    return Promise.all(ids.map(async (id) => (await logbook.get(`/drafts/${id}`)).body.content.text));
  };

  test.each(Object.entries(storageFaults))(
    'storage that is %s: the page says so, and the entry is sent once',
    async (name, script) => {
      const title = `Storage${name.length}`;
      const { client, draft } = await open({ script });
      await draft.write(title, 'Kept by the server.');
      await draft.chooseLogbook();
      await draft.light('server');
      await client.expectAccessible();
      await draft.send();
      await draft.sent();
      expect(await sources(title)).toEqual(['Kept by the server.']);
      await expect.poll(async () => (await logbook.get('/drafts')).body).toEqual([]);
      await client.expectClean();
      await client.close();
    },
  );

  test('the address of a text that only the server has stays when the service does not answer', async () => {
    const { client, draft } = await open({ script: storageFaults['switched off'] });
    const { page } = client;
    await draft.write('Only there', 'Kept by the server.');
    await draft.light('server');
    const { pathname } = new URL(page.url());
    client.expectConsole('net::ERR_');
    await page.route(/\/logbook\/drafts/, (route) => route.abort('connectionreset'));
    await page.reload();
    await draft.text.waitFor();
    expect(new URL(page.url()).pathname).toBe(pathname);
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await expect.poll(() => draft.text.textContent()).toBe('Kept by the server.');
    await client.close();
  });

  test.each(Object.entries(storageFaults))(
    'storage that is %s, and no session: leaving the page asks first',
    async (_, script) => {
      const { client } = await open({ script, as: null });
      const draft = await openDraft(client);
      await draft.write('Nowhere else', 'Only here.');
      await draft.light('page');
      const asked = client.page.waitForEvent('dialog');
      await client.page.close({ runBeforeUnload: true });
      const dialog = await asked;
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
      await expect.poll(() => draft.text.innerText()).toBe('Only here.');
      await client.close();
    },
  );

  test('the editor of an entry does not get the text that someone else has begun in the same browser', async () => {
    const entry = await logbook.create({ title: 'Shared computer', source: 'Original.' });
    const { client } = await open();
    const first = await openDraft(client, `/write?edit=${entry.id}`);
    await first.append(' Of the first.');
    await first.light();
    await client.context.request.post(`${logbook.base}/logout`);
    await client.context.request.post(`${logbook.base}/login`, { data: { username: 'admin', password: 'adminPass' } });
    const second = await openDraft(client, `/write?edit=${entry.id}`);
    await expect.poll(() => second.text.innerText()).toBe('Original.');
    await client.context.request.post(`${logbook.base}/login`, { data: { username: 'user', password: 'userPass' } });
    const again = await openDraft(client, `/write?edit=${entry.id}`);
    await expect.poll(() => again.text.innerText()).toBe('Original. Of the first.');
    await client.close();
  });

  test('a text that was written before the sign-in belongs to that user, and not to the next one', async () => {
    const { client, draft } = await open({ as: null });
    const { page, context } = client;
    await draft.write('Signed in later', 'Of the first.');
    await draft.light('signIn');
    await context.request.post(`${logbook.base}/login`, { data: { username: 'user', password: 'userPass' } });
    await page.reload();
    await draft.light();
    await context.request.post(`${logbook.base}/logout`);
    await context.request.post(`${logbook.base}/login`, { data: { username: 'admin', password: 'adminPass' } });
    await page.goto(`${client.origin}/drafts`);
    await page.getByText('No drafts.').waitFor();
    await context.request.post(`${logbook.base}/login`, { data: { username: 'user', password: 'userPass' } });
    await page.reload();
    await page.getByRole('link', { name: /Signed in later/ }).click();
    await expect.poll(() => draft.text.innerText()).toBe('Of the first.');
    await client.close();
  });

  test('another tab stays idle while this one sends over a slow network', async () => {
    const { client, draft } = await open();
    const other = await browser.open(logbook.origin, { beside: client });
    await other.page.evaluate(`{
      window.transactions = 0;
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (...args) { window.transactions += 1; return transaction.apply(this, args); };
    }`);
    await draft.write('SlowSending', 'Once.');
    await draft.chooseLogbook();
    await draft.light();
    const arrived = aSignal();
    const goOn = aSignal();
    await client.page.route(/\/logbook\/logs\?/, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      arrived.resolve();
      await goOn.promise;
      return route.continue();
    });
    await draft.send();
    await arrived.promise;
    await other.page.waitForTimeout(2_000);
    expect(await other.page.evaluate<number>('window.transactions')).toBeLessThan(50);
    goOn.resolve();
    await draft.sent();
    expect(await sources('SlowSending')).toEqual(['Once.']);
    await client.close();
  });

  test('an entry is sent when the clock of the computer is set back while it waits', async () => {
    const { client, draft } = await open();
    await client.page.clock.setFixedTime(Date.now() + 400 * 86_400_000);
    await draft.write('FromTheFuture', 'Once.');
    await draft.chooseLogbook();
    await draft.send();
    await client.page.clock.setFixedTime(Date.now());
    await draft.sent();
    expect(await sources('FromTheFuture')).toEqual(['Once.']);
    await client.close();
  });

  test('typing while the server stores the draft leaves one draft', async () => {
    const { client, draft } = await open();
    await draft.write('Steadily typed', '');
    await draft.light();
    const { pathname } = new URL(client.page.url());
    // A letter before each answer of the server, and one after it, before the browser has stored the first.
    await client.page.route(/\/logbook\/drafts\/[^/]+$/, async (route) => {
      const response = await route.fetch();
      await client.page.keyboard.type('b');
      await route.fulfill({ response });
    });
    for (let round = 0; round < 4; round += 1) {
      const stored = client.page.waitForResponse((response) => isCopy(response.request()));
      await client.page.keyboard.type('a');
      await stored;
      await client.page.waitForTimeout(60);
      await client.page.keyboard.type('c');
    }
    // A copy that is on its way is answered before.
    await client.page.unrouteAll({ behavior: 'wait' });
    await draft.light();
    expect(new URL(client.page.url()).pathname).toBe(pathname);
    await expect.poll(() => client.page.getByText('Another page changed this draft').count()).toBe(0);
    const drafts = (await logbook.get('/drafts')).body as { title: string }[];
    expect(drafts.filter(({ title }) => title === 'Steadily typed')).toHaveLength(1);
    await client.close();
  });

  // A long text is not in the journal of the browser.
  test.each([4, 25_000])(
    'typing in %i letters while the database is slow loses nothing and leaves one draft',
    async (length) => {
      const { client, draft } = await open();
      const { page } = client;
      const title = `Slow database ${length}`;
      await draft.write(title, 'x'.repeat(length));
      await draft.light();
      const arrived = aSignal();
      const goOn = aSignal();
      await page.route(/\/logbook\/drafts\/[^/]+$/, async (route) => {
        const response = await route.fetch();
        arrived.resolve();
        await goOn.promise;
        await route.fulfill({ response });
      });
      await page.keyboard.type('a');
      await arrived.promise;
      await page.evaluate(holdDatabase);
      // The answer of the server waits for the database, a letter waits behind it, and the next one is typed in the meantime.
      goOn.resolve();
      await draft.light();
      await page.keyboard.type('b');
      await expect.poll(() => page.evaluate('window.waitingWrites')).toBe(1);
      await page.keyboard.type('c');
      // The page wants to store this one too by then.
      await page.evaluate('new Promise((done) => setTimeout(done, 400))');
      await page.evaluate('window.isDatabaseFree = true');
      const texts = async () => (await storedTexts(title)).map((text) => text.replace(/^x+/, ''));
      await expect.poll(texts).toContain('abc');
      expect(await texts()).toEqual(['abc']);
      await client.expectClean();
      await client.close();
    },
  );

  test.each(['comes late', 'is lost'])(
    'the answer to the first copy %s: taking the entry back and writing on leaves one draft',
    async (answer) => {
      const title = `Answer ${answer}`;
      const { client, draft } = await open();
      const { page } = client;
      // The page that is opened again does not know of the copy.
      for (const text of ['412', 'net::ERR_']) client.expectConsole(text);
      const arrived = aSignal();
      const goOn = aSignal();
      let isFirst = true;
      await page.route(/\/logbook\/drafts\/[^/]+$/, async (route) => {
        if (!isFirst) return route.continue();
        isFirst = false;
        const response = await route.fetch();
        arrived.resolve();
        await goOn.promise;
        return answer === 'is lost' ? route.abort('connectionreset') : route.fulfill({ response });
      });
      await draft.write(title, 'Before.');
      await draft.chooseLogbook();
      await arrived.promise;
      await withoutTimers(page, async () => {
        await draft.send();
        await page.getByRole('button', { name: 'Undo' }).click();
        await draft.append(' After.');
      });
      if (answer === 'is lost') goOn.resolve();
      await expect.poll(() => storedTexts(title)).toEqual(['Before. After.']);
      await draft.light();
      if (answer === 'comes late') {
        const answered = page.waitForResponse((response) => isCopy(response.request()));
        goOn.resolve();
        await answered;
      }
      // The page has stored what the answer says.
      await page.evaluate('new Promise((done) => setTimeout(done, 500))');
      await draft.light();
      await client.expectClean();
      await client.close();
    },
  );

  test('a copy that is read before a later one is stored, and arrives after it, does not replace the text', async () => {
    const title = 'Read late';
    const { client, draft } = await open();
    const { page } = client;
    await draft.write(title, 'Before.');
    await draft.light();
    const read = aSignal();
    const goOn = aSignal();
    let isFirst = true;
    await page.route(/\/logbook\/drafts\/[^/]+$/, async (route) => {
      if (!isFirst || route.request().method() !== 'GET') return route.continue();
      isFirst = false;
      const response = await route.fetch();
      read.resolve();
      await goOn.promise;
      await route.fulfill({ response });
    });
    await page.reload();
    await read.promise;
    await draft.append(' After.');
    await expect.poll(() => storedTexts(title)).toEqual(['Before. After.']);
    await draft.light();
    // It is read again, because it was out of date.
    const isRead = (request: Request) => request.method() === 'GET' && request.url().includes('/drafts/');
    const readAgain = page.waitForRequest(isRead);
    goOn.resolve();
    await readAgain;
    await draft.light();
    expect(await draft.text.innerText()).toBe('Before. After.');
    expect(await storedTexts(title)).toEqual(['Before. After.']);
    await client.expectClean();
    await client.close();
  });

  test('a copy that reaches the server after the entry does not stay as a draft', async () => {
    const { client, draft } = await open();
    const goOn = aSignal();
    await client.page.route(/\/logbook\/drafts\/[^/]+$/, async (route) => {
      if (route.request().method() === 'PUT') await goOn.promise;
      return route.continue();
    });
    const begun = client.page.waitForRequest(isCopy);
    await draft.write('Overtaken', 'Once.');
    await draft.chooseLogbook();
    await begun;
    await draft.send();
    await draft.sent();
    const deleted = client.page.waitForResponse((response) => response.request().method() === 'DELETE');
    goOn.resolve();
    await deleted;
    expect((await logbook.get('/drafts')).body.map(({ title }: { title: string }) => title)).not.toContain('Overtaken');
    expect(await sources('Overtaken')).toEqual(['Once.']);
    await client.close();
  });

  test('a copy that reaches the server when the page is closed already is removed at the next start', async () => {
    const { client, draft } = await open();
    await client.page.route(/\/logbook\/drafts\/[^/]+$/, async (route) => {
      // A copy gets no answer: the page is closed while the request is on its way.
      if (route.request().method() !== 'PUT') await route.continue();
    });
    const begun = client.page.waitForRequest(isCopy);
    await draft.write('Left behind', 'Once.');
    await draft.chooseLogbook();
    const request = await begun;
    await draft.send();
    await draft.sent();
    await client.page.close();
    await logbook.put(new URL(request.url()).pathname.replace('/logbook', ''), request.postDataJSON());
    const titles = async () => (await logbook.get('/drafts')).body.map(({ title }: { title: string }) => title);
    expect(await titles()).toContain('Left behind');
    await browser.open(logbook.origin, { beside: client });
    await expect.poll(titles).not.toContain('Left behind');
    expect(await sources('Left behind')).toEqual(['Once.']);
    await client.close();
  });

  test.each([
    ['works', ''],
    ['is switched off', storageFaults['switched off']],
  ])('storage that %s: a copy that the service does not remove at first is removed later', async (name, script) => {
    const title = `Kept at first ${name}`;
    const { client, draft } = await open({ script });
    const { page } = client;
    client.expectConsole('net::ERR_');
    const goOn = aSignal();
    let isFirst = true;
    await page.route(/\/logbook\/drafts\/[^/]+$/, async (route) => {
      const method = route.request().method();
      if (method === 'PUT') {
        // The entry is sent while the copy is on its way; the copy arrives, and its page does not learn of it.
        await route.fetch();
        await goOn.promise;
        return route.abort('connectionreset');
      }
      if (method !== 'DELETE' || !isFirst) return route.continue();
      isFirst = false;
      return route.abort('connectionreset');
    });
    const begun = page.waitForRequest(isCopy);
    await draft.write(title, 'Once.');
    await draft.chooseLogbook();
    await begun;
    await expect.poll(() => storedTexts(title)).toHaveLength(1);
    await draft.send();
    await draft.sent();
    goOn.resolve();
    await expect.poll(() => storedTexts(title)).toEqual([]);
    expect(isFirst).toBe(false);
    expect(await sources(title)).toEqual(['Once.']);
    await client.expectClean();
    await client.close();
  });

  test('a service that answers nothing: the light says that it waits, sending continues, and the entry exists once', async () => {
    const frozen = await LogbookProcess.start(await makeTempDir());
    const client = await browser.open(frozen.origin, { path: '/write' });
    const draft = new DraftPage(client.page);
    await draft.text.waitFor();
    await draft.write('Frozen', 'Before.');
    await draft.chooseLogbook();
    await draft.light();
    await frozen.pause();
    await draft.append(' After.');
    await draft.light('offline');
    await draft.send();
    frozen.signal('SIGCONT');
    await draft.sent();
    const { body } = await call(`${frozen.base}/logs/search?title=Frozen`);
    expect(body.logs).toMatchObject([{ source: 'Before. After.' }]);
    await client.close();
    await frozen.stop();
  });
});
