import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('the hand-over of a shift, as sessions begin and end', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeEach(async () => {
    if (!withoutBrowser) logbook = await TestService.start({ shifts: shiftsAround() });
  });
  afterEach(async () => logbook?.stop());

  const open = async (as?: null) => {
    const client = await browser.open(logbook.origin, { path: '/hand-over', ...(as === null && { as }) });
    // The server has no draft of it yet, and answers no request for one without a session.
    client.expectConsole('/drafts/');
    await textOf(client).waitFor();
    return client;
  };
  const textOf = ({ page }: WebClientPage) => page.getByRole('textbox', { name: 'For the next shift' });
  const signIn = async ({ page }: WebClientPage) => {
    await page.getByRole('textbox', { name: 'User' }).fill('user');
    await page.getByLabel('Password').fill('userPass');
    await page.keyboard.press('Enter');
    await page.getByLabel('Written to').waitFor();
  };

  test('a session that ends while someone types does not move the rest of the sentence into the sign-in form', async () => {
    const client = await open();
    const { page } = client;
    await textOf(client).press('Control+End');
    await page.keyboard.type('Pump 3 is noisy');
    await page.locator('[data-light="both"]').waitFor();
    await client.context.clearCookies();
    await page.keyboard.type(' and needs');
    await page.getByLabel('Password').waitFor();
    await page.keyboard.type(' grease.');
    await expect.poll(() => textOf(client).innerText()).toContain('Pump 3 is noisy and needs grease.');
    expect(await page.getByRole('textbox', { name: 'User' }).inputValue()).toBe('');
    await client.close();
  });

  test('a hand-over that was begun without a session is sent to the logbook that is shown as chosen', async () => {
    const client = await open(null);
    const { page } = client;
    await textOf(client).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Written before the sign-in.');
    await signIn(client);
    const chosen = await page.getByLabel('Written to').inputValue();
    expect(chosen).not.toBe('');
    await page.getByRole('button', { name: 'Hand over the shift' }).click();
    await shownMessage(page, /Undo/);
    await page.getByText('Handed over', { exact: true }).waitFor();
    const [entry] = (await logbook.search('title=hand*')).logs;
    expect(entry?.logbooks).toMatchObject([{ name: chosen }]);
    await client.close();
  });

  test('a logbook to which the user may no longer write stays shown, and the problem is stated', async () => {
    const client = await open();
    const { page } = client;
    const field = page.getByLabel('Written to');
    await textOf(client).press('Control+End');
    await page.keyboard.type('For another logbook.');
    await field.selectOption('operations');
    await page.locator('[data-light="both"]').waitFor();
    await page.route(/\/logbook\/me$/, async (route) => {
      const response = await route.fetch();
      const me = (await response.json()) as { logbooks: { name: string; write: boolean }[] };
      const logbooks = me.logbooks.map((one) => ({ ...one, write: one.write && one.name !== 'operations' }));
      await route.fulfill({ response, json: { ...me, logbooks } });
    });
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('operations');
    await page.getByRole('button', { name: 'Hand over the shift' }).click();
    await page.getByText('You may not write in operations.').waitFor();
    await field.selectOption('controls');
    await page.getByRole('button', { name: 'Hand over the shift' }).click();
    await shownMessage(page, /Undo/);
    await client.close();
  });
});
