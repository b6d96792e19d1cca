import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('runs in the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (withoutBrowser) return;
    logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  const append = (id: number, sequence: number, text: string) =>
    logbook.call(`/logs/${id}/blocks/${sequence}`, { method: 'PUT', json: { text } });

  test('an open run grows at its end, and what is selected above stays selected and in its place', async () => {
    const { id } = await logbook.create({ title: 'Scan of the slit', source: 'Slit at 0.2 mm.' }, '?run=true');
    for (let at = 1; at <= 60; at += 1) await append(id, at, `Point ${at}`);
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    const { page } = client;
    const point = page.getByText('Point 30', { exact: true });
    await page.getByText('60 blocks').waitFor();
    await page.locator('.live:not(.connecting, .off)').waitFor();
    await point.scrollIntoViewIfNeeded();
    await point.selectText();
    const top = async () => (await point.boundingBox())?.y;
    const before = await top();
    await append(id, 61, 'Point 61');
    await page.getByText('Point 61', { exact: true }).waitFor();
    await page.getByText('61 blocks').waitFor();
    expect(await page.evaluate('String(getSelection())')).toBe('Point 30');
    expect(await top()).toBe(before);
    const row = page.locator('.entry-row', { hasText: 'Scan of the slit' });
    await row.getByText('Running').waitFor();
    await client.screenshot('run');
    await client.expectAccessibleInAllThemes();
    await logbook.call(`/logs/${id}/close`, { method: 'POST', json: { status: 'failed' } });
    await row.getByText('Failed').waitFor();
    await page.locator('.doc').getByText('Failed').waitFor();
    await client.expectClean();
    await client.close();
  });
});
