import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

  test('a wrong password is said; the right one leads back to where one was', async () => {
    const client = await browser.open(logbook.origin, { as: null, path: '/sign-in?returnTo=/look-after/sessions' });
    const { page } = client;
    await page.getByLabel('User name').fill('user');
    await page.getByLabel('Password').fill('wrong');
    client.expectConsole('401');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('User name or password is wrong.').waitFor();
    await client.expectAccessible();
    await client.screenshot('sign-in');
    await page.getByLabel('Password').fill('userPass');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/look-after/sessions');
    await client.expectClean();
    await client.close();
  });

  test('every tab notices a sign-out and a sign-in', async () => {
    const client = await browser.open(logbook.origin);
    const other = await browser.open(logbook.origin, { beside: client, path: '/look-after/sessions' });
    await other.page.getByRole('button', { name: 'Account of user' }).waitFor();
    await client.page.getByRole('button', { name: 'Account of user' }).click();
    await client.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.page.getByText('Sign in to see your sessions and tokens.').waitFor();
    // Signing out is no surprise: nothing says that the session has ended.
    expect(await other.page.getByText('Your session has ended.').count()).toBe(0);
    await client.page.getByRole('link', { name: 'Sign in' }).first().click();
    await client.page.getByLabel('User name').fill('user');
    await client.page.getByLabel('Password').fill('userPass');
    await client.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await client.expectClean();
    await other.expectClean();
    await client.close();
  });

  test('a session that ended by itself is said with one button, and the page stays', async () => {
    const client = await browser.open(logbook.origin, { path: '/look-after/tokens' });
    const { page } = client;
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    const sessions = (await logbook.get('/sessions?all=true', asAdmin)).body as { id: string; userName: string }[];
    for (const { id, userName } of sessions) {
      if (userName === 'user') await logbook.call(`/sessions/${id}`, { method: 'DELETE', ...asAdmin });
    }
    client.expectConsole('401');
    await page.getByRole('link', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('too late');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('You were signed in as user.').waitFor();
    await client.expectAccessible();
    await client.screenshot('session-ended');
    await page.locator('.note').getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('User name').fill('user');
    await page.getByLabel('Password').fill('userPass');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/look-after\/tokens/);
    expect(await page.getByText('Your session has ended.').count()).toBe(0);
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
});
