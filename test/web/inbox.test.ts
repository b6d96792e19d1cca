import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectSomeFocus } from '../fixtures/focused.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('the inbox in the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;
  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());
  const admin = { as: 'admin:adminPass' };

  test('a watched search and a thread: the bell counts new entries, which are read in the inbox', async () => {
    const { id } = await logbook.create({ title: 'Vacuum valve closed' }, '', admin);
    const { page, ...client } = await open(`/?query=${encodeURIComponent('quench')}`);
    await page.getByRole('button', { name: 'Watch this search' }).click();
    await page.getByRole('button', { name: 'Watch this search', pressed: true }).waitFor();
    await page.goto(`${logbook.origin}/entries/${id}`);
    await page.getByRole('button', { name: 'More' }).first().click();
    await page.getByRole('menuitem', { name: 'Watch this thread', exact: true }).click();
    await page.getByText('New replies appear in your inbox.').waitFor();
    await logbook.create({ title: 'Quench in sector 4', level: 'Problem' }, '', admin);
    await logbook.create({ title: 'It leaks' }, `?inReplyTo=${id}`, admin);
    await page.getByRole('link', { name: 'Inbox, 2 unread' }).click();
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    const titles = page.locator('.inbox-title');
    await expect
      .poll(() => titles.allInnerTexts())
      .toEqual([expect.stringContaining('It leaks'), expect.stringContaining('Quench in sector 4')]);
    await client.expectAccessible();
    await client.screenshot('inbox');
    await page.getByRole('link', { name: /Quench in sector 4/ }).click();
    await page.getByRole('heading', { name: 'Quench in sector 4' }).waitFor();
    await page.getByRole('link', { name: 'Inbox, 1 unread' }).click();
    await page.getByRole('button', { name: 'Mark 1 as read' }).click();
    await page.getByRole('link', { name: 'Inbox', exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Mark 1 as read' }).waitFor({ state: 'detached' });
    await expectSomeFocus(page);
    await client.expectClean();
    await client.close();
  });

  test('replies and mentions are chosen in the inbox, and watches deleted', async () => {
    const { page, ...client } = await open('/inbox');
    const replies = page.getByRole('checkbox', { name: 'Replies to my entries' });
    await replies.click();
    await expect.poll(() => replies.isChecked()).toBe(true);
    const watches = async () => (await logbook.get('/me/watches')).body.map(({ kind }: { kind: string }) => kind);
    await expect.poll(watches).toContain('replies');
    const own = await logbook.create({ title: 'My question' });
    await logbook.create({ title: 'An answer' }, `?inReplyTo=${own.id}`, admin);
    await page.getByRole('link', { name: /An answer.*Reply to your entry/s }).waitFor();
    await replies.click();
    await expect.poll(watches).not.toContain('replies');
    const handOvers = page.getByRole('checkbox', { name: 'Hand-overs to take over' });
    await handOvers.click();
    await expect.poll(() => handOvers.isChecked()).toBe(true);
    const handOver = (attribute: string) => ({
      properties: [{ name: 'Hand-over', attributes: [{ name: attribute, value: '1' }] }],
    });
    await logbook.create({ title: 'Taken over', ...handOver('acknowledges') }, '', admin);
    await logbook.create({ title: 'Of the night shift', ...handOver('shift') }, '', admin);
    await page.getByRole('link', { name: /Of the night shift.*Hand-overs to take over/s }).waitFor();
    expect(await page.getByText('Taken over').count()).toBe(0);
    await page.evaluate("localStorage.setItem('logbook.language', 'de')");
    await page.reload();
    await page.getByRole('link', { name: /Of the night shift.*Übergaben/s }).waitFor();
    await page.evaluate("localStorage.removeItem('logbook.language')");
    await page.reload();
    await handOvers.click();
    await expect.poll(() => handOvers.isChecked()).toBe(false);
    const stop = page.getByRole('button', { name: 'Stop watching' });
    await stop.first().click();
    await expect.poll(() => stop.count()).toBe(1);
    await expectSomeFocus(page);
    expect(await watches()).toHaveLength(1);
    await client.expectClean();
    await client.close();
  });

  test('a user who signs in after another one does not see the inbox of the first', async () => {
    const own = await logbook.create({ title: 'For the user only' });
    expect((await logbook.post('/me/watches', { kind: 'replies' })).status).toBe(200);
    await logbook.create({ title: 'Seen by the user' }, `?inReplyTo=${own.id}`, admin);
    const { page, ...client } = await open('/inbox');
    await page.getByText('Seen by the user').waitFor();
    await page.getByRole('button', { name: 'Account of user' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('Sign in to see what concerns you.').waitFor();
    await page.route(/[/]me[/](inbox|watches)/, () => undefined);
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password').fill('adminPass');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account of admin' }).waitFor();
    await page
      .getByRole('link', { name: /^Inbox/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    expect(await page.getByText('Seen by the user').count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: 'Replies to my entries' }).isChecked()).toBe(false);
    await client.close();
  });

  test('visitors are asked to sign in; a phone in German and in the dark', async () => {
    const visitor = await browser.open(logbook.origin, { path: '/inbox', as: null });
    await visitor.page.getByText('Sign in to see what concerns you.').waitFor();
    await visitor.expectClean();
    await visitor.close();
    const phone = await browser.open(logbook.origin, {
      ...{ path: '/inbox', width: 360, height: 740, locale: 'de-DE', theme: 'dark' },
    });
    await phone.page.getByRole('heading', { name: 'Posteingang', exact: true }).waitFor();
    await phone.expectAccessible();
    await phone.screenshot('inbox-phone-german');
    await phone.expectClean();
    await phone.close();
  });

  test('mails, messages in a chat and quiet hours are chosen in the inbox, where the service offers them', async () => {
    const dir = await makeTempDir();
    const embeddedLdapPropertySource = join(dir, 'embedded.properties');
    await writeFile(embeddedLdapPropertySource, 'embedded_ldap.port = 0\n');
    const mailing = await TestService.start({
      ...{ authenticationProviders: 'embeddedLdap', embeddedLdapPropertySource, publicUrl: 'https://log.example.org' },
      // Nothing is sent, because no user watches anything.
      ...{ smtpUrl: 'smtp://127.0.0.1:9', smtpFrom: 'logbook@example.org', chatUrl: 'http://127.0.0.1:9/' },
    });
    const as = 'operator:operatorPass';
    const choice = async () => (await mailing.get('/me/delivery', { as })).body;
    try {
      const client = await browser.open(mailing.origin, { path: '/inbox', as });
      const { page } = client;
      // The first choice of quiet hours reaches the service after the others were made.
      let release = () => {};
      const isMade = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/me/delivery', async (route) => {
        if (route.request().postData()?.includes('22:00')) await isMade;
        await route.continue();
      });
      await page.getByRole('checkbox', { name: 'Mail new ones to operator@logbook.example' }).click();
      await page.getByRole('checkbox', { name: /^Quiet hours/ }).click();
      await page.getByLabel('From', { exact: true }).fill('21:30');
      await page.getByLabel('to', { exact: true }).fill('05:00');
      await page.getByLabel('to', { exact: true }).blur();
      release();
      await expect.poll(choice).toMatchObject({ mail: true, quiet: { from: '21:30', to: '05:00' } });
      await client.expectAccessible();
      await client.screenshot('inbox-delivery');
      await page.getByRole('checkbox', { name: /^Mail new ones/ }).click();
      await page.getByRole('checkbox', { name: 'Send new ones to @operator in the chat' }).click();
      await expect.poll(choice).toMatchObject({ mail: false, chat: true });
      // The quiet hours of the chat; a choice of other ones leaves it on.
      await page.getByLabel('From', { exact: true }).fill('20:00');
      await page.getByLabel('From', { exact: true }).blur();
      await expect.poll(choice).toMatchObject({ chat: true, quiet: { from: '20:00', to: '05:00' } });
      await client.expectClean();
      await client.close();
      const dark = { locale: 'de-DE', theme: 'dark', width: 360, height: 740 } as const;
      const phone = await browser.open(mailing.origin, { path: '/inbox', as, ...dark });
      await phone.page.getByRole('checkbox', { name: 'Neues an operator@logbook.example mailen' }).click();
      await phone.page.getByRole('checkbox', { name: /^Ruhezeit/, checked: true }).waitFor();
      await phone.page.getByRole('checkbox', { name: 'Neues an @operator im Chat senden', checked: true }).waitFor();
      await phone.expectAccessible();
      await phone.screenshot('inbox-delivery-phone-german');
      await phone.expectClean();
      await phone.close();
    } finally {
      await mailing.stop();
      await rm(dir, { recursive: true });
    }
  });

  test('each saved search counts what others wrote since it was opened, in all browsers; opening it marks no item read', async () => {
    const text = 'cryo level=Problem';
    const query = new URLSearchParams({ query: text }).toString();
    await logbook.post('/me/inbox/read', { upTo: Number.MAX_SAFE_INTEGER });
    const save = async (name: string, saved: string) =>
      (await logbook.post('/me/searches', { name, query: saved, shared: false })).body.id as string;
    const cryo = await save('Cryo trips', `${query}&sort=up`);
    const pumps = await save('Pumps', 'query=pump');
    await logbook.post('/me/watches', { kind: 'search', query });
    await logbook.create({ title: 'Pump of the past' }, '', admin);
    const { page, ...client } = await open('/');
    const opened = async () => (await logbook.get('/me/settings')).body.openedSearches ?? {};
    await expect.poll(async () => Object.keys(await opened())).toEqual(expect.arrayContaining([cryo, pumps]));
    await logbook.create({ title: 'My own pump' });
    await logbook.create({ title: 'Pump exchanged' }, '', admin);
    await logbook.create({ title: 'Cryo plant stopped', level: 'Problem' }, '', admin);
    await logbook.create({ title: 'Cryo plant stopped again', level: 'Problem' }, '', admin);
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await link('Cryo trips 2 unread').waitFor();
    await link('Pumps 1 unread').waitFor();
    await client.expectAccessible();
    await client.screenshot('saved-unread');
    await link('Cryo trips 2 unread').click();
    await page.getByText('2 entries').first().waitFor();
    await link('Cryo trips').waitFor();
    await link('Pumps 1 unread').waitFor();
    const unread = async () => (await logbook.get('/me/inbox')).body.unread;
    await expect.poll(unread).toBe(2);
    const before = await opened();
    await expect.poll(async () => (await opened())[cryo]).toBeGreaterThan(before[pumps]);
    const phone = await browser.open(logbook.origin, { path: '/saved', width: 360, height: 740 });
    await phone.page.getByRole('link', { name: 'Pumps 1 unread', exact: true }).waitFor();
    await phone.page.getByRole('link', { name: 'Cryo trips', exact: true }).waitFor();
    await phone.expectAccessible();
    await phone.expectClean();
    await phone.close();
    await page.goto(logbook.origin);
    await link('Pumps 1 unread').waitFor();
    await link('Cryo trips').waitFor();
    // Opened again with nothing new: nothing is stored for it.
    const stored = (await opened())[cryo];
    await logbook.create({ title: 'Vacuum' }, '', admin);
    await link('Cryo trips').click();
    await page.getByText('2 entries').first().waitFor();
    await link('Pumps 1 unread').click();
    await link('Pumps').waitFor();
    await expect.poll(async () => (await opened())[pumps]).toBeGreaterThan(stored);
    expect((await opened())[cryo]).toBe(stored);
    await client.expectClean();
    await client.close();
  });

  async function open(path: string) {
    const client = await browser.open(logbook.origin, { path });
    return {
      page: client.page,
      expectAccessible: () => client.expectAccessible(),
      screenshot: (name: string) => client.screenshot(name),
      expectClean: () => client.expectClean(),
      close: () => client.close(),
    };
  }
});
