import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aSignal } from '../fixtures/a-signal.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

/** Time after which a page stores what was typed. A test that stops this timer leaves the text unstored. */
const storeAfterMs = 200;

describe.skipIf(withoutBrowser)('a page of a draft that learns late what others have done', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  const openDraft = async (client: WebClientPage, path = '/write') => {
    await client.page.goto(`${client.origin}${path}`);
    const draft = new DraftPage(client.page);
    await draft.text.waitFor();
    return draft;
  };
  const open = async () => {
    const client = await browser.open(logbook.origin, { path: '/sign-in' });
    return { client, page: client.page, draft: await openDraft(client) };
  };
  const pathOf = ({ page }: WebClientPage) => new URL(page.url()).pathname;
  const admin = { username: 'admin', password: 'adminPass' };
  const signInElsewhere = async ({ context }: WebClientPage, data = { username: 'user', password: 'userPass' }) => {
    const answer = await context.request.post(`${logbook.base}/login`, { data });
    expect(answer.status()).toBe(200);
  };
  /** Returns the texts of the drafts with that title that the server has for the user. */
  const storedTexts = async (title: string, as = 'user:userPass'): Promise<string[]> => {
    const drafts = (await logbook.get('/drafts', { as })).body as { id: string; title: string }[];
    const ids = drafts.filter((one) => one.title === title).map(({ id }) => id);
    const texts = await Promise.all(
      ids.map(async (id) => (await logbook.get(`/drafts/${id}`, { as })).body.content.text),
    );
    return texts.sort();
  };

  test('a text is not stored under the account that another tab has signed in to', async () => {
    const { client, draft } = await open();
    for (const text of ['401', '404', '412']) client.expectConsole(text);
    await draft.write('Private', 'Before.');
    await draft.light();
    await signInElsewhere(client, admin);
    await draft.append(' After.');
    await draft.light('signIn');
    expect(await storedTexts('Private', 'admin:adminPass')).toEqual([]);
    await signInElsewhere(client);
    await client.page.reload();
    await expect.poll(() => storedTexts('Private')).toEqual(['Before. After.']);
    expect(await storedTexts('Private', 'admin:adminPass')).toEqual([]);
    await client.close();
  });

  test('an entry is not sent in the name of a user who signs in while it is on its way', async () => {
    const { client, page, draft } = await open();
    client.expectConsole('401');
    await page.route(/\/logbook\/logs\?/, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      await signInElsewhere(client, admin);
      // Sent with the cookie of the new session.
      return route.fulfill({ response: await route.fetch() });
    });
    await draft.write('In my name', 'Mine.');
    await draft.chooseLogbook();
    await draft.light();
    await draft.send();
    await page
      .getByText(/sign in/i)
      .first()
      .waitFor();
    expect((await logbook.search('title=In*')).logs).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await signInElsewhere(client);
    await page.reload();
    await expect.poll(async () => (await logbook.search('title=In*')).logs).toMatchObject([{ owner: 'user' }]);
    await client.close();
  });

  test('discarding a text that another tab has changed discards this one, and not the other', async () => {
    const { client, page, draft } = await open();
    await draft.write('Two tabs', 'Begun.');
    await draft.light();
    const other = await browser.open(logbook.origin, { beside: client, path: pathOf(client) });
    const theirs = new DraftPage(other.page);
    await expect.poll(() => theirs.text.textContent()).toBe('Begun.');
    await client.stopTimers(storeAfterMs);
    await draft.append(' Discarded.');
    await theirs.append(' Kept.');
    await theirs.light();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.goto(`${client.origin}/drafts`);
    await expect.poll(() => page.locator('.draft-words').allTextContents()).toEqual(['Begun. Kept.']);
    await client.close();
  });

  test('an entry that someone else edits before its answer arrives is merged with the later text', async () => {
    const { client, page, draft } = await open();
    client.expectConsole('412');
    const arrived = aSignal();
    const goOn = aSignal();
    await page.route(/\/logbook\/logs\?/, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      const response = await route.fetch();
      arrived.resolve();
      await goOn.promise;
      return route.fulfill({ response });
    });
    await draft.write('LateAnswer', 'Before.');
    await draft.chooseLogbook();
    await draft.light();
    await draft.send();
    await arrived.promise;
    await page.getByRole('button', { name: 'Undo' }).click();
    await draft.append(' After.');
    await draft.light();
    const [entry] = (await logbook.search('title=LateAnswer')).logs;
    const edit = { ...entry, source: 'Of someone else.' };
    expect((await logbook.post(`/logs/${entry?.id}`, edit, { as: 'admin:adminPass' })).status).toBe(200);
    goOn.resolve();
    await page.getByRole('button', { name: 'Show changes' }).waitFor();
    await draft.light();
    await page.keyboard.press('Control+Enter');
    await page.locator('main.merge').waitFor();
    const [now] = (await logbook.search('title=LateAnswer')).logs;
    expect(now?.source).toBe('Of someone else.');
    await client.close();
  });

  test('the light waits for the copy of a text that continues under another id', async () => {
    const { client, page, draft } = await open();
    for (const text of ['404', '412']) client.expectConsole(text);
    await draft.write('Forked', 'Begun.');
    await draft.light();
    const path = pathOf(client);
    const other = await browser.open(logbook.origin, { beside: client, path });
    other.expectConsole('412');
    const theirs = new DraftPage(other.page);
    await expect.poll(() => theirs.text.textContent()).toBe('Begun.');
    const arrived = aSignal();
    const goOn = aSignal();
    await page.route(`**/logbook/drafts/${path.replace('/write/', '')}`, async (route) => {
      const response = await route.fetch();
      arrived.resolve();
      await goOn.promise;
      await route.fulfill({ response });
    });
    await client.stopTimers(storeAfterMs);
    await draft.append(' Here.');
    await page.evaluate("dispatchEvent(new Event('online'))");
    await arrived.promise;
    await theirs.append(' There.');
    await other.page.waitForFunction(`new Promise((done) => setTimeout(() => done(true), ${2 * storeAfterMs}))`);
    // A page that ends stores its text. This one does not end.
    await page.evaluate("dispatchEvent(new Event('pagehide'))");
    await expect.poll(() => pathOf(client)).not.toBe(path);
    goOn.resolve();
    await draft.light();
    const id = pathOf(client).replace('/write/', '');
    expect((await logbook.get(`/drafts/${id}`)).body).toMatchObject({ content: { text: 'Begun. Here.' } });
    await expect.poll(() => storedTexts('Forked')).toEqual(expect.arrayContaining(['Begun. Here.', 'Begun. There.']));
    await client.close();
  });

  test('a draft of another computer that was opened without a session appears after the sign-in', async () => {
    const { client, draft } = await open();
    await draft.write('Later', 'Of another computer.');
    await draft.light();
    const second = await browser.open(logbook.origin, { path: '/sign-in', as: null });
    const again = await openDraft(second, pathOf(client));
    expect(await again.text.textContent()).not.toContain('Of another computer.');
    const { page } = await browser.open(logbook.origin, { beside: second, path: '/sign-in' });
    await page.getByLabel('User name').fill('user');
    await page.getByLabel('Password').fill('userPass');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => again.text.textContent()).toBe('Of another computer.');
    await again.light();
    expect(await storedTexts('Later')).toEqual(['Of another computer.']);
    await second.close();
    await client.close();
  });

  test('a draft of another computer that the service cannot deliver is not shown empty, and appears once it can', async () => {
    const { client, draft } = await open();
    await draft.write('Elsewhere', 'Of another computer.');
    await draft.light();
    const second = await browser.open(logbook.origin, { path: '/sign-in' });
    second.expectConsole('net::ERR_');
    await second.page.route(/\/logbook\/drafts/, (route) => route.abort('connectionreset'));
    await second.page.goto(`${logbook.origin}${pathOf(client)}`);
    const again = new DraftPage(second.page);
    await second.page.locator('.void').or(again.text).first().waitFor();
    expect(await again.text.count()).toBe(0);
    await second.page.unrouteAll({ behavior: 'wait' });
    await expect.poll(() => again.text.textContent()).toBe('Of another computer.');
    await second.close();
    await client.close();
  });
});
