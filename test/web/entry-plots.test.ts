import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const minuteMs = 60_000;
const block = (...lines: string[]) => `\`\`\`plot\n${lines.join('\n')}\n\`\`\`\n`;

describe.skipIf(withoutBrowser)('plots in entries in the browser client', () => {
  const browser = useBrowser();
  let archiver: ArchiverServer;
  let logbook: TestService;

  beforeAll(async () => {
    archiver = await ArchiverServer.start();
    const startMs = Date.now() - 120 * minuteMs;
    const samples = Array.from({ length: 60 }, (_, at) => ({
      atMs: startMs + at * minuteMs,
      val: String(400 + 40 * Math.sin(at / 8)),
    }));
    archiver.add('SR:DCCT{1}I', { EGU: 'mA', PREC: '1' }, ...samples);
    const states = { ENUM_0: 'Closed', ENUM_1: 'Open', DBRType: 'DBR_SCALAR_ENUM' };
    const [first, second] = [startMs - 5 * minuteMs, startMs + 30 * minuteMs];
    archiver.add('SR:Shutter', states, { atMs: first, val: '0' }, { atMs: second, val: '1' });
    logbook = await TestService.start({ deviceNames: 'SR:*', archiverUrl: archiver.url });
  });
  afterAll(async () => {
    await logbook?.stop();
    await archiver?.stop();
  });

  const create = async (source: string) => (await logbook.create({ title: 'Tripped', source })).id as number;

  /** Redacts the plot of an entry, and expects the page not to promise samples. */
  const expectRedacted = async (id: number) => {
    const files = async () => (await logbook.get(`/logs/${id}`)).body.attachments as { readonly id: string }[];
    await expect.poll(async () => (await files()).length, { timeout: 120_000 }).toBe(1);
    const redaction = { attachments: (await files()).map((file) => file.id), reason: 'Personal data.' };
    expect(await logbook.post(`/logs/${id}/redaction`, redaction, { as: 'admin:adminPass' })).toMatchObject({
      status: 200,
    });
    const client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    await client.page.getByText(/^No samples are stored: a file of this entry was removed for good/).waitFor();
    expect(await client.page.getByText(/asks the archiver again/).count()).toBe(0);
    await client.expectClean();
    await client.close();
  };

  test('/plot and the button insert a plot of the devices in the text, or one without a name yet', async () => {
    const client = await browser.open(logbook.origin, { path: '/write', locale: 'fr-FR' });
    const { page } = client;
    const lines = () => page.locator('.cm-line').allTextContents();
    await page.locator('.cm-content').click();
    await page.keyboard.type('/plot');
    await page.getByRole('option', { name: /plot/ }).waitFor();
    // The menu ignores Enter for a moment after it appears.
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    await expect.poll(lines).toEqual(['```plot', '', '-1h..+10m', '```', '', '']);
    // The cursor is in the line of the device.
    await page.keyboard.type('SR:Shutter');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('SR:DCCT{1}I, see https://example.org at 10:30: SR:Shutter.');
    const bold = page.getByRole('toolbar').getByRole('button').first();
    await bold.focus();
    for (let at = 0; at < 6; at += 1) await page.keyboard.press('ArrowRight');
    expect(await page.evaluate("document.activeElement?.getAttribute('aria-label')")).toMatch(/^Courbes/);
    await page.keyboard.press('Enter');
    const inserted = ['```plot', 'SR:Shutter', 'SR:DCCT{1}I', '-1h..+10m', '```', '', ''];
    await expect.poll(async () => (await lines()).slice(-inserted.length)).toEqual(inserted);
    // The preview says what is plotted, in place of the lines.
    const previewed = () => page.locator('.preview-scroll .plot-summary').allInnerTexts();
    const range = '-1h..+10m';
    await expect
      .poll(async () => (await previewed()).map((text) => text.split(/\s*\n\s*/)))
      .toEqual([
        ['Courbes de SR:Shutter', range],
        ['Courbes de SR:Shutter, SR:DCCT{1}I', range],
      ]);
    expect(await page.locator('.preview-scroll pre').first().isVisible()).toBe(false);
    await client.expectAccessible();
    await client.screenshot('write-plot');
    await client.expectClean();
    await client.close();
  });

  test('a block says what is missing; then its curves are drawn from the entry, without the archiver', async () => {
    const stored = `Before.\n\n${block('SR:DCCT{1}I', 'SR:Shutter', 'SR:NEVER', 'two words', '-2h..-1h')}\nAfter.`;
    const id = await create(stored);
    const waiting = await create(block('SR:Shutter', 'SR:DCCT{1}I', '-1h..+10m'));
    await expect
      .poll(async () => (await logbook.get(`/logs/${id}`)).body.attachments.length, { timeout: 120_000 })
      .toBe(1);
    let client = await browser.open(logbook.origin, { path: `/entries/${waiting}` });
    await client.page.getByText(/^The samples are stored with the entry after/).waitFor();
    await client.page.locator('.prose code', { hasText: 'SR:Shutter' }).waitFor();
    await client.expectClean();
    await client.close();
    await expectRedacted(await create(block('SR:DCCT{1}I', '-2h..-1h')));

    const { dataDir } = logbook;
    await logbook.stop({ keepData: true });
    logbook = await TestService.start({ deviceNames: 'SR:*' }, dataDir);
    client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    const { page } = client;
    const plot = page.getByRole('figure', { name: 'SR:DCCT{1}I' });
    const slider = plot.getByRole('slider');
    await slider.locator('canvas').waitFor();
    await slider.focus();
    await page.keyboard.press('End');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/ \d{3}\.\d mA$/);
    await page.getByRole('figure', { name: 'SR:Shutter' }).locator('canvas').waitFor();
    await page.getByText('SR:NEVER: the archiver does not have it.').waitFor();
    await page.getByText('two words: write one device name on each line.').waitFor();
    expect(await page.locator('.prose code').isVisible()).toBe(false);
    await client.expectAccessibleInAllThemes();
    await client.screenshot('entry-plot');
    await plot.getByRole('button', { name: 'Table' }).click();
    await plot
      .getByRole('cell', { name: /^4\d\d\.\d$/ })
      .first()
      .waitFor();
    expect(await page.getByRole('img', { name: /^Curves of SR:DCCT/ }).isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('img', { name: /^Curves of SR:DCCT/ }).waitFor();
    expect(await plot.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    await client.expectClean();
    await client.close();

    // A block without samples is code as any other: no archiver will send them.
    client = await browser.open(logbook.origin, { path: `/entries/${waiting}` });
    await client.page.locator('.prose code', { hasText: 'SR:Shutter' }).waitFor();
    expect(await client.page.locator('.plot-block').count()).toBe(0);
    await client.close();
    const phone = { path: `/entries/${id}`, width: 360, height: 740, theme: 'dark', locale: 'de-DE' } as const;
    client = await browser.open(logbook.origin, phone);
    await client.page.getByText('SR:NEVER: Der Archiver hat es nicht.').waitFor();
    await client.page.getByRole('figure', { name: 'SR:DCCT{1}I' }).locator('canvas').waitFor();
    expect(await client.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await client.screenshot('entry-plot-phone-dark');
    await client.close();

    client = await browser.open(logbook.origin, { path: '/?query=Before' });
    await client.page.evaluate(`window.print = () => {
      const pictures = [...document.querySelectorAll('.print-view .prose img')];
      window.printed = pictures.map(({ complete, naturalWidth }) => complete && naturalWidth > 0);
    }`);
    await client.page.locator('.entry-row').first().waitFor();
    await client.page.keyboard.press('Control+p');
    await expect.poll(() => client.page.evaluate('window.printed')).toEqual([true]);
    await client.close();
  });
});
