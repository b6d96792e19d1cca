import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { withoutTimers } from '../fixtures/held-timers.js';
import { TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('discarded drafts', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  /** Stores a draft on the server, and opens the list of drafts in a browser that does not have it. */
  const open = async (title: string) => {
    const content = { title, text: 'Text.', level: '', logbooks: [], tags: [], properties: [], events: [], files: [] };
    const about = { purpose: { kind: 'new' }, revision: randomUUID(), modifiedMs: Date.now() };
    await logbook.put(`/drafts/${randomUUID()}`, { title, content, ...about });
    const client = await browser.open(logbook.origin, { path: '/drafts' });
    return { client, row: rowOf(client, title) };
  };
  const rowOf = ({ page }: WebClientPage, title: string) => page.getByRole('button', { name: `Discard: ${title}` });
  const titles = async (): Promise<string[]> =>
    (await logbook.get('/drafts')).body.map(({ title }: { title: string }) => title);

  /** Lets the next removal fail. Returns a function that counts the failures. */
  const failOnce = async (client: WebClientPage) => {
    client.expectConsole('net::ERR_');
    let failures = 0;
    await client.page.route(/\/logbook\/drafts\/[^/]+$/, (route) => {
      if (route.request().method() !== 'DELETE' || failures > 0) return route.continue();
      failures += 1;
      return route.abort('connectionreset');
    });
    return () => failures;
  };

  test('a draft of this browser that the service does not remove at first is removed later', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const draft = new DraftPage(client.page);
    await draft.write('Written here', 'Text.');
    await draft.light();
    const failures = await failOnce(client);
    await client.page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(failures).toBe(1);
    await expect.poll(titles).not.toContain('Written here');
    await client.expectClean();
    await client.close();
  });

  test('a draft of another computer can be brought back, also after the list was read again', async () => {
    const { client, row } = await open('Brought back');
    const read = client.page.waitForResponse(/\/logbook\/drafts$/);
    await withoutTimers(client.page, async () => {
      await row.click();
      await row.waitFor({ state: 'detached' });
      await read;
      await client.page.getByRole('button', { name: 'Undo' }).click();
      await row.waitFor();
    });
    await client.page.waitForTimeout(11_000);
    expect(await titles()).toContain('Brought back');
    await client.expectClean();
    await client.close();
  });

  test('a draft of this browser can be brought back as long as the offer is shown', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Thought about', 'Text.');
    await draft.light();
    await page.clock.install();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Undo' }).focus();
    await page.clock.runFor(20_000);
    await page.keyboard.press('Enter');
    await expect.poll(() => draft.text.innerText()).toBe('Text.');
    expect(await titles()).toContain('Thought about');
    await client.expectClean();
    await client.close();
  });

  test('a draft of another computer that is gone when it is brought back: the page says so', async () => {
    const { client, row } = await open('Gone');
    const { page } = client;
    await page.clock.install();
    await row.click();
    await page.getByRole('button', { name: 'Undo' }).focus();
    const removed = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.clock.runFor(11_000);
    await removed;
    await expect.poll(titles).not.toContain('Gone');
    await page.keyboard.press('Enter');
    await shownMessage(page, /removed for good and can no longer be restored/);
    expect(await row.count()).toBe(0);
    await client.expectClean();
    await client.close();
  });

  test('a draft of another computer that the service does not remove at first stays out of the list, and is removed later', async () => {
    const { client, row } = await open('Kept at first');
    const failures = await failOnce(client);
    await row.click();
    await shownMessage(client.page, /discarded/);
    await expect.poll(failures).toBe(1);
    expect(await row.count()).toBe(0);
    await expect.poll(titles).not.toContain('Kept at first');
    await client.expectClean();
    await client.close();
  });

  test('a draft of another computer whose page is closed before the time to undo has passed is removed by the next page', async () => {
    const { client, row } = await open('Page closed');
    await row.click();
    await shownMessage(client.page, /discarded/);
    await client.page.close();
    const next = await browser.open(logbook.origin, { beside: client, path: '/drafts' });
    await next.page.getByText('No drafts.').or(next.page.locator('.draft-list li')).first().waitFor();
    expect(await rowOf(next, 'Page closed').count()).toBe(0);
    await expect.poll(titles).not.toContain('Page closed');
    await client.close();
  });
});
