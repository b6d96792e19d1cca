import { describe, expect, test } from 'vitest';
import { useEtchStation } from '../fixtures/etch-station.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const dayMs = 86_400_000;

describe.skipIf(withoutBrowser)('a list that stays open past midnight', () => {
  const browser = useBrowser();
  const station = useEtchStation();

  test('names the days by the new day', async () => {
    const { logbook, entry } = station;
    const client = await browser.open(logbook.origin, { path: '/icon.svg', as: 'user:userPass' });
    const { page } = client;
    await page.clock.install();
    await page.goto(`${logbook.origin}/entries/${entry.id}`);
    const heading = page.locator('.mid .day').first();
    const time = page.locator('.read time').first();
    await expect.poll(() => heading.textContent()).toMatch(/^Today/);
    await expect.poll(() => time.textContent()).toMatch(/^Today/);
    await client.started();
    // Later responses would set the clock of the page back to that of the service.
    await page.route('**/logbook/**', (route) => route.abort());
    await page.clock.fastForward(dayMs);
    await expect.poll(() => heading.textContent()).toMatch(/^Yesterday/);
    await expect.poll(() => time.textContent()).toMatch(/^Yesterday/);
    await client.close();
  });
});
