import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { importEntryZero } from '../fixtures/entry-zero.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('entry 0, which an old server had, in the browser client', () => {
  const browser = useBrowser();
  let root: string;
  let logbook: TestService;

  beforeAll(async () => {
    root = await makeTempDir();
    await importEntryZero(join(root, 'data'));
    logbook = await TestService.start({}, join(root, 'data'));
  });
  afterAll(async () => {
    await logbook?.stop();
    if (root) await rm(root, { recursive: true, force: true });
  });

  test('is opened by its address and by what refers to it, with its history', async () => {
    const client = await browser.open(logbook.origin, { path: '/entries/1' });
    const { page } = client;
    await page.locator('.doc > .prose').getByRole('link', { name: '#0' }).click();
    await page.waitForURL(/\/entries\/0$/);
    await expect.poll(() => page.locator('.doc h1').textContent()).toBe('The first, edited');
    await page
      .getByRole('button', { name: /a b\.txt/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('heading', { name: /#0/ }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test('is edited, and no other entry is created', async () => {
    const client = await browser.open(logbook.origin, { path: '/entries/0', as: 'admin:adminPass' });
    const { page } = client;
    const draft = new DraftPage(page);
    const { hitCount } = await logbook.search('');
    await page.getByRole('button', { name: 'Edit' }).click();
    await expect.poll(() => draft.title.inputValue()).toBe('The first, edited');
    await draft.append(' and more');
    await draft.send();
    expect(await draft.sent()).toBe(0);
    expect((await logbook.get('/logs/0')).body.source).toBe('text of **0** and more');
    expect((await logbook.search('')).hitCount).toBe(hitCount);
    await client.close();
  });

  test('is replied to: the reply is in its thread', async () => {
    const client = await browser.open(logbook.origin, { path: '/entries/0' });
    const { page } = client;
    const draft = new DraftPage(page);
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await draft.append('A reply.');
    await draft.send();
    const id = await draft.sent();
    expect((await logbook.get(`/logs/${id}`)).body.title).toMatch(/^Re: The first/);
    const groupOf = async (of: number) =>
      (await logbook.get(`/logs/${of}`)).body.properties.find(
        ({ name }: { name: string }) => name === 'Log Entry Group',
      );
    expect(await groupOf(id)).toBeDefined();
    expect(await groupOf(id)).toEqual(await groupOf(0));
    await client.close();
  });
});
