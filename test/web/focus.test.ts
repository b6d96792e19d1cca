import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectFocus as expectFocusIn, expectSomeFocus } from '../fixtures/focused.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('where the keyboard is after each action', () => {
  const browser = useBrowser();
  const count = 140;
  let logbook: TestService;
  let client: WebClientPage;

  beforeAll(async () => {
    logbook = await TestService.start();
    for (let at = 1; at <= count; at++) await logbook.create({ title: `Shot ${at}`, source: 'Beam on target.' });
  });
  afterAll(async () => logbook?.stop());

  const open = async (path = '/', options: Parameters<typeof browser.open>[1] = {}) => {
    client = await browser.open(logbook.origin, { path, ...options });
    await client.page
      .locator(path === '/' ? '.entry-row' : '.doc h1')
      .first()
      .waitFor();
    return client.page;
  };
  const expectFocus = (name: string | RegExp) => expectFocusIn(client.page, name);
  const press = async (...keys: string[]) => {
    for (const key of keys) await client.page.keyboard.press(key);
  };

  /** Holds back the answers from this address, until what it returns is called. */
  const hold = async (address: RegExp) => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await client.page.route(address, async (route) => {
      await released;
      await route.continue();
    });
    return () => release();
  };

  test('Tab: a link to skip what is above the entries, which are one stop', async () => {
    const page = await open();
    await press('Tab');
    await expectFocus('Skip to the entries');
    await press('Enter');
    await expectFocus(`Shot ${count}`);
    await press('ArrowDown', 'ArrowDown');
    await expectFocus(`Shot ${count - 2}`);
    expect(await page.locator('.list [tabindex="0"]').count()).toBe(1);
    await press('Tab');
    await expectFocus('Width of the list');
    await press('Shift+Tab');
    await expectFocus(`Shot ${count - 2}`);
    await press('Enter');
    await page.getByRole('heading', { name: `Shot ${count - 2}` }).waitFor();
    await expectFocus(`Shot ${count - 2}`);
    await client.expectAccessible();
    await client.close();
  });

  test('J, K, End, Home and the page keys: the row, once it is fetched', async () => {
    const page = await open();
    await press('j', 'j');
    await expectFocus(`Shot ${count - 1}`);
    await page.getByRole('heading', { name: `Shot ${count - 1}` }).waitFor();
    await press('k');
    await expectFocus(`Shot ${count}`);
    await page.getByRole('heading', { name: new RegExp(`^Shot ${count}$`) }).waitFor();
    await press('End');
    await expectFocus(/^Shot 1$/);
    await press('PageUp');
    await expectFocus(/^Shot (1\d|2\d)$/);
    await press('Home');
    await expectFocus(`Shot ${count}`);
    await press('PageDown');
    await expectFocus(/^Shot 1[12]\d$/);
    await client.close();
  });

  test('End, while an entry opens and the last row is fetched: the row', async () => {
    client = await browser.open(logbook.origin, { path: '/not-there' });
    const { page } = client;
    const releaseEntry = await hold(/\/assets\/entry-pane-[^/]+\.js$/);
    const releaseRows = await hold(/\/logs\/search\?.*from=100/);
    await page.goto(logbook.origin);
    await page.locator('.entry-row').first().waitFor();
    await press('j');
    await expectFocus(`Shot ${count}`);
    await press('End');
    await expect.poll(() => client.requests.some((url) => /from=100/.test(url))).toBe(true);
    releaseEntry();
    await page.getByRole('heading', { name: new RegExp(`^Shot ${count}$`) }).waitFor();
    releaseRows();
    await expectFocus(/^Shot 1$/);
    await client.close();
  });

  test('a link to an entry: the entry, which the keys scroll', async () => {
    await open(`/entries/${count}`);
    await expectFocus('Entry');
    await press('v');
    await client.page.getByText('v1 to v1').waitFor();
    await expectSomeFocus(client.page);
    await client.page.goBack();
    await expectSomeFocus(client.page);
    await client.close();
  });

  test('what was open above the list is closed: the list', async () => {
    const page = await open();
    for (const keys of ['Control+k', '?']) {
      await press(keys);
      await page.getByRole('dialog').waitFor();
      await expectSomeFocus(client.page);
      await press('Escape');
      await expectFocus(`Shot ${count}`);
      await page.evaluate('document.activeElement.blur()');
    }
    await press('/');
    await page.keyboard.type('target');
    await press('Enter', 'Escape', 'Escape');
    await expectFocus(/^Shot/);
    for (const keys of ['d', 'h', 'e']) {
      await page.evaluate('document.activeElement.blur()');
      const arrived = async () => {
        // The second key must follow soon.
        await press('g', keys);
        return new URL(page.url()).pathname;
      };
      await expect.poll(arrived).toBe({ d: '/drafts', h: '/hand-over', e: '/' }[keys]);
      if (keys === 'h') await expectFocus('For the next shift');
      else await expectSomeFocus(client.page);
    }
    await client.close();
  });

  test('a row whose button ends it: the row that takes its place', async () => {
    for (let at = 0; at < 2; at++) await (await browser.open(logbook.origin)).close();
    await open();
    await client.page.goto(`${logbook.origin}/administration/sessions`);
    const ends = client.page.getByRole('button', { name: /^End the session/ });
    await expect.poll(() => ends.count()).toBeGreaterThan(2);
    const rows = await ends.count();
    await ends.nth(rows - 1).click();
    await expect.poll(() => ends.count()).toBe(rows - 1);
    await expectFocus(/^End the session/);
    await client.close();
  });
});
