import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { expectFocus, expectVisibleFocus, tabTo } from '../fixtures/focused.js';
import { pasteImage } from '../fixtures/paste-image.js';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

const admin = { as: 'admin:adminPass' };

describe.skipIf(withoutBrowser)('jobs with the keyboard alone', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let client: WebClientPage;
  let id: number;

  beforeAll(async () => {
    logbook = await TestService.start({ shifts: shiftsAround() });
    ({ id } = await logbook.create({ title: 'Pump 4 is loud', source: 'Its **bearing** is worn.' }));
  });
  afterAll(async () => logbook?.stop());

  const open = async (path: string, awaited: string) => {
    const context = { permissions: ['clipboard-read', 'clipboard-write'] };
    client = await browser.open(logbook.origin, { path, context });
    await client.page.locator(awaited).first().waitFor();
    return client.page;
  };
  /** Moves the focus to the control with Tab, and presses the keys there. */
  const use = async (page: Page, name: string | RegExp, ...keys: string[]) => {
    await tabTo(page, name);
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Waits until this element has the focus, and can be seen to have it. */
  const expectAt = async (page: Page, name: string | RegExp) => {
    await expectFocus(page, name);
    await expectVisibleFocus(page);
  };
  const finish = async () => {
    await client.expectClean();
    await client.close();
  };

  test('watch a search, and read in the inbox what it found', async () => {
    const page = await open('/?query=quench', '.list-pane, .void');
    await use(page, 'Watch this search', 'Enter');
    await page.getByRole('button', { name: 'Watch this search', pressed: true }).waitFor();
    await expectAt(page, 'Watch this search');
    await logbook.create({ title: 'Quench in sector 4' }, '', admin);
    await page.getByRole('link', { name: 'Inbox, 1 unread' }).waitFor();
    await use(page, 'Inbox, 1 unread', 'Enter');
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    await expectVisibleFocus(page);
    await use(page, /Quench in sector 4/, 'Enter');
    await page.locator('.doc h1', { hasText: 'Quench in sector 4' }).waitFor();
    await expectAt(page, 'Entry');
    await page.getByRole('link', { name: 'Inbox', exact: true }).first().waitFor();
    await finish();
  });

  test('save a search, and open it from another one', async () => {
    const page = await open('/?query=pump', '.entry-row');
    await use(page, 'Save this search', 'Enter');
    await expectAt(page, 'Name');
    await page.keyboard.type('Pumps');
    await page.keyboard.press('Enter');
    await shownMessage(page, /Pumps/);
    await expectAt(page, 'Save this search');
    await page.goto(`${logbook.origin}/?query=valve`);
    await page.getByRole('link', { name: 'Pumps' }).waitFor();
    await use(page, /^Pumps/, 'Enter');
    await page.locator('.entry-row', { hasText: 'Pump 4 is loud' }).waitFor();
    await expectAt(page, /^Pumps/);
    await finish();
  });

  test('print an entry, and the report of a shift', async () => {
    const page = await open(`/entries/${id}`, '.doc h1');
    const notePrints = 'window.prints = 0; window.print = () => { window.prints += 1; }';
    const prints = () => page.evaluate('window.prints');
    await page.evaluate(notePrints);
    await use(page, 'Reply');
    await page.keyboard.press('Control+p');
    await expect.poll(prints).toBe(1);
    await expectAt(page, 'Reply');
    await page.goto(`${logbook.origin}/hand-over`);
    await page.getByRole('textbox', { name: 'For the next shift' }).waitFor();
    await page.evaluate(notePrints);
    await use(page, 'Print the shift report', 'Enter');
    await expect.poll(prints).toBe(1);
    await expectAt(page, 'Print the shift report');
    await finish();
  });

  test('copy an entry as Markdown', async () => {
    const page = await open(`/entries/${id}`, '.doc h1');
    await use(page, 'More', 'Enter');
    await page.getByRole('menu', { name: 'More' }).waitFor();
    // A menu that is opened for the first time has the focus itself.
    for (const key of ['ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    await expectAt(page, /^Copy as Markdown/);
    await page.keyboard.press('Enter');
    await shownMessage(page, /Markdown copied/);
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('Its **bearing** is worn.');
    await expectAt(page, 'More');
    await finish();
  });

  test('write a hand-over, and send it', async () => {
    const page = await open('/', '.entry-row');
    const arrived = async () => {
      // The second key must follow soon, which it may not on a busy machine.
      for (const key of ['g', 'h']) await page.keyboard.press(key);
      return new URL(page.url()).pathname;
    };
    await expect.poll(arrived).toBe('/hand-over');
    await expectAt(page, 'For the next shift');
    await expect
      .poll(() => page.getByRole('textbox', { name: 'For the next shift' }).innerText())
      .toContain('In this shift:');
    await page.keyboard.type('Watch pump 4.');
    await page.keyboard.press('Control+Enter');
    await expectAt(page, 'Undo');
    const sent = Number(/#(\d+)/.exec(await shownMessage(page, /#\d+ created/))?.[1]);
    expect((await logbook.get(`/logs/${sent}`)).body.source).toMatch(/Watch pump 4\.$/);
    await page.getByText('Handed over', { exact: true }).waitFor();
    await expectVisibleFocus(page);
    await finish();
  });

  test('put attachments in order, with a caption', async () => {
    const page = await open('/write', '.cm-content');
    const draft = new DraftPage(page);
    await expectAt(page, 'Title');
    await page.keyboard.type('Spectrum');
    await use(page, 'Text in Markdown');
    await page.keyboard.type('As seen: ');
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('first') };
    await page.locator('input[type=file]').setInputFiles(notes);
    await page.getByText('notes.txt').waitFor();
    await pasteImage(page, 40, 20);
    await expect.poll(() => page.getByText('ready', { exact: true }).count()).toBe(2);
    await use(page, 'Logbooks');
    await page.keyboard.type('operations');
    await page.getByRole('option', { name: 'operations', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await expectVisibleFocus(page);
    await use(page, 'Caption of image-1.png');
    await page.keyboard.type('Beam at 03:20');
    await use(page, 'Move image-1.png up', 'Enter');
    await expectAt(page, 'Move image-1.png up');
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual([
      'image-1.png',
      'notes.txt',
    ]);
    expect(body.source).toMatch(/^As seen:\s+!\[[^\]]*\]\([^)]* "Beam at 03:20"\)/);
    await expectVisibleFocus(page);
    await finish();
  });

  test('send an entry that an address has filled in', async () => {
    const page = await open('/new?title=Cavity+2&text=Reflected+power&logbook=operations', '.cm-content');
    const draft = new DraftPage(page);
    await expect.poll(() => draft.text.innerText()).toBe('Reflected power');
    await expectAt(page, /Title|Text/);
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body).toMatchObject({ title: 'Cavity 2', source: 'Reflected power', logbooks: [{ name: 'operations' }] });
    await expectVisibleFocus(page);
    await finish();
  });
});
