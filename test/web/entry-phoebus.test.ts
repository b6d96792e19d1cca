import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import type { JsonServer } from '../fixtures/json-server.js';
import { startSaveAndRestore } from '../fixtures/phoebus-servers.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const snapshotId = '8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1';
const largeId = '8a1b0a62-6f0a-4b7c-9d6e-000000000001';
const minuteMs = 60_000;
const quad = 'SR:C03-MG:G02A{Quad:1}I';

describe.skipIf(withoutBrowser)('entries that Phoebus has written in the browser client', () => {
  const browser = useBrowser();
  let servers: { readonly pvws: PvwsServer; readonly archiver: ArchiverServer; readonly saved: JsonServer };
  let logbook: TestService;

  beforeAll(async () => {
    const values = {
      [quad]: { value: 400, units: 'mA' },
      'SR:C03-MG:G02A{Quad:1}T': { value: 21.5, units: '°C' },
      'SR:Valve': { value: 1, units: '' },
      'SR:absent': { value: 3, units: 'V' },
    };
    const large = Object.fromEntries(
      Array.from({ length: 5_012 }, (_, at) => [`SR:many:${at}`, { value: at, units: 'mA' }]),
    );
    servers = {
      pvws: await PvwsServer.start(),
      archiver: await ArchiverServer.start(),
      saved: await startSaveAndRestore([
        { id: snapshotId, name: 'Before', createdMs: 1, values },
        { id: largeId, name: 'All', createdMs: 1, values: large },
      ]),
    };
    const { pvws, archiver, saved } = servers;
    pvws.addNumber(quad, 401.25, { units: 'mA', precision: 2, severity: 'MAJOR' });
    pvws.addNumber('SR:C03-MG:G02A{Quad:1}T', 21.5, { units: '°C', precision: 1 });
    for (let at = 0; at < 5_012; at += 1) pvws.addNumber(`SR:many:${at}`, at === 300 ? 0 : at, { precision: 0 });
    pvws.addNumber('SR:Valve', 0, { text: 'Closed', labels: ['Closed', 'Open'] });
    const urls = { pvwsUrl: pvws.url, archiverUrl: archiver.url, saveAndRestoreUrl: saved.url };
    logbook = await TestService.start({ deviceNames: 'SR:*', timeZone: 'UTC', ...urls });
  });
  afterAll(async () => {
    await logbook?.stop();
    for (const server of Object.values(servers ?? {})) await server.stop();
  });

  test('a snapshot is a table of saved and current values, which is read when it is wanted', async () => {
    const attributes = [
      { name: 'name', value: 'Before the shutdown' },
      { name: 'file', value: `file:/${snapshotId}?app=saveandrestore` },
    ];
    const { id } = await logbook.create({ title: 'Restored', properties: [{ name: 'resource', attributes }] });
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    const { page } = client;
    const button = page.getByRole('button', { name: 'Compare with the values now' });
    await button.waitFor();
    expect(client.requests.some((url) => url.includes('/snapshots/'))).toBe(false);
    expect(servers.saved.requested).toEqual([]);
    await button.click();
    const table = page.getByRole('table', { name: 'Saved values' });
    await table.waitFor();
    const rows = async () => (await table.getByRole('row').allInnerTexts()).map((text) => text.split(/\s*[\n\t]\s*/));
    expect(await rows()).toEqual([
      ['Device', 'Saved', 'Now'],
      [quad, '400.00 mA', '+1.25', 'different', '401.25 mA', 'MAJOR'],
      ['SR:C03-MG:G02A{Quad:1}T', '21.5 °C', '21.5 °C'],
      ['SR:Valve', '1', 'different', 'Closed'],
      ['SR:absent', '3 V', 'not known'],
    ]);
    await page.getByText('2 values differ. 1 value is missing.').waitFor();
    await client.expectAccessibleInAllThemes();
    await client.screenshot('entry-snapshot');
    servers.pvws.addNumber(quad, 400, { units: 'mA', precision: 2 });
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Read again' }).click();
        return page.getByText('1 value differs. 1 value is missing.').count();
      })
      .toBe(1);
    await client.expectClean();
    await client.close();

    const phone = { path: `/entries/${id}`, width: 360, height: 740, theme: 'dark', locale: 'de-DE' } as const;
    const small = await browser.open(logbook.origin, phone);
    await small.page.getByRole('button', { name: 'Mit den Werten jetzt vergleichen' }).click();
    await small.page.getByRole('link', { name: 'SR:Valve' }).scrollIntoViewIfNeeded();
    expect(await small.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await small.screenshot('entry-snapshot-phone-dark');
    await small.expectClean();
    await small.close();
  });

  test('a snapshot of 5,012 devices shows 200 of them, and more when they are wanted', async () => {
    const attributes = [{ name: 'file', value: `file:/${largeId}?app=saveandrestore` }];
    const { id } = await logbook.create({ title: 'All', properties: [{ name: 'resource', attributes }] });
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    const { page } = client;
    await page.getByRole('button', { name: 'Compare with the values now' }).click();
    const table = page.getByRole('table', { name: 'Saved values' });
    const rows = table.getByRole('row');
    await page.getByText(/^0 values differ. The first 200 of 5.012 devices are shown[.]$/).waitFor();
    expect(await rows.count()).toBe(201);
    await page.getByRole('button', { name: 'Show more devices' }).click();
    await page.getByText(/^1 value differs. The first 400 of 5.012 devices are shown[.]$/).waitFor();
    expect(await rows.count()).toBe(401);
    expect(await rows.nth(301).innerText()).toMatch(/^SR:many:300\s+300 mA\s+−300\s+different\s+0 mA$/);
    await client.expectClean();
    await client.close();
  });

  test('a file of the Data Browser is plotted with its axes and times when that is wanted, and no other .plt is', async () => {
    const { archiver } = servers;
    const endMs = Math.floor(Date.now() / minuteMs) * minuteMs - 60 * minuteMs;
    const startMs = endMs - 120 * minuteMs;
    const add = (name: string, units: string, value: (at: number) => number) => {
      const samples = Array.from({ length: 130 }, (_, at) => ({
        atMs: startMs - 5 * minuteMs + at * minuteMs,
        val: String(value(at)),
      }));
      archiver.add(name, { EGU: units, PREC: '3' }, ...samples);
    };
    add(quad, 'mA', (at) => 400 + 40 * Math.sin(at / 8));
    add('SR:T', '°C', (at) => 20 + at / 20);
    add('SR:Vac{R&D}', 'mbar', (at) => 10 ** (-9 + at / 30));
    const time = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
    const pv = (name: string, axis: number, more = '') =>
      `<pv><display_name>x</display_name>${more}<name>${name}</name><axis>${axis}</axis></pv>`;
    const axis = (name: string, isLog: boolean) =>
      `<axis><name>${name}</name><use_axis_name>true</use_axis_name><log_scale>${isLog}</log_scale></axis>`;
    const many = Array.from({ length: 30 }, (_, at) => pv(`SR:none:${at}`, 1)).join('');
    const plt = (from: string, head = '') => `<?xml version="1.0" encoding="UTF-8"?>
${head}<databrowser><title>Pump &amp; down</title><start>${from}</start><end>${time(endMs)}</end>
<axes>${axis('Beam', false)}${axis('Pressure', true)}</axes>
<pvlist>${pv(`ca://${quad}`, 0)}${pv('SR:T', 0)}${pv('SR:Vac{R&amp;D}', 1)}${pv('SR:Hidden', 1, '<visible>false</visible>')}
${pv('OTHER', 1)}${many}</pvlist></databrowser>`;
    const contents = {
      'strip.plt': plt(time(startMs)),
      'gnuplot.plt': 'plot sin(x) # <databrowser>',
      'entity.plt': plt(time(startMs), '<!DOCTYPE databrowser [<!ENTITY a "b">]>'),
      'cut.plt': plt(time(startMs)).slice(0, -20),
    };
    const files = Object.entries(contents).map(([name, content]) => ({ name, content }));
    const attachments = files.map(({ name: filename }) => ({ id: `plt-${filename}`, filename }));
    const fields = { title: 'Pumped down', logbooks: [{ name: 'operations' }], attachments };
    const { body } = await logbook.sendForm('PUT', fields, files);
    const client = await browser.open(logbook.origin, { path: `/entries/${body.id}` });
    const { page } = client;
    const button = page.getByRole('button', { name: /^Show the plot of/ });
    await button.first().waitFor();
    for (const { name } of files) {
      await expect.poll(() => client.requests.some((url) => url.includes(`/attachment/plt-${name}`))).toBe(true);
    }
    expect(await button.allInnerTexts()).toEqual([expect.stringMatching(/^Show the plot of strip[.]plt/)]);
    expect(archiver.ranges).toEqual([]);
    await button.click();
    const [beam, pressure] = ['Beam', 'Pressure'].map((name) =>
      page.getByRole('figure', { name: `Pump & down: ${name}` }),
    );
    await beam?.locator('canvas').waitFor();
    await pressure?.locator('canvas').waitFor();
    const log = (figure = beam) => figure?.getByRole('button', { name: 'log y' }).getAttribute('aria-pressed');
    expect([await log(beam), await log(pressure)]).toEqual(['false', 'true']);
    // The times are those of the file.
    expect(new Set(archiver.ranges.map((range) => `${range.get('from')} ${range.get('to')}`))).toEqual(
      new Set([`${new Date(startMs).toISOString()} ${new Date(endMs).toISOString()}`]),
    );
    const slider = beam?.getByRole('slider');
    await slider?.focus();
    await page.keyboard.press('End');
    const shown = () => slider?.getAttribute('aria-valuetext');
    await expect.poll(shown).toMatch(/: SR:C03-MG:G02A\{Quad:1\}I \[mA\] 4\d\d\.\d{3}, SR:T \[°C\] 26\.\d{3}$/);
    await beam?.getByRole('button', { name: 'Table' }).click();
    await beam?.getByRole('columnheader', { name: 'SR:T [°C]' }).waitFor();
    await beam
      ?.getByRole('cell', { name: /^20\.\d{3}$/ })
      .first()
      .waitFor();
    await page.getByText('“OTHER” is not a device. Check the name.').waitFor();
    await page.getByText('SR:none:27: the archiver does not have it.').waitFor();
    await page.getByText('SR:none:28: a plot has at most 32 devices.').waitFor();
    await beam?.getByRole('button', { name: 'Plot' }).click();
    await client.expectAccessibleInAllThemes();
    await beam?.scrollIntoViewIfNeeded();
    await client.screenshot('entry-data-browser');
    client.expectConsole('404');
    await client.expectClean();
    await client.close();
    const phone = { path: `/entries/${body.id}`, width: 360, height: 740, theme: 'dark', locale: 'fr-FR' } as const;
    const small = await browser.open(logbook.origin, phone);
    await small.page.getByRole('button', { name: /strip[.]plt \(/ }).click();
    await small.page.getByRole('figure', { name: 'Pump & down: Pressure' }).locator('canvas').waitFor();
    await small.page.getByRole('figure', { name: 'Pump & down: Pressure' }).scrollIntoViewIfNeeded();
    expect(await small.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await small.screenshot('entry-data-browser-phone-dark');
    await small.close();
  });
});
