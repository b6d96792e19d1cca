import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { OidcLogbook } from '../fixtures/oidc-logbook.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const asAdmin = { as: 'admin:adminPass' };

describe.skipIf(withoutBrowser)('signing in and out', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  test('a wrong password is reported; the right one leads back to the page before', async () => {
    const client = await browser.open(logbook.origin, { as: null, path: '/sign-in?returnTo=/administration/sessions' });
    const { page } = client;
    await page.getByLabel('User name').fill('user');
    await page.getByLabel('Password').fill('wrong');
    client.expectConsole('401');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('User name or password is wrong.').waitFor();
    await client.expectAccessible();
    await client.screenshot('sign-in');
    await page.getByLabel('Password').fill('userPass');
    const pages = await page.evaluate('history.length');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/administration/sessions');
    // Going back does not lead to the sign-in page.
    expect(await page.evaluate('history.length')).toBe(pages);
    await client.expectClean();
    await client.close();
  });

  test('a user who opens another page while data are read again after the sign-in stays there', async () => {
    const client = await browser.open(logbook.origin, { as: null, path: '/sign-in' });
    const { page } = client;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.getByLabel('User name').fill('user');
    await page.getByLabel('Password').fill('userPass');
    await page.route(/\/logbook\/bootstrap/, async (route) => {
      await released;
      await route.continue();
    });
    const readAgain = page.waitForRequest(/\/logbook\/bootstrap/);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account of user' }).waitFor();
    const request = await readAgain;
    await page.getByRole('link', { name: 'New entry' }).click();
    const draft = new DraftPage(page);
    await draft.title.fill('Begun early');
    release();
    await (await request.response())?.finished();
    await draft.light();
    expect(new URL(page.url()).pathname).toMatch(/^\/write\//);
    await client.close();
  });

  test('every tab notices a sign-out and a sign-in', async () => {
    const client = await browser.open(logbook.origin);
    const other = await browser.open(logbook.origin, { beside: client, path: '/administration/sessions' });
    await other.page.getByRole('button', { name: 'Account of user' }).waitFor();
    // A request that is on its way while the session ends is refused.
    for (const one of [client, other]) one.expectConsole('401');
    await client.page.getByRole('button', { name: 'Account of user' }).click();
    await client.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.page.getByText('Sign in to see your sessions and tokens.').waitFor();
    // Signing out is not a surprise: nothing says that the session has ended.
    await expect.poll(() => other.page.getByText('Your session has ended.').count()).toBe(0);
    await client.page.getByRole('link', { name: 'Sign in' }).first().click();
    await client.page.getByLabel('User name').fill('user');
    await client.page.getByLabel('Password').fill('userPass');
    await client.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await client.expectClean();
    await other.expectClean();
    await client.close();
  });

  test('signed out in one tab while two others write: no text is lost, and both continue after signing in in place', async () => {
    const client = await browser.open(logbook.origin);
    const first = await browser.open(logbook.origin, { beside: client, path: '/write' });
    const second = await browser.open(logbook.origin, { beside: client, path: '/write' });
    const drafts = [new DraftPage(first.page), new DraftPage(second.page)] as const;
    for (const [at, draft] of drafts.entries()) {
      await draft.page.bringToFront();
      await draft.write(`Tab ${at}`, 'Before.');
      await draft.chooseLogbook();
      await draft.light();
    }
    await client.page.bringToFront();
    await client.page.getByRole('button', { name: 'Account of user' }).click();
    await client.page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const one of [first, second]) one.expectConsole('401');
    for (const draft of drafts) {
      await draft.page.bringToFront();
      await draft.page.getByText(/Your session ended at/).waitFor();
      await draft.append(' After.');
      await draft.light('signIn');
    }
    await first.page.bringToFront();
    await first.page.keyboard.press('Control+Enter');
    await first.page.getByRole('dialog', { name: 'Sign in to send the entry' }).waitFor();
    await first.page.getByLabel('Password').fill('userPass');
    await first.page.keyboard.press('Enter');
    const sent = [await drafts[0].sent()];
    // The other tab is signed in with it, and has its text.
    await second.page.bringToFront();
    await drafts[1].light('both');
    await expect.poll(() => second.page.getByText(/Your session ended at/).count()).toBe(0);
    await expect.poll(() => drafts[1].text.textContent()).toBe('Before. After.');
    await drafts[1].send();
    sent.push(await drafts[1].sent());
    for (const [at, id] of sent.entries()) {
      const { body } = await logbook.get(`/logs/${id}`);
      expect(body).toMatchObject({ title: `Tab ${at}`, source: 'Before. After.', owner: 'user' });
    }
    await first.expectClean();
    await second.expectClean();
    await client.close();
  });

  test('what someone has written is neither stored nor sent in the name of the next user', async () => {
    const client = await browser.open(logbook.origin);
    const writer = await browser.open(logbook.origin, { beside: client, path: '/write' });
    const draft = new DraftPage(writer.page);
    await draft.write('Mine alone', 'Before.');
    await draft.chooseLogbook();
    await draft.light();
    await client.page.bringToFront();
    await client.page.getByRole('button', { name: 'Account of user' }).click();
    await client.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await client.page.getByRole('link', { name: 'Sign in', exact: true }).first().click();
    await client.page.getByLabel('User name').fill('admin');
    await client.page.getByLabel('Password').fill('adminPass');
    await client.page.keyboard.press('Enter');
    await client.page.getByRole('button', { name: 'Account of admin' }).waitFor();
    await writer.page.bringToFront();
    await writer.page.getByText('user wrote this text.').waitFor();
    await draft.append(' After.');
    await draft.light('signIn');
    await writer.page.keyboard.press('Control+Enter');
    await writer.page.getByRole('dialog', { name: 'Sign in to send the entry' }).waitFor();
    await writer.page.getByLabel('Password').fill('userPass');
    await writer.page.keyboard.press('Enter');
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body).toMatchObject({ title: 'Mine alone', source: 'Before. After.', owner: 'user' });
    expect((await logbook.get('/drafts', { as: 'admin:adminPass' })).body).toEqual([]);
    await writer.expectClean();
    await client.close();
  });

  test('writing keeps the session, and a pause ends it', async () => {
    const minute = 60_000;
    const now = Date.now;
    let aheadMs = 0;
    // The clock of the service; the browser has another one.
    Date.now = () => now() + aheadMs;
    try {
      const short = await TestService.start({ sessionIdleTimeout: '1h' });
      const client = await browser.open(short.origin, { path: '/write' });
      const draft = new DraftPage(client.page);
      await draft.write('A long text', 'on');
      await draft.light();
      const { pathname } = new URL(client.page.url());
      const stored = async () => (await short.get(pathname.replace('/write', '/drafts'))).body.content.text;
      for (let part = 1; part <= 3; part += 1) {
        aheadMs += 50 * minute;
        await client.page.keyboard.type(' and on');
        await expect.poll(stored).toBe(`on${' and on'.repeat(part)}`);
      }
      await draft.light('both');
      expect(await client.page.getByText(/Your session ended at/).count()).toBe(0);
      await client.expectClean();
      client.expectConsole('401');
      aheadMs += 90 * minute;
      await client.page.keyboard.type(' and on');
      await client.page.getByText(/Your session ended at/).waitFor();
      await client.close();
      await short.stop();
    } finally {
      Date.now = now;
    }
  });

  test('an expired session is reported; the user signs in on the page, and a form keeps what was typed', async () => {
    const client = await browser.open(logbook.origin, { path: '/administration/tokens' });
    const { page } = client;
    await page.getByText(/^\d+ tokens?$/).waitFor();
    await page.getByRole('link', { name: 'New token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('kept');
    await page.getByLabel('write entries').check();
    const sessions = (await logbook.get('/sessions?all=true', asAdmin)).body as { id: string; userName: string }[];
    for (const { id, userName } of sessions) {
      if (userName === 'user') await logbook.call(`/sessions/${id}`, { method: 'DELETE', ...asAdmin });
    }
    client.expectConsole('401');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('You were signed in as user.').waitFor();
    await client.expectAccessible();
    await client.screenshot('session-ended');
    await page.locator('.note').getByRole('button', { name: 'Sign in' }).click();
    const card = page.getByRole('dialog', { name: 'Sign in again' });
    expect(await card.getByLabel('User name').inputValue()).toBe('user');
    await card.getByLabel('Password').fill('userPass');
    await client.expectAccessible();
    await client.screenshot('session-ended-sign-in');
    await page.keyboard.press('Enter');
    await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('kept');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('kept', { exact: true }).waitFor();
    await client.close();
  });
});

