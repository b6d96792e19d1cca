import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { type DrivenPage, useDrivenBrowser } from '../fixtures/driven-page.js';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { tell, tellStory } from '../fixtures/web-story.js';
import { attemptsIn, type TestedBrowser } from './other-browser.suite.js';

/**
 * Pastes as a browser does with this content of the clipboard, which not every driver reaches. Firefox gives none to
 * events that a page makes.
 */
const paste = (content: string) => `(async () => {
  const clipboardData = new DataTransfer();
  ${content}
  const event = new Event('paste', { bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(Object.defineProperty(event, 'clipboardData', { value: clipboardData }));
})()`;
const pasteFormatted = paste(`
  clipboardData.setData('text/html', '<h2>Trips</h2><p>In <b>sector 3</b>:</p>');
  clipboardData.setData('text/plain', 'Trips In sector 3:');
`);
const pastePicture = paste(`
  const canvas = Object.assign(document.createElement('canvas'), { width: 400, height: 200 });
  canvas.getContext('2d').fillRect(0, 0, 200, 200);
  const blob = await new Promise((done) => canvas.toBlob(done));
  clipboardData.items.add(new File([blob], 'image.png', { type: 'image/png' }));
`);

const dropNotes = `(() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['dropped'], 'notes.txt', { type: 'text/plain' }));
  for (const type of ['dragenter', 'dragover', 'drop']) document.querySelector('.write-head').dispatchEvent(
    new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, clientX: 40, clientY: 180 }));
})()`;

/** Number of coloured pixels of a picture of the service. */
const colouredPixels = (id: string) => `(async () => {
  const picture = await createImageBitmap(await (await fetch('/logbook/attachment/${id}')).blob());
  const canvas = Object.assign(document.createElement('canvas'), { width: picture.width, height: picture.height });
  const context = canvas.getContext('2d');
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  let found = 0;
  for (let at = 0; at < data.length; at += 4) if (Math.abs(data[at] - data[at + 1]) > 60) found += 1;
  return found;
})()`;

const lines = `[...document.querySelectorAll('.cm-line')].map(({ textContent }) => textContent).join('\\n')`;
/** The plot, in which its cursor is moved. */
const slider = `document.querySelector('.u-over').closest('[role="slider"]')`;
/** Whether something is wider than the window. */
const isCut = 'document.documentElement.scrollWidth > innerWidth';

