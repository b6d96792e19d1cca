import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('runs and similar entries in the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
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

  test('consecutive automatic entries are folded, opened by click and keyboard, and never in a search', async () => {
    const own = await TestService.start();
    const { token } = (await own.post('/tokens', { name: 'archiver', rights: ['entries'], isAutomatic: true })).body;
    const program = { as: null, headers: { authorization: `Bearer ${token}` } };
    await own.create({ title: 'Before the night' });
    for (let at = 1; at <= 5; at += 1) await own.create({ title: `Reading ${at}` }, '', program);
    await own.create({ title: 'Reading of the pump is wrong', level: 'Problem' }, '', program);
    await own.create({ title: 'After the night' });
    const client = await browser.open(own.origin);
    const { page } = client;
    const fold = page.getByRole('button', { name: /^5 automatic entries, \d\d:\d\d/ });
    await fold.waitFor();
    const titles = () => page.locator('.entry-row .title').allTextContents();
    const folded = ['After the night', 'Reading of the pump is wrong', 'Before the night'];
    expect(await titles()).toEqual(folded);
    await client.screenshot('fold');
    await client.expectAccessibleInAllThemes();
    await page.locator('.entry-row', { hasText: 'pump' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await titles()).length).toBe(8);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Reading 5');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(titles).toEqual(folded);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Before the night');
    await fold.click();
    await page.locator('.entry-row', { hasText: 'Reading 3' }).click();
    await page.locator('.doc h1', { hasText: 'Reading 3' }).waitFor();
    // An open entry has its row.
    await page.goto(`${own.origin}/entries/4`);
    await page.locator('.entry-row.selected', { hasText: 'Reading 3' }).waitFor();
    await page.goto(`${own.origin}/?query=Reading`);
    await expect.poll(async () => (await titles()).length).toBe(6);
    expect(await page.locator('.fold-row').count()).toBe(0);
    await client.expectClean();
    await client.close();
    await own.stop();
  });

  test('similar entries are requested when their section is opened, and say why they are similar', async () => {
    const { id } = await logbook.create({ title: 'Coolant dripping on the floor' });
    await logbook.create({ title: 'Water leak at the cooling manifold' });
    await logbook.service.searchIndex.waitUntilIndexed();
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    const { page } = client;
    const asked = () => client.requests.filter((url) => url.includes('/similar'));
    const section = page.locator('.similar');
    await section.getByText('Similar entries').focus();
    expect(asked()).toEqual([]);
    await page.keyboard.press('Enter');
    const similar = section.getByRole('link', {
      name: /Water leak at the cooling manifold .*≈ .*(Water|leak|cooling)/s,
    });
    await similar.waitFor();
    await client.screenshot('similar');
    await client.expectAccessibleInAllThemes();
    await similar.click();
    await page.locator('.doc h1', { hasText: 'Water leak' }).waitFor();
    await client.expectClean();
    await client.close();
  });
});