describe.skipIf(withoutBrowser)('signing in with OpenID Connect', () => {
  const browser = useBrowser();
  let both: OidcLogbook;

  beforeAll(async () => {
    if (!withoutBrowser) both = await OidcLogbook.start();
  });
  afterAll(async () => both?.stop());

  test('the page offers it where the service has it, and keeps the way back', async () => {
    const client = await browser.open(both.logbook.origin, { as: null, path: '/sign-in?returnTo=/wall' });
    const link = client.page.getByRole('link', { name: 'Continue with facility account' });
    expect(await link.getAttribute('href')).toBe('/logbook/login/oidc?returnTo=%2Fwall');
    await client.expectAccessible();
    await client.screenshot('sign-in-oidc');
    await client.close();
  });

  test('from the click to the end: the provider signs in, and leads back to the page one was on; signing out ends it', async () => {
    const client = await browser.open(both.logbook.origin, { as: null, path: '/entries/1?view=flat' });
    const { page } = client;
    await page.goto(`${both.logbook.origin}/sign-in?returnTo=${encodeURIComponent('/administration/sessions')}`);
    await page.getByRole('link', { name: 'Continue with facility account' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/administration/sessions');
    expect(page.url().startsWith(both.logbook.origin)).toBe(true);
    expect(both.provider.requests.some((one) => one.startsWith('POST /token'))).toBe(true);
    await page.getByRole('button', { name: 'Account of ada' }).click();
    await client.screenshot('signed-in-oidc');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    // The provider asks whether its own session ends too.
    await page.getByRole('button', { name: /^Yes/ }).click();
    await page.waitForURL(`${both.logbook.origin}/`);
    expect((await client.context.request.get(`${both.logbook.base}/user`)).ok()).toBe(false);
    await client.close();
  });

  test('a text that is being written survives the way to the provider and back, and is sent', async () => {
    const client = await browser.open(both.logbook.origin, { as: null, path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Written first', 'Then signed in.');
    await draft.chooseLogbook();
    await page.keyboard.press('Control+Enter');
    const card = page.getByRole('dialog', { name: 'Sign in to send the entry' });
    await card.getByRole('link', { name: 'Continue with facility account' }).click();
    const { body } = await both.logbook.get(`/logs/${await draft.sent()}`);
    expect(body).toMatchObject({ title: 'Written first', source: 'Then signed in.', owner: 'ada' });
    await client.close();
  });
});
