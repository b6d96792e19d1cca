import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { startAlarmLogger } from '../fixtures/phoebus-servers.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const quad = 'SR:C03-MG:G02A{Quad:1}50%';
const near = 'SR:C03-MG:G02A{Quad:1}I';
const path = `/devices/${encodeURIComponent(quad)}`;

describe.skipIf(withoutBrowser)('devices in the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let dir: string;
  let reset: { readonly id: number };

  beforeAll(async () => {
    dir = await makeTempDir();
    const logbookAccessFile = join(dir, 'access.properties');
    await writeFile(logbookAccessFile, 'Safety.read = user:admin\n');
    logbook = await TestService.start({ deviceNames: 'SR:*', logbookAccessFile });
    const admin = { as: 'admin:adminPass' };
    await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, admin);
    reset = await logbook.create({ title: `${quad} tripped`, source: `Reset of ${quad}, next to ${near}.` });
    const properties = [{ name: 'resource', attributes: [{ name: 'name', value: quad }] }];
    await logbook.create({ title: 'Tripped again', level: 'Problem', properties });
    const secret = { title: `Secret of ${quad}`, source: 'SR:C03-MG:G02A{Quad:1}T', logbooks: [{ name: 'Safety' }] };
    await logbook.create(secret, '', admin);
  });
  afterAll(async () => {
    await logbook?.stop();
    if (dir) await rm(dir, { recursive: true });
  });

  test('a name in a title, a text and a property leads to the page of the device', async () => {
    const client = await browser.open(logbook.origin, { path: `/entries/${reset.id}` });
    const { page } = client;
    const heading = page.getByRole('heading', { name: quad, exact: true });
    await page.locator('.prose').getByRole('link', { name: quad }).click();
    await heading.waitFor();
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(`/devices/${quad}`);
    await page.goBack();
    await page.locator('#entry-title').getByRole('link', { name: quad }).click();
    await page.getByRole('link', { name: /Tripped again/ }).click();
    await page.locator('.properties').getByRole('link', { name: quad }).click();
    await heading.waitFor();
    await page.reload();
    await heading.waitFor();
    await client.expectClean();
    await client.close();
  });

  test('the page shows entries, levels and neighbours that the reader may see, and asks no source', async () => {
    const client = await browser.open(logbook.origin, { path });
    const { page } = client;
    const titles = page.locator('.device-entries .entry-title');
    await expect.poll(() => titles.count()).toBe(2);
    expect(await titles.first().innerText()).toContain('Tripped again');
    await page.getByRole('link', { name: 'Problem: 1', exact: true }).waitFor();
    await page.getByRole('img', { name: /2 entries/ }).waitFor();
    await expect.poll(() => page.locator('.device-neighbours li').allInnerTexts()).toEqual([`${near}\n1 entry`]);
    expect(await page.locator('main').innerText()).not.toMatch(/Secret|Quad:1}T/);
    expect(client.requests.filter((url) => /[/]logbook[/]devices[/]/.test(url))).toEqual([]);
    await client.expectAccessibleInAllThemes();
    await client.screenshot('device');
    await page.getByRole('link', { name: 'Problem: 1', exact: true }).click();
    await page.getByRole('heading', { name: '1 entry' }).waitFor();
    await client.expectClean();
    await client.close();
    const german = { path, width: 360, height: 740, theme: 'dark', locale: 'de-DE' } as const;
    const phone = await browser.open(logbook.origin, german);
    await phone.page.getByRole('heading', { name: 'In der Nähe' }).waitFor();
    await phone.expectAccessible();
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await phone.screenshot('device-phone-german');
    await phone.close();
  });

  test('a device is watched: its next entry is in the inbox, until it is no longer watched', async () => {
    const user = { as: 'user:userPass' };
    const client = await browser.open(logbook.origin, { ...user, path: '/devices/SR:WATCHED' });
    const watch = client.page.getByRole('button', { name: 'Watch this device' });
    const isWatched = () => watch.getAttribute('aria-pressed');
    await watch.click();
    await expect.poll(isWatched).toBe('true');
    await logbook.create({ title: 'SR:WATCHED tripped' }, '', { as: 'admin:adminPass' });
    await expect.poll(async () => (await logbook.get('/me/inbox', user)).body.unread).toBe(1);
    await client.expectAccessible();
    await watch.click();
    await expect.poll(isWatched).toBe('false');
    expect((await logbook.get('/me/watches', user)).body).toEqual([]);
    await client.expectClean();
    await client.close();
  });

  test('a device is opened from the search box and from the palette', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    const heading = page.getByRole('heading', { name: near, exact: true });
    const facet = page.getByRole('region', { name: 'Device' });
    await facet.getByRole('checkbox', { name: near, exact: true }).waitFor();
    // Names that differ at the end only must differ in what is shown.
    const cut = `[...document.querySelectorAll('.facet .value')].filter((one) => one.scrollWidth > one.clientWidth)`;
    expect(await page.evaluate(`${cut}.map((one) => one.textContent)`)).toEqual([]);
    const box = page.getByRole('combobox', { name: 'Search' });
    await box.fill('SR:C03-MG:G02A{Quad:1');
    await page.getByRole('group', { name: 'Pages of devices' }).getByRole('option', { name: near }).click();
    await heading.waitFor();
    await page.goBack();
    for (const whole of [quad, near]) {
      await box.fill(whole);
      await page.getByRole('group', { name: 'Device', exact: true }).getByRole('option', { name: whole }).waitFor();
      await page.getByRole('group', { name: 'Pages of devices' }).getByRole('option', { name: whole }).waitFor();
    }
    await box.fill('device=SR:C03-MG:G02A{Quad:1');
    await page.getByRole('group', { name: 'Pages of devices' }).getByRole('option', { name: near }).click();
    await heading.waitFor();
    await page.goBack();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).fill('Quad:1');
    await page.getByRole('option', { name: `Device ${near}` }).click();
    await heading.waitFor();
    await client.expectClean();
    await client.close();
  });

  test('with a source, the page shows the value now, its limits and its alarm, or what is missing', async () => {
    const pvws = await PvwsServer.start();
    pvws.addNumber('SR:I', 401.234, { units: 'mA', precision: 1, severity: 'MAJOR', alarm_high: 400 });
    const time = (second: number) => `2026-06-12 03:12:${second}.123`;
    const alarms = Array.from({ length: 21 }, (_, at) => ({ pv: 'SR:I', severity: 'MAJOR', time: time(10 + at) }));
    const alarmLogger = await startAlarmLogger(alarms);
    const urls = { pvwsUrl: pvws.url, alarmLoggerUrl: alarmLogger.url };
    const connected = await TestService.start({ deviceNames: 'SR:*', ...urls });
    const client = await browser.open(connected.origin, { path: '/devices/SR%3AI', theme: 'dark' });
    const { page } = client;
    await expect.poll(() => page.locator('.device-now').innerText()).toMatch(/401\.2 mA\s+MAJOR\s+read at/);
    expect(await page.locator('.device-list').innerText()).toMatch(/Alarm above\s+400 mA/);
    await page.getByText('No entry mentions this device.').waitFor();
    await page.getByText('Earlier alarms are not shown.').waitFor();
    await client.expectAccessible();
    await client.screenshot('device-connected-dark');
    await page.goto(`${connected.origin}/devices/SR%3Aabsent`);
    await page.getByText('Value now: this device is not known there.').waitFor();
    expect(await page.getByText('Earlier alarms are not shown.').count()).toBe(0);
    await client.expectClean();
    await client.close();
    await connected.stop();
    await Promise.all([pvws.stop(), alarmLogger.stop()]);
  });

  test('with an archiver, the page shows a curve that is read by keyboard and as a table, and the entries on it', async () => {
    const archiver = await ArchiverServer.start();
    const agoMs = (minutes: number) => Date.now() - minutes * 60_000;
    const samples = [
      { atMs: agoMs(90), val: '12' },
      { atMs: agoMs(40), val: '480.5', severity: 2 },
    ];
    archiver.add('SR:I', { EGU: 'mA', PREC: '2' }, ...samples);
    const connected = await TestService.start({ deviceNames: 'SR:*', archiverUrl: archiver.url });
    await connected.create({ title: 'SR:I is too high' });
    const client = await browser.open(connected.origin, { path: '/devices/SR%3AI' });
    const { page } = client;
    const cursor = page.getByRole('figure', { name: 'SR:I' }).getByRole('slider');
    await cursor.locator('canvas').waitFor();
    await cursor.focus();
    await page.keyboard.press('End');
    await expect.poll(() => cursor.getAttribute('aria-valuetext')).toMatch(/: SR:I 480\.50 mA$/);
    expect(await page.locator('.plot-legend .value').innerText()).toBe('480.50');
    await client.expectAccessibleInAllThemes();
    await client.screenshot('device-curve');
    await page.getByRole('button', { name: '1 hour' }).click();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Table' }).click();
    await expect.poll(() => page.getByRole('cell', { name: '480.50' }).count()).toBe(1);
    await page.getByRole('cell', { name: 'MAJOR' }).waitFor();
    // The mean hides a short trip, and the extremes show it.
    const trip = (at: number) => (at === 2 ? '0' : '400.5');
    const fast = Array.from({ length: 3_000 }, (_, at) => ({ atMs: agoMs(55) + at * 1_000, val: trip(at) }));
    archiver.add('SR:Fast', { EGU: 'mA', PREC: '1' }, ...fast);
    await page.goto(`${connected.origin}/devices/SR%3AFast`);
    await page.getByRole('button', { name: 'Table' }).click();
    const row = page.getByRole('row').filter({ has: page.getByRole('cell', { name: '0.0', exact: true }) });
    await row.getByRole('cell', { name: '400.5', exact: true }).waitFor();
    await page.goto(`${connected.origin}/devices/SR%3Aabsent`);
    await page.getByText('History: this device is not known there.').first().waitFor();
    await client.expectClean();
    await client.close();
    await connected.stop();
    await archiver.stop();
  });

  test('the cursor and the legend of an enumeration have states; texts are a table, which says that it is cut', async () => {
    const archiver = await ArchiverServer.start();
    const agoMs = (seconds: number) => Date.now() - seconds * 1_000;
    const states = { ENUM_0: 'Closed', ENUM_1: 'Open', DBRType: 'DBR_SCALAR_ENUM' };
    archiver.add('SR:Shutter', states, { atMs: agoMs(600), val: '0' }, { atMs: agoMs(300), val: '1' });
    const texts = Array.from({ length: 2_100 }, (_, at) => ({ atMs: agoMs(2_100 - at), val: `"Step ${at}"` }));
    archiver.add('SR:Text', { DBRType: 'DBR_SCALAR_STRING' }, ...texts);
    const connected = await TestService.start({ deviceNames: 'SR:*', archiverUrl: archiver.url });
    const { id } = await connected.create({ title: 'SR:Text' });
    const client = await browser.open(connected.origin, { path: '/devices/SR%3AShutter' });
    const { page } = client;
    const cursor = page.getByRole('figure', { name: 'SR:Shutter' }).getByRole('slider');
    await cursor.locator('canvas').waitFor();
    await cursor.focus();
    await page.keyboard.press('End');
    await expect.poll(() => cursor.getAttribute('aria-valuetext')).toMatch(/: SR:Shutter Open$/);
    expect(await page.locator('.plot-legend .value').innerText()).toBe('Open');
    await page.goto(`${connected.origin}/devices/SR%3AText`);
    const plot = page.getByRole('figure', { name: 'SR:Text' });
    await plot.getByRole('cell', { name: 'Step 0', exact: true }).waitFor();
    expect(await plot.locator('canvas').count()).toBe(0);
    expect(await plot.getByRole('button', { name: 'Plot' }).count()).toBe(0);
    await page.getByText('Not all values of this time are shown.').waitFor();
    await client.expectAccessible();
    await page.goto(`${connected.origin}/entries/${id}/around`);
    await page.getByRole('region', { name: 'SR:Text' }).getByText('Not all values of this time are shown.').waitFor();
    await client.expectClean();
    await client.close();
    await connected.stop();
    await archiver.stop();
  });
});
