import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useEtchStation } from '../fixtures/etch-station.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const screens = [
  { name: 'a desktop', width: 1280, height: 800 },
  { name: 'a phone', width: 390, height: 844 },
] as const;

/** Shows a message for an entry. */
async function copyEntry(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'More', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click();
  return page.locator('.toast');
}

async function edges(locator: Locator): Promise<{ top: number; bottom: number }> {
  await locator.waitFor();
  const { y, height } = (await locator.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };
  return { top: y, bottom: y + height };
}

describe.skipIf(withoutBrowser)('a message', () => {
  const browser = useBrowser();
  const station = useEtchStation();

  test.for(screens)('on $name covers nothing that people type into', async ({ width, height }) => {
    const { logbook, entry } = station;
    const client = await browser.open(logbook.origin, { path: `/entries/${entry.id}`, width, height });
    const { page } = client;
    if (width > 1_000) {
      const dock = await edges(page.locator('.reply-dock'));
      expect((await edges(await copyEntry(page))).bottom).toBeLessThanOrEqual(dock.top);
      await page.locator('.toast').getByRole('button', { name: 'Close' }).click();
    }
    await page.locator('.doc h1').waitFor();
    await page.keyboard.press('r');
    await page.locator('.reply-composer .cm-content').waitFor();
    const message = await edges(await copyEntry(page));
    expect(message.bottom).toBeLessThanOrEqual((await edges(page.locator('.reply-composer'))).top);
    await client.close();
  });
});
