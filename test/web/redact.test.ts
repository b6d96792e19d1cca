import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const admin = 'admin:adminPass';
const user = 'user:userPass';

describe.skipIf(withoutBrowser)('removing content of an entry for good', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  const createWithFile = async (filename: string): Promise<Entry> => {
    const attachments = [{ id: randomUUID(), filename }];
    const fields = { title: filename, logbooks: [{ name: 'operations' }], attachments };
    const answer = await logbook.sendForm('PUT', fields, [{ name: filename, content: 'the same bytes' }]);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as Entry;
  };

  test('an administrator removes the text of all versions, with a reason that is required', async () => {
    const entry = await logbook.create({ title: 'Camera replaced', source: 'its password is swordfish' });
    await logbook.post(`/logs/${entry.id}`, { ...entry, source: 'the swordfish password works' });
    const client = await browser.open(logbook.origin, { as: admin, path: `/entries/${entry.id}` });
    const { page } = client;
    const dialog = page.getByRole('dialog', { name: 'Remove content for good' });
    await page.getByText('the swordfish password works').first().waitFor();
    await page.getByRole('toolbar', { name: 'Entry' }).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /^Remove content for good/ }).click();
    await client.expectAccessible();
    await client.screenshot('redact');
    await dialog.getByRole('button', { name: 'Remove for good' }).click();
    await dialog.getByText('Choose what to remove.').waitFor();
    await dialog.getByRole('checkbox', { name: 'Text' }).check();
    await dialog.getByRole('button', { name: 'Remove for good' }).click();
    await dialog.getByText('Write why it is removed.').waitFor();
    await dialog.getByLabel('Reason').fill('It showed a password.');
    await dialog.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByText('Removed from all versions').waitFor();
    await page
      .getByText(/^Removed by admin on .*: It showed a password\.$/)
      .first()
      .waitFor();
    await expect.poll(() => page.getByText('swordfish').count()).toBe(0);
    const archived = await logbook.get(`/logs/archived/${entry.id}`);
    expect(JSON.stringify(archived.body)).not.toContain('swordfish');
    await client.expectClean();
    await client.close();
  });

  test('Escape, a click outside and Back keep what was chosen and written until it is discarded', async () => {
    const entry = await logbook.create({ title: 'Kept open', source: 'text' });
    const client = await browser.open(logbook.origin, { as: admin, path: '/' });
    const { page } = client;
    await page.getByRole('link', { name: 'Kept open' }).click();
    await page.getByRole('toolbar', { name: 'Entry' }).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /^Remove content for good/ }).click();
    const reason = page.getByLabel('Reason');
    await reason.fill('It showed');
    const clickOutside = () => page.mouse.click(4, 4);
    const leaves = [() => page.keyboard.press('Escape'), clickOutside, () => page.evaluate('history.back()')];
    for (const leave of leaves) {
      await reason.focus();
      await leave();
      await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor();
      await client.expectAccessible();
      await page.keyboard.press('Enter');
      await expect.poll(() => reason.inputValue()).toBe('It showed');
      // The click took the focus away.
      if (leave !== clickOutside) await expect.poll(() => page.evaluate('document.activeElement?.name')).toBe('reason');
    }
    // The browser closes the dialog on some of these, whatever the page does; the dialog opens again.
    for (let times = 0; times < 4; times += 1) await page.keyboard.press('Escape');
    await client.drawn();
    if (!(await page.getByRole('heading', { name: 'Discard your changes?' }).isVisible()))
      await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await reason.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/entries/${entry.id}`);
    await client.close();
  });

  test('a file that an earlier version showed can be chosen, and says where its content stays', async () => {
    const entry = await createWithFile('passport.txt');
    const other = await createWithFile('elsewhere.txt');
    await logbook.post(`/logs/${entry.id}`, { ...entry, attachments: [] });
    const client = await browser.open(logbook.origin, { as: admin, path: `/entries/${entry.id}` });
    const { page } = client;
    await page.getByRole('toolbar', { name: 'Entry' }).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /^Remove content for good/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove content for good' });
    await dialog.getByRole('checkbox', { name: 'File passport.txt' }).check();
    await dialog.getByLabel('Reason').fill('Personal data.');
    await dialog.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByText(`Entry ${other.id} shows the same file`).waitFor();
    await client.close();
  });

  test('other users are not offered it', async () => {
    const entry = await logbook.create({ title: 'Not theirs to remove' });
    const client = await browser.open(logbook.origin, { as: user, path: `/entries/${entry.id}` });
    const { page } = client;
    await page.getByRole('toolbar', { name: 'Entry' }).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Print' }).waitFor();
    expect(await page.getByRole('menuitem', { name: /Remove content/ }).count()).toBe(0);
    await client.close();
  });
});
