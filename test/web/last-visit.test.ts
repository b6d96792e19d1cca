import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const hour = 3_600_000;

/** Sets the time that the service reports; the clock of the browser is another one. */
async function setServiceTime(page: Page, ms: number): Promise<void> {
  await page.route('**/logbook/**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), date: new Date(ms).toUTCString() } });
  });
}

describe.skipIf(withoutBrowser)('what is new since the last visit', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start();
    await logbook.create({ title: 'Read before' }, '', { as: 'admin:adminPass' });
  });
  afterAll(async () => logbook?.stop());

  test('new entries are above a line and marked until they are opened, also in another browser of the user', async () => {
    const visit = (await logbook.get('/logs')).body[0].createdDate + 1;
    const settings = { lastVisit: { readUpToMs: visit - hour, seenMs: visit } };
    // The visit before ended long ago, by the clock of the service.
    // Open a file, because a page of the client would store its own visit when it is left.
    const client = await browser.open(logbook.origin, { path: '/icon.svg' });
    const stored = JSON.stringify({ seenMs: visit });
    await client.page.addInitScript(`localStorage.setItem('logbook.visit.user', '${stored}')`);
    await logbook.put('/me/settings', settings);
    await logbook.create({ title: 'Came since' }, '', { as: 'admin:adminPass' });
    await logbook.create({ title: 'My own' });
    await setServiceTime(client.page, visit + 5 * hour);
    const settingsRead = client.answered(/\/me\/settings$/);
    await client.page.goto(logbook.origin);
    const unread = client.page.locator('.entry-row.unread');
    await client.page.getByText(/Read up to here/).waitFor();
    await expect.poll(() => unread.allTextContents()).toEqual([expect.stringContaining('Came since')]);
    await client.expectAccessible();
    await client.screenshot('last-visit');
    await unread.click();
    await client.page.waitForURL(/entries/);
    await expect.poll(() => unread.count()).toBe(0);
    // The line stays where it was.
    await expect.poll(() => client.page.getByText(/Read up to here/).count()).toBe(1);
    await settingsRead;
    await client.drawn();
    // The visit is stored when the page is left. A page that is being closed reads the real time again.
    await client.page.goto(`${logbook.origin}/icon.svg`);
    const seenMs = async () => (await logbook.get('/me/settings')).body.lastVisit.seenMs;
    await expect.poll(seenMs).toBeGreaterThan(visit + 4 * hour);
    await client.close();
    const other = await browser.open(logbook.origin, { path: '/icon.svg' });
    await setServiceTime(other.page, visit + 5 * hour);
    await other.page.goto(logbook.origin);
    await other.page.getByText(/Read up to here/).waitFor();
    await other.expectClean();
    await other.close();
  });
});
