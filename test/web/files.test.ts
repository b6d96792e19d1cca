import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extractText } from '../../src/attachments/extract-text.js';
import type { Entry } from '../../src/entries/entry.js';
import { compressed, pdf, shown } from '../fixtures/pdf.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { tell, tellStory, tripPlot } from '../fixtures/web-story.js';

const sharp = await import('sharp').catch(() => undefined);

describe.skipIf(withoutBrowser)('the files of an entry in the browser client', () => {
  const browser = useBrowser({ isWhole: true });
  let logbook: TestService;
  let trip: Entry;
  let client: WebClientPage;

  const openEntry = async (id: number) => {
    client = await browser.open(logbook.origin, { path: `/entries/${id}` });
    await client.page.locator('.thumb').first().waitFor();
  };
  const thumb = (name: string) => client.page.locator('.thumb', { hasText: name });
  const widthOf = (image: Locator) =>
    image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth);

  beforeAll(async () => {
    logbook = await TestService.start();
    ({ trip } = await tellStory(logbook));
  });
  afterAll(async () => logbook?.stop());

  test.skipIf(!sharp)(
    'pictures are the small ones of the server (package sharp), and no whole file is fetched',
    async () => {
      await openEntry(trip.id);
      await expect.poll(() => widthOf(thumb('rack-c03.jpg').locator('img'))).toBe(320);
      await expect.poll(() => widthOf(thumb('beam-current').locator('img'))).toBe(320);
      await client.page.waitForLoadState('networkidle');
      const files = client.requests.filter((url) => /\/attachment\/rack/.test(url)).map((url) => new URL(url));
      expect(files.map(({ pathname }) => pathname.split('/').at(-1))).toEqual(['thumbnail']);
      // The gallery shows the whole picture.
      await thumb('rack-c03.jpg').getByRole('button').click();
      await expect.poll(() => widthOf(client.page.locator('.gallery-picture img'))).toBe(1040);
      await client.expectClean();
      await client.close();
    },
  );

  test('if the server makes no small pictures, small files are shown as they are, and others as an icon', async () => {
    const large = Buffer.concat([await tripPlot(), randomBytes(2_100_000)]);
    const files = [
      { name: 'plot.png', content: await tripPlot() },
      { name: 'large.png', content: large },
      { name: 'broken.png', content: Buffer.from('no picture') },
    ];
    const entry = await tell(logbook, 0, { title: 'Pictures of all kinds', files });
    client = await browser.open(logbook.origin, { path: '/?view=flat' });
    await client.page.route(/\/thumbnail\?/, (route) => route.fulfill({ status: 404, json: { code: 'none' } }));
    client.expectConsole('404');
    await client.page.goto(`${logbook.origin}/entries/${entry.id}`);
    await expect.poll(() => widthOf(thumb('plot.png').locator('img'))).toBe(1640);
    await thumb('large.png').locator('.picture .icon').waitFor();
    await thumb('broken.png').locator('.picture .icon').waitFor();
    await client.page.waitForLoadState('networkidle');
    expect(client.requests.some((url) => url.includes('/attachment/large.png') && !url.includes('/thumbnail'))).toBe(
      false,
    );
    await client.screenshot('files-without-thumbnails');
    await client.expectAccessible();
    await client.expectClean();
    await client.close();
  });

  test('a PDF opens in the viewer of the browser, over the page', async () => {
    const file = { name: 'interlock.pdf', content: pdf([compressed(shown('Interlock card 3'))]) };
    const entry = await tell(logbook, 0, { title: 'With a PDF', files: [file] });
    await openEntry(entry.id);
    await thumb('interlock.pdf').getByRole('button').press('Enter');
    const frame = client.page.getByRole('dialog', { name: 'interlock.pdf' }).locator('iframe');
    await frame.waitFor();
    expect(await frame.getAttribute('src')).toMatch(/^blob:/);
    expect(await frame.getAttribute('title')).toBe('interlock.pdf');
    // The viewer was loaded for it: neither the policy of the page nor that of the file refused it.
    await expect.poll(() => client.requests.some((url) => url.startsWith('chrome-extension:'))).toBe(true);
    await client.screenshot('gallery-pdf');
    await client.expectAccessible();
    await client.page.keyboard.press('Escape');
    await client.page.locator('.gallery').waitFor({ state: 'detached' });
    await client.expectClean();
    await client.close();
  });

  test('printed, an entry has all its pictures and full addresses, and nothing of the frame', async () => {
    await logbook.post(`/logs/${trip.id}`, {
      ...trip,
      source: `${trip.source}\n\nSee the [procedure](https://wiki.example.org/trips/quadrupoles?step=4).`,
    });
    await openEntry(trip.id);
    await expect.poll(() => widthOf(client.page.locator('.doc > .prose img'))).toBe(1640);
    // The photo that is only attached is fetched when it is to be printed.
    await client.page.emulateMedia({ media: 'print' });
    await expect.poll(() => widthOf(client.page.locator('.print-only img').first())).toBe(1040);
    await client.page.emulateMedia({ media: null });
    const session = await client.context.newCDPSession(client.page);
    const { data } = (await session.send('Page.printToPDF', { printBackground: true })) as { data: string };
    const bytes = Buffer.from(data, 'base64');
    // The plot in the text and the photo that is only attached.
    expect(bytes.toString('latin1').match(/\/Subtype \/Image/g)?.length).toBeGreaterThanOrEqual(2);
    const printed = (await extractText(async () => Readable.from([bytes]), 'application/pdf')).replaceAll(/\s/g, '');
    for (const text of [trip.title, 'fast interlock dumped the beam', '48 mGy/h', '29 min', 'rack-c03.jpg']) {
      expect(printed).toContain(text.replaceAll(' ', ''));
    }
    expect(printed).toContain('procedure(https://wiki.example.org/trips/quadrupoles?step=4)');
    expect(printed).toContain('https://tickets.example.org/MAG-1182');
    for (const chrome of ['New entry', 'Hand-over', 'Threads', 'Understood', 'Saved searches', 'Reply', 'History']) {
      expect(printed).not.toContain(chrome.replaceAll(' ', ''));
    }
    await client.expectClean();
    await client.close();
  });
});
