import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { tell } from '../fixtures/web-story.js';

const rows = Array.from({ length: 3_000 }, (_, at) => {
  const time = new Date(Date.UTC(2026, 10, 17, 3, 0, at)).toISOString();
  const current = at < 1_200 || at > 2_400 ? 300 + Math.sin(at / 90) : 0;
  return `${time},${current.toFixed(3)},${(190 + Math.cos(at / 60)).toFixed(2)},${(1e-9 * (1 + at / 500)).toExponential(2)}`;
});
const trip = `Time,Beam current [mA],Quadrupole [A],Pressure [mbar]\n${rows.join('\n')}\n`;
const spectrum = `Energie / keV;Ereignisse\n${Array.from({ length: 500 }, (_, at) => `${at + 1},5;${Math.round(9e5 / (1 + (at - 200) ** 2) + 3)}`).join('\n')}\n`;

describe.skipIf(withoutBrowser)('data files in the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let client: WebClientPage;
  let told = 0;

  const plot = (name: string) => client.page.getByRole('figure', { name });
  const cursor = (name: string) => plot(name).getByRole('slider');
  const shown = (slider: Locator) => slider.getAttribute('aria-valuetext');
  const open = async (
    files: readonly { readonly name: string; readonly content: string }[],
    options: Parameters<typeof browser.open>[1] = {},
  ) => {
    told += 1;
    const { id } = await tell(logbook, told, {
      title: 'Beam lost, with data',
      text: 'See the curves.',
      logbooks: ['operations'],
      files,
    });
    client = await browser.open(logbook.origin, { path: `/entries/${id}`, ...options });
  };

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  test('a table of numbers is a plot in the entry: values by keyboard, zoom, columns, logarithm, table and picture', async () => {
    await open([{ name: 'trip.csv', content: trip }]);
    const slider = cursor('trip.csv');
    await slider.locator('canvas').waitFor();
    await slider.focus();
    await client.page.keyboard.press('Home');
    await expect.poll(() => shown(slider)).toMatch(/^17 Nov, 03:00:00: Beam current 300 mA$/);
    // A zoomed plot shows every row.
    for (let times = 0; times < 6; times += 1) await client.page.keyboard.press('+');
    await expect.poll(async () => Number(await slider.getAttribute('aria-valuemax'))).toBeLessThan(60);
    await client.page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => shown(slider)).toMatch(/03:00:10\.000: Beam current 300\.111 mA$/);
    await client.page.keyboard.press('0');
    await expect.poll(async () => Number(await slider.getAttribute('aria-valuemax'))).toBeGreaterThan(60);
    // Its unit gets an axis of its own; a third unit takes that one.
    await plot('trip.csv')
      .getByRole('checkbox', { name: /Quadrupole/ })
      .check();
    await expect.poll(() => shown(slider)).toContain(', Quadrupole');
    await plot('trip.csv')
      .getByRole('checkbox', { name: /Pressure/ })
      .check();
    await expect.poll(() => shown(slider)).toMatch(/mA, Pressure \S+ mbar$/);
    await plot('trip.csv').getByRole('button', { name: 'log y' }).click();
    await client.expectAccessibleInAllThemes();
    await client.screenshot('plot-entry');
    const download = client.page.waitForEvent('download');
    await plot('trip.csv').getByRole('button', { name: 'Download as PNG' }).click();
    expect((await download).suggestedFilename()).toBe('trip.png');
    expect((await readFile(await (await download).path())).subarray(1, 4).toString()).toBe('PNG');
    await plot('trip.csv').getByRole('button', { name: 'Table' }).click();
    const table = plot('trip.csv').getByRole('table');
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('3001');
    await expect
      .poll(() => table.getByRole('row').nth(1).innerText())
      .toMatch(/^1\s+2026-11-17T03:00:00\.000Z\s+300\.000/);
    await client.page.getByRole('region', { name: 'trip.csv as a table' }).press('End');
    await table.getByText('2026-11-17T03:49:59.000Z').waitFor();
    await client.expectAccessibleInAllThemes();
    await client.expectClean();
    await client.close();
  });

  test('a drag zooms in, a double click shows all', async () => {
    await open([{ name: 'spectrum.csv', content: spectrum }]);
    const slider = cursor('spectrum.csv');
    await slider.locator('canvas').waitFor();
    const box = await slider.locator('.u-over').boundingBox();
    if (!box) throw new Error('the plot has no place');
    const middle = box.y + box.height / 2;
    await client.page.mouse.move(box.x + box.width * 0.2, middle);
    await client.page.mouse.down();
    await client.page.mouse.move(box.x + box.width * 0.4, middle, { steps: 5 });
    await client.page.mouse.up();
    await expect.poll(async () => Number(await slider.getAttribute('aria-valuemax'))).toBeLessThan(110);
    await slider.dblclick();
    await expect.poll(async () => Number(await slider.getAttribute('aria-valuemax'))).toBe(500);
    await client.expectClean();
    await client.close();
  });

  test('over the page, decimal commas and units are understood, on a phone in the dark too', async () => {
    await open([{ name: 'spectrum.csv', content: spectrum }], { width: 360, height: 740, theme: 'dark' });
    await cursor('spectrum.csv').locator('canvas').waitFor();
    await client.screenshot('plot-entry-phone-dark');
    await plot('spectrum.csv').getByRole('button', { name: 'spectrum.csv' }).click();
    const gallery = client.page.getByRole('dialog', { name: 'spectrum.csv' });
    await gallery.getByRole('slider').locator('canvas').waitFor();
    await gallery.getByRole('slider').press('End');
    await expect.poll(() => shown(gallery.getByRole('slider'))).toBe('500.5: Ereignisse 13');
    await gallery.getByRole('button', { name: 'log x' }).click();
    await client.screenshot('plot-gallery-phone-dark');
    await client.expectAccessibleInAllThemes();
    await client.page.keyboard.press('Escape');
    await client.expectClean();
    await client.close();
  });

  test('a large file waits until it is asked for; a file without numbers keeps its preview, and loads no plot', async () => {
    await open([{ name: 'notes.csv', content: 'Name,Place\nCavity,C03\nPump,C07\n' }]);
    await client.page.locator('.thumb').first().getByRole('button').click();
    await client.page.locator('.gallery pre', { hasText: 'Cavity,C03' }).waitFor();
    // The editor uses the limits of plot blocks.
    expect(client.requests.filter((url) => /\/assets\/plot-(?!block-)/.test(url))).toEqual([]);
    await client.close();
    await open([{ name: 'large.csv', content: `t,v\n${'1,2\n2,3\n'.repeat(150_000)}` }]);
    await client.page.getByRole('button', { name: 'Show the plot of large.csv (1.2 MB)' }).click();
    await cursor('large.csv').locator('canvas').waitFor();
    await plot('large.csv').getByRole('button', { name: 'Table' }).click();
    await plot('large.csv')
      .getByText(/^The first 100\s000 of 300\s000 rows/)
      .waitFor();
    await client.expectClean();
    await client.close();
  });
});
