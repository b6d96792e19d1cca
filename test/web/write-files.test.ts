import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { withoutTimers } from '../fixtures/held-timers.js';
import { pasteImage } from '../fixtures/paste-image.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

/** A red HEIC image of 64 × 32. */
const heicImage = [
  'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9j',
  'AAAAAERAAAEAAQAAAAABoQABAAAAAAAAAB0AAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA/Wlw',
  'cnAAAADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AA',
  'AAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAA',
  'QAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAIAAAAAEAAAAAAAAAAv///+AAAAACAAAAEHBpeGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWB',
  'AgMFhAAAACVtZGF0AAAAGSgBrxOA9SeBP//UVR/+x7nh9jrN+efLU8A=',
].join('');

describe.skipIf(withoutBrowser)('files of an entry', () => {
  // It shares a screen without asking.
  const browser = useBrowser({ args: ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'] });
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start({ maxFileSize: '1MB' });
  });
  afterAll(async () => logbook?.stop());

  const open = async (query = '') => {
    const client = await browser.open(logbook.origin, { path: `/write${query}` });
    await client.page.getByRole('textbox', { name: 'Text in Markdown' }).waitFor();
    return client;
  };

  test('pasted images stand in the text with their size, under different names, and arrive', async () => {
    const client = await open();
    const { page } = client;
    await page.getByRole('textbox', { name: 'Title' }).fill('With pictures');
    await new DraftPage(page).chooseLogbook();
    await page.getByRole('textbox', { name: 'Text in Markdown' }).click();
    await pasteImage(page, 40, 20);
    await page.getByText('image-1.png').waitFor();
    await pasteImage(page, 4000, 20);
    await page.getByText('image-1-2.png').waitFor();
    await expect.poll(() => page.getByText('ready').count()).toBe(2);
    await expect.poll(() => page.getByRole('region', { name: 'Preview' }).locator('img').count()).toBe(2);
    await client.expectAccessible();
    await client.screenshot('write-files');
    await page.keyboard.press('Control+Enter');
    await new DraftPage(page).sent();
    const { logs } = await logbook.search('title=pictures');
    const [entry] = logs;
    expect(entry?.attachments.map(({ filename }) => filename)).toEqual(['image-1.png', 'image-1-2.png']);
    const [first, second] = entry?.attachments ?? [];
    expect(entry?.source).toContain(`![image-1](attachment/${first?.id}){width=40 height=20}`);
    expect(entry?.source).toContain(`![image-1-2](attachment/${second?.id}){width=1000 height=5}`);
    await expect.poll(async () => (await logbook.get('/drafts')).body).toEqual([]);
    await client.expectClean();
    await client.close();
  });

  test('files that are dropped anywhere on the page are added; text that is dropped stays text', async () => {
    const client = await open();
    const { page } = client;
    await page.getByRole('textbox', { name: 'Title' }).fill('Dropped');
    const drag = (type: string, target: string, data: string) =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        ${data};
        document.querySelector('${target}').dispatchEvent(
          new DragEvent('${type}', { dataTransfer, bubbles: true, cancelable: true, clientX: 40, clientY: 180 }));
      }`);
    const file = `dataTransfer.items.add(new File(['dropped'], 'notes.txt', { type: 'text/plain' }))`;
    await drag('dragover', '.write-head', file);
    await page.getByText('Drop to add to this entry').waitFor();
    await drag('drop', '.write-head', file);
    await page.getByText('notes.txt').waitFor();
    // A file that is not a picture, whatever its name says, is not shown as a broken one.
    await drag(
      'drop',
      '.write-head',
      `dataTransfer.items.add(new File(['no picture'], 'no.png', { type: 'image/png' }))`,
    );
    await page.getByText('no.png').waitFor();
    await expect.poll(() => page.locator('.thumbnail svg').count()).toBe(2);
    await expect.poll(() => page.getByText('Drop to add to this entry').count()).toBe(0);
    await drag('drop', '.cm-content', "dataTransfer.setData('text/plain', 'Only text.')");
    await expect.poll(() => page.getByRole('textbox', { name: 'Text in Markdown' }).innerText()).toBe('Only text.');
    expect(await page.getByText('notes.txt').count()).toBe(1);
    await client.expectClean();
    await client.close();
  });

  test('a file over the limit is refused before it is sent, with what to do instead', async () => {
    const client = await open();
    const { page } = client;
    const large = { name: 'scope.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(1_100_000) };
    await page
      .locator('input[type=file]')
      .setInputFiles([large, { name: 'ok.txt', mimeType: 'text/plain', buffer: Buffer.from('fine') }]);
    await page.getByText('Larger than 1 MB: paste a link to it.').waitFor();
    await page.getByText('ok.txt').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(() => page.getByText('scope.wav').count()).toBe(0);
    await client.expectClean();
    await client.close();
  });

  test('a HEIC image of a phone becomes a JPEG before it is sent', async () => {
    const client = await open();
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.title.fill('From a phone');
    await draft.chooseLogbook();
    await page.locator('input[type=file]').setInputFiles({
      name: 'IMG_2207.HEIC',
      mimeType: 'image/heic',
      buffer: Buffer.from(heicImage, 'base64'),
    });
    await page.getByText('IMG_2207.jpg').waitFor();
    await page.getByText('64 × 32').waitFor();
    await page.getByText('ready').waitFor();
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body.attachments).toMatchObject([{ filename: 'IMG_2207.jpg', contentType: 'image/jpeg' }]);
    expect(body.source).toMatch(/^!\[IMG_2207\]\(attachment\/[\w-]+\)\{width=64 height=32\}/);
    await client.expectClean();
    await client.close();
  });

  test('an upload that stops continues where it stopped, also after a reload', async () => {
    const client = await open();
    const { page } = client;
    client.expectConsole('ERR_FAILED');
    const draft = new DraftPage(page);
    await draft.title.fill('Large file');
    await draft.chooseLogbook();
    const ranges: string[] = [];
    let isDown = true;
    await page.route(/\/drafts\/.*\/attachments\//, async (route) => {
      const range = route.request().headers()['content-range'] ?? '';
      if (isDown && range !== '' && !range.startsWith('bytes 0-')) return route.abort();
      ranges.push(range);
      return route.continue();
    });
    const content = Buffer.alloc(1_000_000, 'scope ');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'scope.bin', mimeType: 'application/x-scope', buffer: content });
    await page.getByText('Stopped at 52 %.').waitFor();
    await page.reload();
    await page.getByText('Stopped at').waitFor();
    isDown = false;
    const ready = page.getByText('ready');
    // The page also tries again automatically, which takes the button away.
    await page.getByRole('button', { name: 'Continue' }).or(ready).click();
    await ready.waitFor();
    expect(ranges).toEqual(['bytes 0-524287/1000000', 'bytes 524288-999999/1000000']);
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    const [file] = body.attachments;
    expect((await logbook.get(`/attachment/${file.id}`)).text).toBe(content.toString());
    await client.expectClean();
    await client.close();
  });

  test('an edit adds and removes files; the removed one stays in the history', async () => {
    const id = randomUUID();
    const form = await logbook.sendForm(
      'PUT',
      { title: 'Edit my files', logbooks: [{ name: 'operations' }], attachments: [{ id, filename: 'old.txt' }] },
      [{ name: 'old.txt', content: 'old' }],
    );
    const client = await open(`?edit=${form.body.id}`);
    const { page } = client;
    await page.getByRole('button', { name: 'Remove old.txt' }).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('new') });
    await page.getByText('ready').waitFor();
    await page.keyboard.press('Control+Enter');
    expect(await new DraftPage(page).sent()).toBe(form.body.id);
    const { body } = await logbook.get(`/logs/${form.body.id}`);
    expect(body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(['new.txt']);
    expect((await logbook.get(`/attachment/${id}`)).text).toBe('old');
    await client.expectClean();
    await client.close();
  });

  test('a file that is brought back has its place in the list again, and its picture its place and caption in the text', async () => {
    const client = await open();
    const { page } = client;
    // The server may not have the removed file yet.
    client.expectConsole('404');
    const draft = new DraftPage(page);
    await draft.write('With captions', 'Before. ');
    await draft.chooseLogbook();
    await draft.text.click();
    await page.keyboard.press('Control+End');
    await pasteImage(page, 40, 20);
    await page.getByText('image-1.png').waitFor();
    await draft.append('After.');
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('second') };
    await page.locator('input[type=file]').setInputFiles(notes);
    await expect.poll(() => page.getByText('ready').count()).toBe(2);
    await page.getByRole('textbox', { name: 'Caption of image-1.png' }).pressSequentially('The "beam"');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.locator('.caption').getByText('The "beam"', { exact: true }).waitFor();
    const text = await draft.text.innerText();
    await withoutTimers(page, async () => {
      await page.getByRole('button', { name: 'Remove image-1.png' }).click();
      await expect.poll(() => draft.text.innerText()).not.toContain('attachment');
      await page.getByRole('button', { name: 'Undo' }).click();
    });
    await expect.poll(() => page.locator('.file-list b').allInnerTexts()).toEqual(['image-1.png', 'notes.txt']);
    await expect.poll(() => draft.text.innerText()).toBe(text);
    await expect.poll(() => page.getByText('ready').count()).toBe(2);
    await client.expectAccessible();
    await client.screenshot('write-captions');
    await draft.send();
    const id = await draft.sent();
    const { body } = await logbook.get(`/logs/${id}`);
    expect(body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual([
      'image-1.png',
      'notes.txt',
    ]);
    await page.goto(`${logbook.origin}/entries/${id}`);
    await page.locator('.doc .caption').getByText('The "beam"', { exact: true }).waitFor();
    await page.locator('.doc .captioned img').click();
    await page.locator('.gallery-caption').getByText('The "beam"', { exact: true }).waitFor();
    await client.expectAccessible();
    await client.screenshot('gallery-caption');
    await client.expectClean();
    await client.close();
  });

  test('a picture of the screen is a file; files are in the order that was chosen', async () => {
    const client = await open();
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.title.fill('From the screen');
    await draft.chooseLogbook();
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('first') };
    await page.locator('input[type=file]').setInputFiles(notes);
    await page.getByText('notes.txt').waitFor();
    await page.getByRole('button', { name: 'Capture the screen' }).click();
    await page.getByText('screen-1.png').waitFor();
    const order = () => page.locator('.file-list b').allInnerTexts();
    const focused = () => page.evaluate<string | null>("document.activeElement.getAttribute('aria-label')");
    const said = (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
    for (const name of ['Move screen-1.png up', 'Move screen-1.png down', 'Move screen-1.png up']) {
      await page.getByRole('button', { name }).press('Enter');
      await expect
        .poll(order)
        .toEqual(name.endsWith('up') ? ['screen-1.png', 'notes.txt'] : ['notes.txt', 'screen-1.png']);
      await said(`screen-1.png: position ${name.endsWith('up') ? 1 : 2} of 2`);
      // Also at the end of the list, where the button does nothing.
      expect(await focused()).toBe(name);
    }
    const grip = async (at: number) => {
      const box = await page.locator('.file-list .grip').nth(at).boundingBox();
      if (!box) throw new Error('the file has no grip');
      return [box.x + box.width / 2, box.y + box.height / 2] as const;
    };
    for (const dragged of [
      ['notes.txt', 'screen-1.png'],
      ['screen-1.png', 'notes.txt'],
    ]) {
      const [x, y] = await grip(0);
      await page.mouse.move(x, y);
      await page.mouse.down();
      const [, lower] = await grip(1);
      await page.mouse.move(x, lower + 10, { steps: 3 });
      await page.mouse.up();
      await expect.poll(order).toEqual(dragged);
      await said(`${dragged[1]}: position 2 of 2`);
    }
    await expect.poll(() => page.getByText('ready').count()).toBe(2);
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual([
      'screen-1.png',
      'notes.txt',
    ]);
    const picture = await logbook.get(`/attachment/${body.attachments[0].id}`);
    expect(Number(picture.headers.get('content-length'))).toBeGreaterThan(100);
    await client.expectClean();
    await client.close();
  });
});
