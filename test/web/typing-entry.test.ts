import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useEtchStation } from '../fixtures/etch-station.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

type Key = 'r' | 'e';

function pending(): { promise: Promise<void>; release: () => void } {
  let release = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

describe.skipIf(withoutBrowser)('keys that are pressed before an entry is there', () => {
  const browser = useBrowser();
  const station = useEtchStation();

  /** The newest entry with the title in the list. */
  const linkOf = (page: Page, title: string) => page.getByRole('link', { name: title }).first();

  /** Creates two entries, and opens the list, or a path, so that entries arrive when they are released. */
  async function openHolding(pathOf?: (id: number) => string, status = 200, user?: Promise<void>) {
    const later = await station.logbook.create({ title: 'Later one', source: 'Pump runs.' });
    const first = await station.logbook.create({ title: 'First one', source: 'Pump runs.' });
    await station.logbook.indexed();
    const { promise: released, release } = pending();
    const client = await browser.open(station.logbook.origin, { path: '/not-there' });
    const { page } = client;
    await page.route(/\/logs\/\d+$/, async (route) => {
      await released;
      await (status === 200 ? route.continue() : route.fulfill({ status, json: {} }));
    });
    await page.route(/\/logbook\/me$/, async (route) => {
      await user;
      await route.continue();
    });
    await page.goto(`${station.logbook.origin}${pathOf?.(first.id) ?? '/'}`);
    await linkOf(page, 'First one').waitFor();
    return { client, page, release, first, later };
  }

  async function typeInto(page: Page, key: Key, gapMs: number, release: () => void): Promise<void> {
    await page.waitForTimeout(gapMs);
    await page.keyboard.press(key);
    await page.keyboard.type('Quick ', { delay: gapMs / 3 });
    release();
    await page.keyboard.type('answer. ', { delay: gapMs / 3 });
  }

  async function expectText({ page }: WebClientPage, key: Key, id: number): Promise<void> {
    const text = page.getByRole('textbox', { name: 'Text' });
    await expect
      .poll(async () => (await text.count()) > 0 && text.innerText())
      .toBe(key === 'r' ? 'Quick answer. ' : 'Quick answer. Pump runs.');
    const heading = key === 'r' ? 'First one|Later one' : `#${id}`;
    await page
      .getByRole('heading', { name: new RegExp(heading) })
      .first()
      .waitFor();
    if (key === 'r') expect(new URL(page.url()).pathname).toBe(`/entries/${id}`);
    else expect(page.url()).toMatch(/\/write\//);
  }

  const ways: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    J: (page) => page.keyboard.press('j'),
    Enter: (page) => linkOf(page, 'First one').press('Enter'),
    'a click': (page) => linkOf(page, 'First one').click(),
  };
  for (const gapMs of [0, 60, 150]) {
    test.each<[string, Key]>([
      ['J', 'r'],
      ['J', 'e'],
      ['Enter', 'e'],
      ['a click', 'r'],
    ])(`%s and %s act on the entry, with gaps of ${gapMs} ms`, async (way, key) => {
      const { client, page, release, first } = await openHolding();
      await ways[way]?.(page);
      await typeInto(page, key, gapMs, release);
      await expectText(client, key, first.id);
      await client.close();
    });

    test.each<Key>(['r', 'e'])(`a link and %s, with gaps of ${gapMs} ms`, async (key) => {
      const { client, page, release, first } = await openHolding((id) => `/entries/${id}`);
      await typeInto(page, key, gapMs, release);
      await expectText(client, key, first.id);
      await client.close();
    });
  }

  test('J and K move on immediately, and R acts on the last entry', async () => {
    const { client, page, release, later } = await openHolding((id) => `/entries/${id}`);
    await page.keyboard.press('j');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/entries/${later.id}`);
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    await typeInto(page, 'r', 0, release);
    await expectText(client, 'r', later.id);
    await client.close();
  });

  test('J, Y, J and R act in this order, and the text reaches the reply', async () => {
    const { client, page, release, later } = await openHolding();
    const { promise, release: releaseLater } = pending();
    await page.route(new RegExp(`/logs/${later.id}$`), async (route) => {
      await promise;
      await route.continue();
    });
    const theme = () => page.locator('html').getAttribute('data-theme');
    const before = await theme();
    for (const key of 'jyjr') await page.keyboard.press(key);
    await page.keyboard.type('Quick text. ');
    release();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/entries/${later.id}`);
    await page.keyboard.type('More. ');
    releaseLater();
    const text = page.getByRole('textbox', { name: 'Text' });
    await expect.poll(async () => (await text.count()) > 0 && text.innerText()).toBe('Quick text. More. ');
    expect(new URL(page.url()).pathname).toBe(`/entries/${later.id}`);
    expect(await theme()).toBe(before);
    await client.close();
  });

  test('Y and Ctrl+P both act on the entry', async () => {
    const { client, page, release, first } = await openHolding();
    await client.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate('window.print = () => { window.printed = true; }');
    for (const key of ['j', 'y', 'Control+p']) await page.keyboard.press(key);
    release();
    await expect.poll(() => page.evaluate('window.printed')).toBe(true);
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await expect.poll(copied).toContain(`/entries/${first.id}`);
    await client.close();
  });

  test('Escape drops the keys, and J moves on', async () => {
    const { client, page, release, later } = await openHolding();
    await page.keyboard.press('j');
    await page.keyboard.type('rcc');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/entries/${later.id}`);
    release();
    await page.getByRole('heading', { name: 'Later one' }).waitFor();
    await client.drawn();
    expect(new URL(page.url()).pathname).toBe(`/entries/${later.id}`);
    expect(await page.locator('.reply-composer').count()).toBe(0);
    await client.close();
  });

  test('R acts on the entry that Back opens', async () => {
    const { client, page, release, first, later } = await openHolding();
    await linkOf(page, 'First one').click();
    await page.goto(`${station.logbook.origin}/entries/${later.id}`);
    await linkOf(page, 'First one').waitFor();
    await page.goBack({ waitUntil: 'commit' });
    await linkOf(page, 'First one').waitFor();
    await typeInto(page, 'r', 0, release);
    await expectText(client, 'r', first.id);
    await client.close();
  });

  test('a link and R, before the user is known', async () => {
    const { promise, release: releaseUser } = pending();
    const { client, page, release, first } = await openHolding((id) => `/entries/${id}`, 200, promise);
    await typeInto(page, 'r', 0, release);
    await page.getByRole('heading', { name: 'First one' }).waitFor();
    releaseUser();
    await expectText(client, 'r', first.id);
    await client.close();
  });

  test('R on an entry that is shown, and then on the next, answers the next', async () => {
    const { client, page, release, later } = await openHolding((id) => `/entries/${id}`);
    release();
    await page.getByRole('heading', { name: 'First one' }).waitFor();
    await page.keyboard.press('j');
    await typeInto(page, 'r', 0, release);
    await expectText(client, 'r', later.id);
    await client.close();
  });

  test.each([404, 500])('nothing is opened if the entry cannot be loaded: %i', async (status) => {
    const { client, page, release } = await openHolding(undefined, status);
    client.expectConsole(String(status));
    await page.keyboard.press('j');
    await typeInto(page, 'r', 60, release);
    await page.keyboard.type('cc cc', { delay: 20 });
    await page.locator('main .void').waitFor();
    await page.keyboard.type('cc cc', { delay: 20 });
    expect(new URL(page.url()).pathname).toMatch(/^\/entries\/\d+$/);
    expect(await page.getByRole('textbox').count()).toBe(0);
    // After a pause, keys act again.
    await expect
      .poll(async () => {
        await page.keyboard.press('c');
        await page.waitForTimeout(1_500);
        return new URL(page.url()).pathname;
      })
      .toMatch(/^\/write/);
    await client.close();
  });

  test('after an entry that cannot be loaded, Tab and the keys that follow it act', async () => {
    const { client, page, release, later } = await openHolding(undefined, 404);
    client.expectConsole('404');
    await page.keyboard.press('j');
    await typeInto(page, 'r', 60, release);
    await page.locator('main .void').waitFor();
    await page.keyboard.type('cc');
    await page.evaluate('window.focusedBefore = document.activeElement');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('window.focusedBefore === document.activeElement')).toBe(false);
    await page.keyboard.press('j');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/entries/${later.id}`);
    await client.close();
  });

  test('a click on another entry drops the keys, and keys of the list work in the meantime', async () => {
    const { client, page, release, later } = await openHolding();
    await page.keyboard.press('j');
    await page.keyboard.type('rcc');
    await linkOf(page, 'Later one').click();
    await page.keyboard.press('/');
    await page.keyboard.type('reed');
    await expect.poll(() => page.getByRole('combobox', { name: 'Search' }).inputValue()).toBe('reed');
    release();
    await page.getByRole('heading', { name: 'Later one' }).waitFor();
    await client.drawn();
    expect(new URL(page.url()).pathname).toBe(`/entries/${later.id}`);
    expect(await page.locator('.reply-composer').count()).toBe(0);
    await client.close();
  });
});
