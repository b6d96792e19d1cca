import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withoutTimers } from '../fixtures/held-timers.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { tell } from '../fixtures/web-story.js';

const minute = 60_000;
const asAdmin = { as: 'admin:adminPass' };

describe.skipIf(withoutBrowser)('selecting entries and grouping them', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let client: WebClientPage;

  const open = async (options: Parameters<typeof browser.open>[1] = {}) => {
    client = await browser.open(logbook.origin, options);
    await client.page.locator('.entry-row').first().waitFor();
    // The rows may come before it is known who may select them.
    if (options.as !== null) await client.page.locator('.row-check').first().waitFor({ state: 'attached' });
  };
  const row = (title: string) => client.page.locator('.entry-row', { hasText: title });
  const check = (title: string) => client.page.getByRole('checkbox', { name: `Select ${title}` });
  const selected = (count: number) => client.page.getByText(`${count} selected`, { exact: true }).waitFor();
  const dialog = () => client.page.getByRole('dialog', { name: 'Group into one thread' });
  const groupIn = () => dialog().getByRole('button', { name: 'Group them' });
  const threadSizes = async () => {
    const page = await logbook.search('group=thread&view=list');
    return page.logs.map((entry) => (entry as unknown as { thread?: { size: number } }).thread?.size ?? 1);
  };

  beforeAll(async () => {
    const file = join(await makeTempDir(), 'access.properties');
    await writeFile(file, 'Safety.write = user:admin\n');
    logbook = await TestService.start({ logbookAccessFile: file });
    const names = ['Operations', 'Vacuum', 'Safety'];
    const answer = await logbook.put(
      '/logbooks',
      names.map((name) => ({ name, owner: 'operators' })),
      asAdmin,
    );
    expect(answer.status).toBe(200);
    const titles = ['Beam lost', 'Pump 4 stopped', 'Pump 4 runs', 'Valve closed', 'Orbit saved', 'Gauge replaced'];
    for (const [at, title] of titles.entries()) await tell(logbook, (60 - at) * minute, { title });
    const fields = { title: 'Door contact', level: 'Info', logbooks: [{ name: 'Safety' }] };
    expect((await logbook.put('/logs', fields, asAdmin)).status).toBe(200);
  });
  afterAll(async () => logbook?.stop());

  test('X selects, Escape clears, Shift G says what becomes one thread and groups it', async () => {
    await open();
    await row('Pump 4 stopped').focus();
    await client.page.keyboard.press('x');
    await selected(1);
    await client.page.keyboard.press('Shift+G');
    await shownMessage(client.page, /Select at least two entries/);
    await client.page.keyboard.press('Escape');
    await client.page.locator('.selection-bar').waitFor({ state: 'detached' });
    await row('Pump 4 stopped').focus();
    await client.page.keyboard.press('x');
    await row('Pump 4 runs').focus();
    await client.page.keyboard.press('x');
    await selected(2);
    await client.expectAccessible();
    await client.screenshot('select-bar');
    await client.page.keyboard.press('Shift+G');
    await dialog().waitFor();
    await expect.poll(() => dialog().locator('li .title').allTextContents()).toEqual(['Pump 4 stopped', 'Pump 4 runs']);
    await client.expectAccessible();
    await client.screenshot('group-dialog');
    await groupIn().press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await shownMessage(client.page, /2 entries are one thread now/);
    await row('Pump 4 stopped').waitFor({ state: 'detached' });
    await expect.poll(() => row('Pump 4 runs').getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => client.page.locator('.selection-bar').count()).toBe(0);
    expect((await threadSizes()).toSorted()).toEqual([1, 1, 1, 1, 1, 2]);
    await client.expectClean();
    await client.close();
  });

  test('a grouping can be undone: what joined stands alone again, and the thread stays', async () => {
    await open();
    for (const title of ['Pump 4 runs', 'Orbit saved']) {
      await row(title).focus();
      await client.page.keyboard.press('x');
    }
    await client.page.keyboard.press('Shift+G');
    await withoutTimers(client.page, async () => {
      await groupIn().press('Enter');
      await shownMessage(client.page, /2 entries are one thread now/);
      await expect.poll(threadSizes).toContain(3);
      await client.page.getByRole('button', { name: 'Undo' }).click();
    });
    await shownMessage(client.page, /1 entry stands alone again/);
    await row('Orbit saved').waitFor();
    expect((await threadSizes()).toSorted()).toEqual([1, 1, 1, 1, 1, 2]);
    await client.expectClean();
    await client.close();
  });

  test('the pointer: a checkbox appears over the level, Shift and a click select all in between', async () => {
    await open();
    await row('Gauge replaced').hover();
    const opacity = (title: string) =>
      check(title)
        .locator('..')
        .evaluate((one) =>
          String((one as unknown as { computedStyleMap(): Map<string, unknown> }).computedStyleMap().get('opacity')),
        );
    await expect.poll(() => opacity('Gauge replaced')).toBe('1');
    expect(await opacity('Beam lost')).toBe('0');
    await check('Gauge replaced').click();
    await selected(1);
    await row('Valve closed').click({ modifiers: ['Shift'] });
    await selected(3);
    await expect.poll(() => check('Orbit saved').isChecked()).toBe(true);
    // Nothing was opened by it.
    expect(new URL(client.page.url()).pathname).toBe('/');
    await check('Orbit saved').click();
    await selected(2);
    await client.page.getByRole('button', { name: 'Clear', exact: false }).last().click();
    await client.page.locator('.selection-bar').waitFor({ state: 'detached' });
    await client.expectClean();
    await client.close();
  });

  test('entries of two threads are refused with the reason, and stay selected', async () => {
    const other = await tell(logbook, 2 * minute, { title: 'Shutter stuck' });
    await tell(logbook, minute, { title: 'Shutter moves', replyTo: other.id });
    await open();
    for (const title of ['Pump 4 runs', 'Shutter moves']) {
      await row(title).focus();
      await client.page.keyboard.press('x');
    }
    await client.page.keyboard.press('Shift+G');
    await dialog().getByText('threads cannot be merged').waitFor();
    client.expectConsole('400');
    await groupIn().click();
    await dialog().getByText('threads cannot be merged').waitFor();
    await client.screenshot('group-refused');
    await client.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await selected(2);
    await client.expectClean();
    await client.close();
  });

  test('an entry of a logbook that is closed for writing cannot be selected, and the reason is shown', async () => {
    await open({ locale: 'de-DE' });
    await row('Door contact').focus();
    await client.page.keyboard.press('x');
    await shownMessage(client.page, /nicht in das Logbuch Safety schreiben/);
    await expect.poll(() => client.page.locator('.selection-bar').count()).toBe(0);
    await client.close();
  });

  test('a visitor without a sign-in cannot select entries', async () => {
    await open({ as: null });
    await row('Beam lost').focus();
    await client.page.keyboard.press('x');
    await expect.poll(() => client.page.getByRole('checkbox', { name: /^Select / }).count()).toBe(0);
    await expect.poll(() => client.page.locator('.selection-bar').count()).toBe(0);
    await client.close();
  });

  test('the end of the session is shown; the entries stay selected, and grouping continues after the sign-in', async () => {
    await open();
    for (const title of ['Beam lost', 'Valve closed']) {
      await row(title).focus();
      await client.page.keyboard.press('x');
    }
    await client.context.clearCookies();
    client.expectConsole('401');
    await client.page.keyboard.press('Shift+G');
    await groupIn().click();
    await dialog().getByText('Your session has ended.').waitFor();
    expect(await threadSizes()).not.toContain(3);
    await client.context.request.post(`${logbook.base}/login`, { data: { username: 'user', password: 'userPass' } });
    await groupIn().click();
    await dialog().waitFor({ state: 'detached' });
    await row('Beam lost').waitFor({ state: 'detached' });
    await client.expectClean();
    await client.close();
  });

  test('on a phone the level is the checkbox, and the bar is above the tabs', async () => {
    await open({ width: 360, height: 740, context: { hasTouch: true, isMobile: true } });
    await check('Orbit saved').tap();
    await selected(1);
    await client.screenshot('select-phone');
    await client.expectAccessible();
    await client.close();
  });
});
