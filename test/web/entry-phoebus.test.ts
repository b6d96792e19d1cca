import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import type { JsonServer } from '../fixtures/json-server.js';
import { startSaveAndRestore } from '../fixtures/phoebus-servers.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const snapshotId = '8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1';
const quad = 'SR:C03-MG:G02A{Quad:1}I';

describe.skipIf(withoutBrowser)('entries that Phoebus has written in the browser client', () => {
  const browser = useBrowser();
  let servers: { readonly pvws: PvwsServer; readonly archiver: ArchiverServer; readonly saved: JsonServer };
  let logbook: TestService;

  beforeAll(async () => {
    if (withoutBrowser) return;
    const values = {
      [quad]: { value: 400, units: 'mA' },
      'SR:C03-MG:G02A{Quad:1}T': { value: 21.5, units: '°C' },
      'SR:Valve': { value: 1, units: '' },
      'SR:absent': { value: 3, units: 'V' },
    };
    servers = {
      pvws: await PvwsServer.start(),
      archiver: await ArchiverServer.start(),
      saved: await startSaveAndRestore([{ id: snapshotId, name: 'Before', createdMs: 1, values }]),
    };
    const { pvws, archiver, saved } = servers;
    pvws.addNumber(quad, 401.25, { units: 'mA', precision: 2, severity: 'MAJOR' });
    pvws.addNumber('SR:C03-MG:G02A{Quad:1}T', 21.5, { units: '°C', precision: 1 });
    pvws.addNumber('SR:Valve', 0, { text: 'Closed', labels: ['Closed', 'Open'] });
    const urls = { pvwsUrl: pvws.url, archiverUrl: archiver.url, saveAndRestoreUrl: saved.url };
    logbook = await TestService.start({ deviceNames: 'SR:*', ...urls });
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
});
