import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { plainHost, useBrowser, withoutBrowser } from '../fixtures/web-client.js';

/** Records what the page shows outside of itself, and when it sounds: real sound may begin late on a busy machine. */
const recordAlerts = `
  AudioContext.prototype.resume = async () => undefined;
  window.alerts = [];
  window.Notification = class {
    static permission = 'default';
    static async requestPermission() {
      window.alerts.push('asked');
      return (this.permission = 'granted');
    }
    constructor(title) { window.alerts.push(title); }
  };
  const { createOscillator } = AudioContext.prototype;
  AudioContext.prototype.createOscillator = function () {
    if (window.alerts.at(-1) !== 'sound') window.alerts.push('sound');
    return createOscillator.call(this);
  };`;

describe.skipIf(withoutBrowser)('following the logbook in the browser client', () => {
  const browser = useBrowser({ args: ['--autoplay-policy=no-user-gesture-required'] });
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start();
    for (let at = 1; at <= 40; at += 1) await logbook.create({ title: `Shot ${at}` });
  });
  afterAll(async () => logbook?.stop());

  const openSettings = async (page: Page) => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Play a sound' }).waitFor();
  };
  const choose = (page: Page, name: string) => page.getByRole('menuitemcheckbox', { name }).click();

  test('what the reader has sent is in the list as soon as it is stored, and marked: an entry, and a reply to an open one', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    await page.locator('.live:not(.connecting, .off)').waitFor();
    await page.locator('.entry-row').first().waitFor();
    // An entry is marked for a minute.
    await client.stopTimers(60_000);
    await page.keyboard.press('c');
    const draft = new DraftPage(page);
    await draft.write('Klystron 3 conditioned', 'All of it.');
    await draft.chooseLogbook();
    await draft.send();
    await draft.sent();
    const own = page.locator('.entry-row', { hasText: 'Klystron 3 conditioned' });
    await expect.poll(() => own.locator('.just-sent').textContent()).toMatch(/just now/);
    await client.expectAccessible();
    await own.click();
    await page.locator('.doc h1').waitFor();
    await page.keyboard.press('r');
    await draft.text.waitFor();
    await draft.append('Conditioned again.');
    await draft.send();
    await draft.sent();
    await page.locator('.thread-entry .just-sent').waitFor();
    await expect.poll(() => page.locator('.entry-row').first().locator('.just-sent').count()).toBe(1);
    await client.expectClean();
    await client.close();
  });

  test('Urgent entries of others sound and are notified, once chosen; the browser is asked only then', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    await page.addInitScript(recordAlerts);
    await page.reload();
    const alerts = () => page.evaluate<string[]>('window.alerts');
    /** Acts, and waits until the page knows which Urgent entries there are. */
    const andKnow = async (act: () => Promise<unknown>) => {
      await Promise.all([client.answered(/query=level%3DUrgent/), act()]);
    };
    await page.locator('.live:not(.connecting, .off)').waitFor();
    await logbook.create({ title: 'Before it is chosen', level: 'Urgent' });
    await page.locator('.entry-row', { hasText: 'Before it is chosen' }).waitFor();
    expect(await alerts()).toEqual([]);
    await openSettings(page);
    await client.expectAccessible();
    await andKnow(() => choose(page, 'Show a notification'));
    await expect.poll(alerts).toEqual(['asked']);
    await choose(page, 'Play a sound');
    await expect.poll(alerts).toEqual(['asked', 'sound']);
    await andKnow(() => page.reload());
    await page.locator('.live:not(.connecting, .off)').waitFor();
    await page.evaluate('Notification.permission = "granted"');
    await logbook.create({ title: 'Only a note' });
    await logbook.create({ title: 'Beam lost', level: 'Urgent' });
    await expect.poll(async () => (await alerts()).toSorted()).toEqual(['Urgent: Beam lost', 'sound']);
    await client.expectClean();
    await client.close();
  });

  test('a tab that may not sound yet leaves the alarm to another one', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    await client.context.addInitScript(recordAlerts);
    await client.context.addInitScript("localStorage.setItem('logbook.urgentSound', 'true')");
    // The browser waits for a key or a click.
    await page.addInitScript('AudioContext.prototype.resume = () => new Promise(() => undefined);');
    const asks = /query=level%3DUrgent/;
    const knows = async <Result>(one: typeof client, act: () => Promise<Result>): Promise<Result> => {
      const [, result] = await Promise.all([one.answered(asks), act()]);
      await one.page.locator('.live:not(.connecting, .off)').waitFor();
      return result;
    };
    // The first tab asks as soon as the other one has stored the choice. A reload during that answer would never end it.
    const other = await knows(client, () => browser.open(logbook.origin, { beside: client, path: '/sign-in' }));
    await knows(client, () => page.reload());
    await knows(other, () => other.page.goto(logbook.origin));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await other.page.route(asks, async (route) => {
      await released;
      await route.continue();
    });
    await knows(client, () => logbook.create({ title: 'Water leak', level: 'Urgent' }));
    await client.drawn();
    release();
    await expect.poll(() => other.page.evaluate('window.alerts')).toEqual(['sound']);
    expect(await page.evaluate('window.alerts')).toEqual([]);
    await client.close();
  });

  test('over plain HTTP the settings say why there is no notification', async () => {
    const client = await browser.open(logbook.origin.replace('127.0.0.1', plainHost), { as: null });
    const { page } = client;
    await openSettings(page);
    await page.getByText('Needs HTTPS: browsers allow no notifications over plain HTTP.').waitFor();
    await choose(page, 'Show a notification');
    await expect.poll(() => page.getByRole('menuitemcheckbox', { checked: true }).count()).toBe(0);
    await client.expectAccessible();
    await client.close();
  });
});
