import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useEtchStation } from '../fixtures/etch-station.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';
import { tell } from '../fixtures/web-story.js';

interface Late {
  readonly open: (page: Page) => Promise<void>;
  /** Code that cannot be loaded. */
  readonly code: string;
  readonly isOnEntry?: boolean;
  /** Accessible role and name of what opens. */
  readonly opened: readonly [Parameters<Page['getByRole']>[0], string];
}

const click = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();

describe.skipIf(withoutBrowser)('a popover or dialog that cannot be loaded', () => {
  const browser = useBrowser();
  const station = useEtchStation();

  const all: Readonly<Record<string, Late>> = {
    'the settings': { open: click('Settings'), code: 'settings-popover', opened: ['menu', 'Settings'] },
    'the range of time': { open: click('All time'), code: 'time-popover', opened: ['textbox', 'From'] },
    'the keys': { open: (page) => page.keyboard.press('?'), code: 'keys-sheet', opened: ['dialog', 'Keyboard'] },
    'a menu': { open: click('More'), code: 'menu-popover', isOnEntry: true, opened: ['menu', 'More'] },
  };

  for (const [name, { open, code, isOnEntry, opened }] of Object.entries(all)) {
    test(`leaves the page as it is, and opens later: ${name}`, async () => {
      const { logbook, entry } = station;
      // No page of the client: it would have fetched the code before.
      const client = await browser.open(logbook.origin, { path: '/icon.svg', as: 'user:userPass' });
      const { page } = client;
      const isCode = new RegExp(`/assets/${code}-[^/]+\\.js$`);
      await page.route(isCode, (route) => route.abort());
      await page.goto(`${logbook.origin}${isOnEntry ? `/entries/${entry.id}` : '/'}`);
      const content = isOnEntry
        ? page.getByRole('heading', { name: 'Etch station' })
        : page.getByRole('region', { name: 'Results' });
      await content.waitFor();
      await open(page);
      const fault = page.getByRole('dialog').filter({ hasText: 'This part of the page stopped working.' });
      await fault.waitFor();
      await page.keyboard.press('Escape');
      await fault.waitFor({ state: 'detached' });
      await page.keyboard.press('/');
      await page.keyboard.type('etch');
      await expect.poll(() => page.getByRole('combobox', { name: 'Search' }).inputValue()).toBe('etch');
      expect(await content.isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.evaluate('document.activeElement.blur()');
      await open(page);
      await page.unroute(isCode);
      const reloaded = page.waitForEvent('load');
      await fault.getByRole('button', { name: 'Show it again' }).click();
      await reloaded;
      await content.waitFor();
      await open(page);
      await page.getByRole(opened[0], { name: opened[1], exact: true }).waitFor();
      await client.close();
    });
  }
});

describe.skipIf(withoutBrowser)('a plot that cannot be loaded', () => {
  const browser = useBrowser();
  const station = useEtchStation();

  test('leaves the text and the files of its entry', async () => {
    const { logbook } = station;
    const rows = Array.from({ length: 20 }, (_, at) => `${at},${at * at}`);
    const files = [{ name: 'trip.csv', content: `Time,Current\n${rows.join('\n')}\n` }];
    const about = { title: 'Beam lost', text: 'See the curves.', logbooks: ['operations'] };
    const { id } = await tell(logbook, 1, { ...about, files });
    const client = await browser.open(logbook.origin, { path: '/icon.svg', as: 'user:userPass' });
    const { page } = client;
    await page.route(/\/assets\/plot-[\w-]{8}\.js$/, (route) => route.abort());
    await page.goto(`${logbook.origin}/entries/${id}`);
    const entry = page.locator('article');
    await entry.getByText('This part of the page stopped working.').waitFor();
    await entry.getByText('See the curves.').waitFor();
    await entry.getByText('trip.csv', { exact: true }).first().waitFor();
    await client.close();
  });
});
