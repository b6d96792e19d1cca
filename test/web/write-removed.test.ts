import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { withoutTimers } from '../fixtures/held-timers.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('removed files', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start({});
  });
  afterAll(async () => logbook?.stop());

  const open = async (path: string) => {
    const client = await browser.open(logbook.origin, { path });
    const draft = new DraftPage(client.page);
    await draft.text.waitFor();
    return { client, draft };
  };
  const addFile = async ({ page }: DraftPage) => {
    const file = { name: 'secret.txt', mimeType: 'text/plain', buffer: Buffer.from('swordfish') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('ready').waitFor();
  };
  const latest = async (title: string) => (await logbook.search(`title=${encodeURIComponent(title)}`)).logs[0];

  test.each(['new', 'edit'])(
    'a file whose removal failed is not sent with the entry, even if it was the only one: %s',
    async (kind) => {
      const title = `Removed in an outage, ${kind}`;
      const { id } = await logbook.create({ title: 'Before', source: 'Text.', logbooks: [{ name: 'operations' }] });
      const { client, draft } = await open(kind === 'edit' ? `/write?edit=${id}` : '/write');
      client.expectConsole('ERR_FAILED');
      await draft.title.fill(title);
      await draft.chooseLogbook();
      await addFile(draft);
      await draft.light();
      await removeInOutage(draft.page);
      await draft.light();
      await draft.send();
      await draft.sent();
      expect((await latest(title))?.attachments).toEqual([]);
      await client.expectClean();
      await client.close();
    },
  );

  test('a file whose removal failed is not sent with the entry when the page is left', async () => {
    const title = 'Removed and left';
    const { client, draft } = await open('/write');
    client.expectConsole('ERR_FAILED');
    await draft.title.fill(title);
    await draft.chooseLogbook();
    await addFile(draft);
    await draft.light();
    await removeInOutage(draft.page);
    await draft.light();
    await draft.send();
    await client.page.close();
    const again = await browser.open(logbook.origin, { beside: client });
    await expect.poll(async () => (await latest(title))?.title).toBe(title);
    expect((await latest(title))?.attachments).toEqual([]);
    await again.expectClean();
    await client.close();
  });

  test('a file that another computer has just added stays when this one removes its own', async () => {
    const title = 'Added elsewhere';
    const { client, draft } = await open('/write');
    client.expectConsole('ERR_FAILED');
    await draft.title.fill(title);
    await draft.chooseLogbook();
    await addFile(draft);
    await draft.light();
    const path = new URL(draft.page.url()).pathname.replace('/write', '/drafts');
    // It arrives before the text of the other computer.
    await logbook.put(`${path}/attachments/${randomUUID()}?filename=other.txt`, undefined, {
      body: 'of another computer',
      headers: { 'content-type': 'application/octet-stream' },
    });
    await removeInOutage(draft.page);
    await draft.light();
    await draft.send();
    await draft.sent();
    expect((await latest(title))?.attachments.map(({ filename }) => filename)).toEqual(['other.txt']);
    await client.expectClean();
    await client.close();
  });

  test('a file of another computer that is brought back goes with the entry', async () => {
    const title = 'Brought back elsewhere';
    const first = await open('/write');
    await first.draft.title.fill(title);
    await first.draft.chooseLogbook();
    await addFile(first.draft);
    await first.draft.light();
    const { pathname } = new URL(first.client.page.url());
    await first.client.close();
    const { client, draft } = await open(pathname);
    await draft.light();
    await withoutTimers(draft.page, async () => {
      await draft.page.getByRole('button', { name: 'Remove secret.txt' }).click();
      await draft.page.getByText('secret.txt').waitFor();
      await draft.light();
      await draft.page.getByRole('button', { name: 'Undo' }).click();
    });
    await draft.light();
    await draft.send();
    await draft.sent();
    const [file] = (await latest(title))?.attachments ?? [];
    expect((await logbook.get(`/attachment/${file?.id}`)).text).toBe('swordfish');
    await client.expectClean();
    await client.close();
  });
});

/** Removes the file while the service cannot be told, and waits until the page has given up. */
async function removeInOutage(page: Page): Promise<void> {
  const address = /\/drafts\/.*\/attachments\//;
  const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'DELETE');
  await page.route(address, (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()));
  await page.getByRole('button', { name: 'Remove secret.txt' }).click();
  // The undo is over.
  await page.locator('.toast').getByRole('button', { name: 'Close' }).click();
  await failed;
  await page.unroute(address);
}
