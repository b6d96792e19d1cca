import type { Page } from 'playwright-core';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { tell, tripPlot } from '../fixtures/web-story.js';

const minute = 60_000;
const rows = Array.from({ length: 60 }, (_, at) => `| ${at} | SR:C${at}-MG:G02A{Quad:1} | 12.${at} mA |`).join('\n');

describe.skipIf(withoutBrowser)('prints and formatted copies', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let client: WebClientPage;
  let id: number;
  /** Times at which the first and the last entry were written, in milliseconds since the epoch. */
  let times: readonly [number, number];

  beforeAll(async () => {
    logbook = await TestService.start();
    const plot = await tripPlot();
    const files = [
      { name: 'trip.png', content: plot },
      { name: 'later.png', content: plot },
    ];
    const text = `Reflected power rose. See [the manual](https://a.example/b).\n\n![Trip](attachment/trip.png-0-600000)\n\n| n | Device | Current |\n|---|---|--:|\n${rows}\n\n\`\`\`\n${'long '.repeat(60)}\n\`\`\``;
    const told = { title: 'Cavity 2 tripped', level: 'Problem', logbooks: ['operations'] };
    const trip = await tell(logbook, 10 * minute, { ...told, text, files });
    id = trip.id;
    await tell(logbook, 5 * minute, { ...told, title: 'Re: Cavity 2 tripped', text: 'Reset and fine.', replyTo: id });
    const pump = await tell(logbook, 4 * minute, {
      ...told,
      title: 'Pump 4 is loud',
      text: 'Its **bearing** is worn.',
    });
    times = [trip.createdDate, pump.createdDate];
  });
  afterAll(async () => logbook?.stop());

  /** Opens a page whose print dialog is only noted, with whether all pictures were there. */
  const open = async (path: string, theme: 'light' | 'dark' = 'light') => {
    client = await browser.open(logbook.origin, { path, theme });
    const { page } = client;
    await page.evaluate(`window.print = () => {
      window.hasPictures = [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0);
    }`);
    return page;
  };
  /** Resolves to the text and the number of pictures of a print. */
  const printed = async (page: Page, format: 'A4' | 'Letter' = 'A4') => {
    await expect.poll(() => page.evaluate('window.hasPictures')).toBe(true);
    await page.evaluate('delete window.hasPictures');
    const bytes = await page.pdf({ format, printBackground: true, preferCSSPageSize: true });
    const pdf = await getDocumentProxy(new Uint8Array(bytes));
    const { text, totalPages } = await extractText(pdf, { mergePages: true });
    const pictures = bytes.toString('latin1').match(/\/Subtype *\/Image/g)?.length;
    return { text: text.replace(/\s+/g, ' '), pictures, totalPages };
  };

  test.each(['A4', 'Letter'] as const)(
    'an entry and its thread on %s: everything that is read, and no controls',
    async (format) => {
      const page = await open(`/entries/${id}`, 'dark');
      await page.locator('.thread-entry', { hasText: 'Reset and fine.' }).waitFor();
      await page.keyboard.press('Control+p');
      const { text, pictures, totalPages } = await printed(page, format);
      for (const part of ['Cavity 2 tripped', `#${id}`, 'Problem', 'user', String(new Date(times[0]).getUTCFullYear())])
        expect(text).toContain(part);
      for (const part of ['SR:C59-MG:G02A{Quad:1}', 'a.example/b', 'Reset and fine.', `/entries/${id}`])
        expect(text).toContain(part);
      for (const part of ['Write a reply', 'History', 'New entry', 'minutes ago']) expect(text).not.toContain(part);
      // The one in the text, and the one that only the list of files shows.
      expect(pictures).toBe(2);
      expect(totalPages).toBeGreaterThan(1);
      await client.expectClean();
      await client.close();
    },
  );

  test('a search: all of its entries with their texts, which no one has scrolled to', async () => {
    const page = await open('/?query=bearing');
    await page.locator('.entry-row').first().waitFor();
    await page.keyboard.press('Control+p');
    const { text } = await printed(page);
    for (const part of ['bearing', 'Pump 4 is loud', 'Its bearing is worn.', '?query=bearing'])
      expect(text).toContain(part);
    expect(text).not.toContain('Choose an entry');
    await client.expectClean();
    await client.close();
  });

  test('a shift: its period, crew, entries by level, open problems and hand-over', async () => {
    const page = await open(`/hand-over?shift=${times[1]}`);
    await page.getByRole('textbox', { name: 'For the next shift' }).waitFor();
    await page.getByRole('button', { name: 'Print the shift report' }).click();
    const { text } = await printed(page);
    for (const part of [
      'Report of the',
      'Entries by',
      'Problem',
      'Pump 4 is loud',
      'Without an answer',
      'For the next shift',
    ])
      expect(text).toContain(part);
    await client.expectClean();
    await client.close();
  });

  test('an entry with its formatting: whole addresses, its table and its pictures', async () => {
    const page = await open(`/entries/${id}`);
    await client.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.thread-entry', { hasText: 'Reset and fine.' }).waitFor();
    await page.getByRole('button', { name: 'More' }).first().click();
    await page.getByRole('menuitem', { name: 'Copy with formatting' }).click();
    await page.getByText('Entry copied with its formatting').waitFor();
    const read = (type: string) =>
      page.evaluate(`navigator.clipboard.read().then(([item]) => item.getType('${type}')).then((blob) => blob.text())`);
    const html = String(await read('text/html'));
    expect(html).toMatch(/<table.*SR:C59-MG:G02A\{Quad:1\}/s);
    expect(html).toContain('<img src="data:image/png;base64,');
    expect(html).toContain(`href="${logbook.origin}/entries/${id}"`);
    expect(html).toContain('href="https://a.example/b"');
    expect(await read('text/plain')).toContain(`![Trip](${logbook.origin}/logbook/attachment/trip.png-0-600000)`);
    await client.expectClean();
    await client.close();
  });
});
