import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import type { JsonServer } from '../fixtures/json-server.js';
import { startAlarmLogger, type TestAlarm } from '../fixtures/phoebus-servers.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const minuteMs = 60_000;

describe.skipIf(withoutBrowser)('what happened around an entry, in the browser client', () => {
  const browser = useBrowser();
  let archiver: ArchiverServer;
  let alarmLogger: JsonServer;
  let logbook: TestService;
  let dir: string;
  let trip: { readonly id: number };
  const plain = { title: 'SR:I tripped' };

  beforeAll(async () => {
    const nowMs = Date.now();
    const alarm = (pv: string, severity: string, agoMs: number): TestAlarm => {
      const time = new Date(nowMs - agoMs).toISOString().slice(0, -1).replace('T', ' ');
      return { pv, severity, time };
    };
    archiver = await ArchiverServer.start();
    const current = Array.from({ length: 55 }, (_, at) => ({
      atMs: nowMs - 110 * minuteMs + 2 * at * minuteMs,
      val: String(400 + 40 * Math.sin(at / 6)),
      ...(at > 40 && { severity: 2 }),
    }));
    archiver.add('SR:I', { EGU: 'mA', PREC: '1', HIHI: '450', LOLO: '1' }, ...current);
    const states = { ENUM_0: 'Closed', ENUM_1: 'Open', DBRType: 'DBR_SCALAR_ENUM' };
    const [opened, closed] = [nowMs - 300 * minuteMs, nowMs - 5 * minuteMs];
    archiver.add('SR:Shutter', states, { atMs: opened, val: '1' }, { atMs: closed, val: '0', severity: 1 });
    alarmLogger = await startAlarmLogger([
      alarm('SR:I', 'MAJOR', 24 * 60 * minuteMs * 3),
      alarm('SR:I', 'MINOR', 40 * minuteMs),
      alarm('SR:I', 'MAJOR', 2 * minuteMs),
    ]);
    dir = await makeTempDir();
    const logbookAccessFile = join(dir, 'access.properties');
    await writeFile(logbookAccessFile, 'Safety.read = user:admin\n');
    logbook = await TestService.start({
      ...{ deviceNames: 'SR:*', archiverUrl: archiver.url, alarmLoggerUrl: alarmLogger.url, logbookAccessFile },
    });
    const admin = { as: 'admin:adminPass' };
    await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, admin);
    await logbook.create({ title: 'Secret of SR:I', logbooks: [{ name: 'Safety' }] }, '', admin);
    await logbook.create({ title: 'Beam is back', level: 'Info' });
    const source = 'SR:I dropped, then SR:Shutter closed. SR:Unknown was not read.';
    trip = await logbook.create({ title: 'RF trip', level: 'Problem', source });
  });
  afterAll(async () => {
    await logbook?.stop();
    await Promise.all([archiver?.stop(), alarmLogger?.stop()]);
    if (dir) await rm(dir, { recursive: true });
  });

  test('entries, alarms and curves stand on one axis, with one cursor and one zoom, and as a table', async () => {
    const client = await browser.open(logbook.origin, { path: `/entries/${trip.id}` });
    const { page } = client;
    await page.getByRole('heading', { name: 'RF trip' }).waitFor();
    await page.keyboard.press('A');
    await page.getByRole('heading', { name: 'What happened around this entry' }).waitFor();
    // Entries that the reader may not see are neither shown nor counted.
    const entries = page.getByRole('list', { name: 'Entries' });
    await entries.getByRole('button', { name: '2 entries, highest level Problem' }).waitFor();
    const lane = page.getByRole('region', { name: 'SR:I' });
    await expect.poll(() => lane.getByRole('listitem').allInnerTexts()).toEqual(['MINOR', 'MAJOR']);
    await lane.getByText(/^4\d\d\.\d mA \(MAJOR\)$/).waitFor();
    await page.getByRole('region', { name: 'SR:Unknown' }).getByText('History: this device is not known').waitFor();
    const [current, shutter] = ['SR:I', 'SR:Shutter'].map((name) =>
      page.getByRole('slider', { name: `Cursor in the plot of ${name}` }),
    );
    if (!current || !shutter) throw new Error('no sliders');
    await current.locator('canvas').waitFor();
    await shutter.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => shutter.getAttribute('aria-valuetext')).toMatch(/: Open$/);
    // The cursor of one curve is that of the others.
    await expect.poll(() => current.getAttribute('aria-valuetext')).toMatch(/: 3\d\d\.\d mA$/);
    await client.expectAccessibleInAllThemes();
    await client.screenshot('around');
    const axis = page.locator('.around-axis');
    const before = await axis.innerText();
    await page.keyboard.press('+');
    await expect.poll(() => axis.innerText()).not.toBe(before);
    await page.getByRole('button', { name: 'Table' }).click();
    const rows = page.getByRole('row');
    await rows.filter({ hasText: 'MAJOR HIHI_ALARM' }).waitFor();
    await rows
      .filter({ hasText: /SR:I\s*4\d\d\.\d mA \(MAJOR\)$/ })
      .first()
      .waitFor();
    await rows.filter({ hasText: 'RF trip (this entry)' }).waitFor();
    await rows.filter({ hasText: 'SR:Shutter' }).filter({ hasText: 'Closed (MINOR)' }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('Secret');
    await client.expectAccessible();
    await page.getByRole('button', { name: '±10 min' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?span=10m');
    await expect.poll(() => lane.getByRole('listitem').allInnerTexts()).toEqual(['MAJOR']);
    await page.emulateMedia({ media: 'print' });
    await rows.filter({ hasText: 'RF trip (this entry)' }).waitFor();
    expect(await page.locator('.around-chart').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    await entries.getByRole('button').click();
    await page.getByRole('menuitem', { name: /Beam is back/ }).click();
    await page.getByRole('heading', { name: 'Beam is back' }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test('a source that is down is named, and the page fits a phone', async () => {
    archiver.answer = (response) => response.destroy();
    const path = `/entries/${trip.id}/around?span=8h`;
    const phone = await browser.open(logbook.origin, {
      ...{ path, width: 360, height: 740, theme: 'dark', locale: 'de-DE' },
    });
    const { page } = phone;
    await page.getByText('Verlauf: zurzeit nicht erreichbar').waitFor();
    await page.getByText('MAJOR ×2').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await phone.expectAccessible();
    await phone.screenshot('around-phone-german');
    await phone.close();
    archiver.answer = undefined;
  });

  test('without a source, and for an entry without devices, it is a search', async () => {
    const other = await TestService.start({ deviceNames: 'SR:*' });
    const { id } = await other.create(plain);
    const without = await logbook.create({ title: 'No device' });
    for (const [origin, entry] of [
      [other.origin, id],
      [logbook.origin, without.id],
    ] as const) {
      const client = await browser.open(origin, { path: `/entries/${entry}` });
      await client.page.locator('#entry-title').waitFor();
      await client.page.keyboard.press('A');
      await expect.poll(() => new URL(client.page.url()).searchParams.get('query')).toMatch(/^start="/);
      expect(client.requests.filter((url) => /[/]logbook[/]devices[/]|around/.test(url))).toEqual([]);
      await client.close();
    }
    await other.stop();
  });

  test('an event of the entry can be in the middle', async () => {
    const instant = Math.floor(Date.now() / minuteMs) * minuteMs - 100 * minuteMs;
    const { id } = await logbook.create({ title: 'SR:I was low', events: [{ name: 'Beam dump', instant }] });
    const client = await browser.open(logbook.origin, { path: `/entries/${id}/around` });
    const { page } = client;
    const moment = page.getByRole('combobox', { name: 'Moment in the middle' });
    await moment.waitFor();
    await page.getByRole('region', { name: 'SR:I' }).locator('canvas').waitFor();
    await moment.selectOption(String(instant));
    await expect.poll(() => new URL(page.url()).search).toBe(`?at=${instant}`);
    const range = () => archiver.ranges.map((one) => one.get('from'));
    await expect.poll(range).toContain(new Date(instant - 60 * minuteMs).toISOString());
    await page.getByRole('button', { name: '±10 min' }).click();
    await expect.poll(range).toContain(new Date(instant - 10 * minuteMs).toISOString());
    expect(await moment.inputValue()).toBe(String(instant));
    await client.expectAccessibleInAllThemes();
    await client.expectClean();
    await client.close();
  });
});
