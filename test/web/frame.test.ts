import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('the frame of the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  test('the page obeys its policy, asks no other host, and is accessible', async () => {
    const client = await browser.open(logbook.origin);
    await client.page.getByRole('banner').getByRole('link', { name: 'New entry' }).waitFor();
    await client.expectAccessible();
    // A preloaded file is used, and not fetched again.
    await client.page.evaluate('document.fonts.ready.then(() => undefined)');
    expect(client.requests.filter((url) => /inter-latin-wght-normal/.test(url))).toHaveLength(1);
    await client.expectClean();
    await client.close();
  });

  test('the first list needs at most 200 kB in 8 requests, and the next visit has the font', async () => {
    await logbook.create({ title: 'The only entry' });
    // No page of the client, so that nothing is loaded yet.
    const client = await browser.open(logbook.origin, { path: '/icon.svg' });
    const { page } = client;
    const session = await client.context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.clearBrowserCache');
    await page.addInitScript("if (!sessionStorage.later) localStorage.removeItem('logbook.font')");
    // Once the page has nothing to do, it fetches the files of the next pages.
    await page.addInitScript('if (!sessionStorage.later) globalThis.requestIdleCallback = () => 0');
    // These follow some seconds after the list.
    const isLater = (url: string) => /properties=Hand-over|\/me\/(settings|inbox|watches)/.test(url);
    const urls = new Map<string, string>();
    let bytes = 0;
    let loader: string | undefined;
    session.on('Network.responseReceived', ({ requestId, loaderId, type, response: { url } }) => {
      if (type === 'Document') loader = loaderId;
      // An answer to the page before, which had its own icon, may arrive now.
      if (loaderId === loader && !isLater(url)) urls.set(requestId, url);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (urls.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto(logbook.origin);
    await page.locator('.entry-row').waitFor();
    await page.waitForLoadState('networkidle');
    expect(urls.size, [...urls.values()].join('\n')).toBeLessThanOrEqual(8);
    expect(bytes).toBeLessThan(200_000);
    await page.evaluate("sessionStorage.later = 'yes'");
    await page.reload();
    await expect.poll(() => page.evaluate("localStorage.getItem('logbook.font')")).toBe('fetched');
    await page.reload();
    await expect.poll(() => page.evaluate('document.fonts.check(\'16px "Inter Variable"\')')).toBe(true);
    expect(await page.evaluate('document.documentElement.dataset.font')).toBe('inter');
    await client.expectClean();
    await client.close();
  });

  test('the theme is set before the first paint, and follows T', async () => {
    const client = await browser.open(logbook.origin, { theme: 'dark' });
    const theme = () => client.page.locator('html').getAttribute('data-theme');
    await client.page.getByRole('banner').getByRole('link', { name: 'New entry' }).waitFor();
    await expect.poll(theme).toBe('dark');
    await client.page.keyboard.press('t');
    await expect.poll(theme).toBe('light');
    await client.close();
  });

  test('a key works as soon as what it is for can be seen', async () => {
    const client = await browser.open(logbook.origin, { path: '/sign-in', theme: 'dark' });
    const { page } = client;
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.querySelector('header a[href^="/write"]')) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 't', bubbles: true, cancelable: true }));
    }).observe(document, { childList: true, subtree: true })`);
    await page.goto(logbook.origin);
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('light');
    await client.close();
  });

  test('a German browser gets a German page, loaded from this service', async () => {
    const client = await browser.open(logbook.origin, { locale: 'de-DE' });
    await client.page.getByRole('banner').getByRole('link', { name: 'Neuer Eintrag' }).waitFor();
    await expect.poll(() => client.page.locator('html').getAttribute('lang')).toBe('de');
    await client.expectClean();
    await client.close();
  });

  test('at 400 %, a list can be read and a text written, and nothing scrolls sideways', async () => {
    await logbook.create({ title: 'Quadrupole SR:C03-MG:G02A{Quad:1} tripped', source: 'Beam lost.' });
    const client = await browser.open(logbook.origin, { width: 320, height: 256 });
    const { page } = client;
    const areIn = async (selector: string, minHeight: number) => {
      const box = await page.locator(selector).first().boundingBox();
      const [tabs] = await page.locator('.tabs').all();
      const bottom = (await tabs?.boundingBox())?.y ?? 256;
      return box !== null && Math.min(box.y + box.height, bottom) - Math.max(box.y, 0) >= minHeight;
    };
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    await page.locator('.entry-row').first().waitFor();
    await expect.poll(() => areIn('.entry-row', 60)).toBe(true);
    expect(await width()).toBe(320);
    await client.expectAccessible();
    await client.screenshot('zoomed-list');
    await page.getByRole('link', { name: 'Write' }).click();
    await page.locator('.cm-content').scrollIntoViewIfNeeded();
    await expect.poll(() => areIn('.text-place', 60)).toBe(true);
    expect(await width()).toBe(320);
    await client.expectAccessible();
    await client.screenshot('zoomed-write');
    await client.expectClean();
    await client.close();
  });

  test('every menu is accessible, and works with the keyboard', async () => {
    const client = await browser.open(logbook.origin);
    await client.page.getByRole('button', { name: 'Settings' }).focus();
    await client.page.keyboard.press('Enter');
    await client.page.getByRole('menuitemradio', { name: 'Night, red only' }).waitFor();
    await client.expectAccessible();
    await client.page.getByRole('menuitemradio', { name: 'Night, red only' }).press('Enter');
    await expect.poll(() => client.page.locator('html').getAttribute('data-theme')).toBe('night');
    await client.expectClean();
    await client.close();
  });

  test('an unknown address below the client says so, and leads back', async () => {
    const client = await browser.open(logbook.origin, { path: '/administration/nothing-here' });
    await client.page.getByRole('link', { name: 'To the entries' }).click();
    await client.page.waitForURL(`${logbook.origin}/`);
    await client.close();
  });
});
