import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('the hand-over of a shift, as sessions begin and end', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeEach(async () => {
    if (!withoutBrowser) logbook = await TestService.start({ shifts: shiftsAround() });
  });
  afterEach(async () => logbook?.stop());

  const open = async () => {
    const client = await browser.open(logbook.origin, { path: '/hand-over' });
    // The server has no draft of it yet, and answers no request for one without a session.
    client.expectConsole('/drafts/');
    await textOf(client).waitFor();
    return client;
  };
  const textOf = ({ page }: WebClientPage) => page.getByRole('textbox', { name: 'For the next shift' });

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
});
