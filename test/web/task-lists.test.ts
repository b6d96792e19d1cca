import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const source = 'To do:\n\n- [ ] close valve 3\n- [x] call RF\n';

describe.skipIf(withoutBrowser)('task lists', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start();
    await logbook.put('/logbooks/closed', { name: 'closed' }, { as: 'admin:adminPass' });
  });
  afterAll(async () => logbook?.stop());

  const create = async () => {
    const body = { title: 'Maintenance', source, logbooks: [{ name: 'operations' }] };
    return (await logbook.put('/logs', body)).body.id as number;
  };

  test('are ticked in the preview, and one undo unticks them', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Maintenance', source);
    const box = page.getByRole('checkbox', { name: 'close valve 3' });
    expect(await page.getByRole('checkbox', { name: 'call RF' }).isChecked()).toBe(true);
    await box.click();
    await page.locator('.cm-line', { hasText: '- [x] close valve 3' }).waitFor();
    await expect.poll(() => box.isChecked()).toBe(true);
    await client.expectAccessible();
    await draft.text.focus();
    await page.keyboard.press('Control+z');
    await page.locator('.cm-line', { hasText: '- [ ] close valve 3' }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test('are ticked in an entry, which is an edit of it', async () => {
    const id = await create();
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    const { page } = client;
    const box = page.getByRole('checkbox', { name: 'close valve 3' });
    await box.focus();
    await page.keyboard.press('Space');
    const read = async () => (await logbook.get(`/logs/${id}`)).body;
    await expect.poll(async () => (await read()).source).toBe(source.replace('[ ]', '[x]'));
    expect(await read()).toMatchObject({ title: 'Maintenance', version: 2, modifiedBy: 'user' });
    await expect.poll(() => box.isChecked()).toBe(true);
    await page.locator('input[data-task="2"]:focus').waitFor();
    await client.expectAccessible();
    await client.expectClean();
    await client.close();
  });

  test('that are ticked before the page shows the last tick are all stored, one after the other', async () => {
    const id = await create();
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    const { page } = client;
    await page.getByRole('checkbox', { name: 'call RF' }).waitFor();
    await page.evaluate('for (const box of document.querySelectorAll(".doc input[data-task]")) box.click()');
    const read = async () => (await logbook.get(`/logs/${id}`)).body;
    await expect.poll(async () => (await read()).version).toBe(3);
    expect((await read()).source).toBe('To do:\n\n- [x] close valve 3\n- [ ] call RF\n');
    await expect.poll(() => page.getByRole('checkbox', { name: 'call RF' }).isChecked()).toBe(false);
    expect(await page.getByRole('checkbox', { name: 'close valve 3' }).isChecked()).toBe(true);
    await client.expectClean();
    await client.close();
  });

  test('of an entry that someone changed in the meantime are not ticked: nothing is stored', async () => {
    const id = await create();
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    const { page } = client;
    const box = page.getByRole('checkbox', { name: 'close valve 3' });
    await box.waitFor();
    // The change arrives between the version that the page asks for and its edit.
    await page.route('**/logbook/logs/*', async (route) => {
      if (route.request().method() === 'POST') {
        const { title, logbooks } = { title: 'Maintenance', logbooks: [{ name: 'operations' }] };
        await logbook.post(`/logs/${id}`, { id, title, logbooks, source: `${source}- [ ] new\n` });
      }
      await route.continue();
    });
    client.expectConsole('412');
    await box.click();
    await page.getByText('Someone changed the entry in the meantime.').waitFor();
    expect((await logbook.get(`/logs/${id}`)).body).toMatchObject({ source: `${source}- [ ] new\n`, version: 2 });
    await page.getByRole('checkbox', { name: 'new' }).waitFor();
    expect(await box.isChecked()).toBe(false);
    await client.expectClean();
    await client.close();
  });

  test('cannot be ticked by a visitor', async () => {
    const id = await create();
    const client = await browser.open(logbook.origin, { path: `/entries/${id}`, as: null });
    client.expectConsole('401');
    const box = client.page.getByRole('checkbox', { name: 'close valve 3' });
    await box.waitFor();
    expect(await box.isDisabled()).toBe(true);
    await client.close();
  });

  test('an image that is missing is named in its place, in the preview and in the entry', async () => {
    const text = '![Waveform](attachment/none)\n\n![](attachment/neither)\n\n![Plot](attachment/50%E9.png)\n\nEnd.';
    const body = { title: 'No image', source: text, logbooks: [{ name: 'operations' }] };
    const { id } = (await logbook.put('/logs', body)).body;
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    client.expectConsole('404');
    client.expectConsole('400');
    const { page } = client;
    await page.getByText('Image not available: Waveform').waitFor();
    await page.getByText('Image not available: neither').waitFor();
    await client.expectAccessible();
    await page.goto(`${logbook.origin}/write`);
    await new DraftPage(page).write('No image', text);
    await page.getByText('Image not available: Waveform').waitFor();
    await page.getByText('Image not available: Plot').waitFor();
    await page.locator('.preview-scroll').getByText('End.').waitFor();
    await client.expectClean();
    await client.close();
  });
});