/** Tests all pages, and what depends most on the engine of a browser. */
export function testEngineIn({ name, isMissing, start, isLimited }: TestedBrowser): void {
  describe.skipIf(isMissing)(`the pages of the browser client in ${name}`, attemptsIn(isLimited), () => {
    const browser = useDrivenBrowser(isMissing, start);
    let logbook: TestService;
    let trip: Entry;

    beforeAll(async () => {
      logbook = await TestService.start({ shifts: shiftsAround() });
      ({ trip } = await tellStory(logbook));
    });
    afterAll(async () => logbook?.stop());

    const open = async (path: string, userName = 'user'): Promise<DrivenPage> => {
      const page = await browser.open(`${logbook.origin}/sign-in`);
      await page.signIn(userName, `${userName}Pass`);
      if (path !== '/') await page.goto(`${logbook.origin}${path}`);
      return page;
    };

    test('no page fails or breaks its policy', async () => {
      const page = await open('/', 'admin');
      const sections = [
        'logbooks',
        'tags',
        'levels',
        'properties',
        'templates',
        'access',
        'audit',
        'sessions',
        'tokens',
      ];
      for (const [path, awaited] of [
        [`/entries/${trip.id}`, '.doc h1'],
        [`/entries/${trip.id}/history`, '.diff-text'],
        ['/saved', '.saved'],
        ['/drafts', '.void'],
        ['/inbox', '.inbox-choice'],
        ['/hand-over', '.cm-content'],
        ['/wall', '.wall-list li'],
        ['/write', '.cm-content'],
        [`/write?edit=${trip.id}`, '.prose'],
        ...sections.map((section) => [`/administration/${section}`, 'main.section h1'] as const),
      ] as const) {
        await page.goto(`${logbook.origin}${path}`);
        await page.waitFor(awaited);
        expect(await page.text()).not.toContain('stopped working');
      }
      await page.expectClean();
    });

    test('pasted formatted text, a pasted picture with a mark and a dropped file go with the entry', async () => {
      const page = await open('/write');
      await page.click('textbox', 'Title');
      await page.type('Pasted');
      await page.click('combobox', 'Logbooks');
      await page.type('RF');
      await page.waitFor('[role="option"]');
      await page.press('Enter');
      await page.click('textbox', 'Text in Markdown');
      await page.evaluate(pasteFormatted);
      const markdown = '## Trips\n\nIn **sector 3**:';
      await expect.poll(() => page.evaluate<string>(lines).then((text) => text.trim())).toBe(markdown);
      await page.press('Control+End');
      await page.evaluate(pastePicture);
      await page.shows('image-1.png');
      await page.evaluate(dropNotes);
      await page.shows('notes.txt');
      await expect.poll(() => page.text()).toMatch(/ready[\s\S]*ready/);

      await page.click('button', 'Annotate image-1.png');
      await page.click('button', 'Box');
      await page.drag('application', 'Picture', [-60, -40], [0, 0], [60, 40]);
      await page.press('Control+Enter');
      await page.waitFor('[aria-label="Undo the annotation of image-1.png"]');
      await expect.poll(() => page.text()).toMatch(/ready[\s\S]*ready/);
      await page.press('Control+Enter');
      const sent = async () => (await logbook.search('title=Pasted')).logs[0];
      await expect.poll(sent).toMatchObject({ title: 'Pasted' });
      const { attachments = [], source = '' } = (await sent()) ?? {};
      expect(attachments.map(({ filename }) => filename)).toEqual(['image-1.png', 'notes.txt']);
      const id = attachments[0]?.id ?? '';
      expect(source.trim()).toBe(`${markdown}\n\n![image-1](attachment/${id}){width=400 height=200}`);
      expect(await page.evaluate(colouredPixels(id))).toBeGreaterThan(300);
      await page.expectClean();
    });

    test('a table of numbers is a plot: drawn, read by keyboard, and zoomed by a drag', async () => {
      const rows = Array.from({ length: 500 }, (_, at) => `${at + 1},${(at * 7) % 300}`);
      const content = `Time [s],Current [mA]\n${rows.join('\n')}\n`;
      const told = { title: 'Spectrum', logbooks: ['RF'], files: [{ name: 'spectrum.csv', content }] };
      const { id } = await tell(logbook, 1_000, told);
      const page = await open(`/entries/${id}`);
      await page.waitFor('.u-over');
      await page.evaluate(`${slider}.focus()`);
      await page.press('Home');
      await expect.poll(() => page.evaluate(`${slider}.getAttribute('aria-valuetext')`)).toContain('Current 0 mA');
      await page.evaluate(`${slider}.scrollIntoView({ block: 'center' })`);
      const last = `Number(${slider}.getAttribute('aria-valuemax'))`;
      const before = await page.evaluate<number>(last);
      await page.dragIn('.u-over', [-100, 0], [-50, 0], [0, 0]);
      await expect.poll(() => page.evaluate(last)).toBeLessThan(before);
      const inked = `(() => {
        const canvas = ${slider}.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value, at) => at % 4 === 3 && value > 0);
      })()`;
      await expect.poll(() => page.evaluate(inked)).toBe(true);
      await page.expectClean();
    });

    test('in dark colours, in German and at a zoom of 200 %, no page is cut off', async () => {
      const page = await open('/');
      await page.click('button', 'Settings');
      await page.click('menuitemradio', 'Dark');
      await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
      await page.click('button', 'Settings');
      await page.click('menuitemradio', 'Deutsch');
      await page.shows('Neuer Eintrag');
      await page.resize(640, 400);
      for (const [path, awaited] of [
        ['/', '.entry-row'],
        [`/entries/${trip.id}`, '.doc h1'],
        ['/write', '.cm-content'],
      ] as const) {
        await page.goto(`${logbook.origin}${path}`);
        await page.waitFor(awaited);
        expect(await page.evaluate('document.documentElement.lang + document.documentElement.dataset.theme')).toBe(
          'dedark',
        );
        expect(await page.evaluate(isCut), path).toBe(false);
      }
      await page.expectClean();
    });

    test('keys that are typed fast move through the list, find a command and write a title', async () => {
      const page = await open('/');
      await page.press('Control+k');
      await page.type('drafts');
      await page.press('Enter');
      await expect.poll(() => page.evaluate('location.pathname')).toBe('/drafts');
      await page.type('gejjk');
      await page.waitFor('.doc');
      await page.type('cFast and right');
      await expect.poll(() => page.evaluate(`document.activeElement.value`)).toBe('Fast and right');
      await page.expectClean();
    });

    test.skipIf(isLimited)('a printed entry has its text, its table and its pictures, and no controls', async () => {
      const page = await open(`/entries/${trip.id}`);
      await page.waitFor('.doc table');
      await page.evaluate(`window.print = () => {
        window.hasPictures = [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0);
      }`);
      await page.press('Control+p');
      await expect.poll(() => page.evaluate('window.hasPictures')).toBe(true);
      const bytes = await page.print();
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
      const printed = text.replace(/\s+/g, ' ');
      // Text that Firefox writes with bold letters or figures of equal width cannot be extracted.
      for (const part of ['Quadrupole supply', 'SR:RF{Cav:2}Prefl', 'flow 12 l/min', 'tickets.example.org/MAG']) {
        expect(printed).toContain(part);
      }
      for (const part of ['Write a reply', 'History', 'New entry', 'minutes ago']) expect(printed).not.toContain(part);
    });
  });
}
