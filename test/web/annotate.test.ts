import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';
import { tell } from '../fixtures/web-story.js';

const size = { width: 400, height: 200 };

/** A white picture of 400 × 200 with black stripes of one pixel, as fine as letters. */
async function striped(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), ${JSON.stringify(size)});
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, 400, 200);
    context.fillStyle = '#000';
    for (let x = 0; x < 400; x += 2) context.fillRect(x, 0, 1, 200);
    return canvas.toDataURL('image/png').split(',')[1];
  })()`);
  return Buffer.from(String(base64), 'base64');
}

/** Counts the pixels of a picture that are neither black nor white, in its left and its right half. */
async function colouredPixels(
  page: Page,
  url: string,
): Promise<{ width: number; height: number; left: number; right: number }> {
  return page.evaluate(`(async () => {
    const picture = await createImageBitmap(await (await fetch('${url}')).blob());
    const { width, height } = picture;
    const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', { willReadFrequently: true });
    context.drawImage(picture, 0, 0);
    const count = (x) => {
      const { data } = context.getImageData(x, 0, width / 2, height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at + 1] > 20 && data[at + 1] < 235) found += 1;
      return found;
    };
    return { width, height, left: count(0), right: count(width / 2) };
  })()`) as Promise<{ width: number; height: number; left: number; right: number }>;
}

/** Returns the least and the greatest red of the picture with its marks, in a white and in a black column. */
async function redsOf(page: Page): Promise<{ white: [number, number]; black: [number, number] }> {
  return page.evaluate(`(() => {
    const size = { width: 400, height: 200 };
    const context = Object.assign(document.createElement('canvas'), size).getContext('2d', { willReadFrequently: true });
    context.drawImage(document.querySelector('.picture-surface canvas'), 0, 0);
    const reds = (x) => [...context.getImageData(x, 0, 1, 200).data].filter((_, at) => at % 4 === 0);
    const range = (all) => [Math.min(...all), Math.max(...all)];
    return { white: range(reds(101)), black: range(reds(100)) };
  })()`) as Promise<{ white: [number, number]; black: [number, number] }>;
}

/** Returns the contrast, as WCAG defines it, of the two rings of a mark as the night theme shows them. */
async function contrastAtNight(page: Page): Promise<number> {
  const filter = await page.evaluate<string>(`(() => {
    const { dataset } = document.documentElement;
    const { theme } = dataset;
    dataset.theme = 'night';
    const { filter } = getComputedStyle(document.querySelector('.picture-surface canvas'));
    dataset.theme = theme;
    return filter;
  })()`);
  const blank = await page.context().newPage();
  const ring = (colour: string) =>
    `<i style="position: absolute; inset: 0 0 0 ${colour === '#fff' ? 10 : 0}px; background: ${colour}"></i>`;
  await blank.setContent(
    `<div style="filter: ${filter}; position: fixed; inset: 0">${ring('#000')}${ring('#fff')}</div>`,
  );
  const png = await blank.screenshot({ clip: { x: 0, y: 0, width: 20, height: 10 } });
  const luminances = await blank.evaluate<number[]>(`(async () => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
    const context = Object.assign(document.createElement('canvas'), { width: 20, height: 10 }).getContext('2d');
    context.drawImage(picture, 0, 0);
    const linear = (value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return [5, 15].map((x) => {
      const [red, green, blue] = [...context.getImageData(x, 5, 1, 1).data].map(linear);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    });
  })()`);
  await blank.close();
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}

describe.skipIf(withoutBrowser)('marks on pictures', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  test('before sending, by keyboard alone: the marked picture takes the place of the file, and can be taken back', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Marked', 'See: ');
    await draft.chooseLogbook();
    await draft.text.click();
    const buffer = await striped(page);
    await page.locator('input[type=file]').setInputFiles({ name: 'panel.png', mimeType: 'image/png', buffer });
    await page.getByText('ready').waitFor();
    const before = await draft.text.innerText();
    await page.getByRole('button', { name: 'Annotate panel.png' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Annotate panel.png' });
    const surface = dialog.getByRole('application', { name: 'Picture' });
    await surface.waitFor();
    await dialog.getByRole('button', { name: 'Blur' }).press('Enter');
    await surface.press('Enter');
    for (let times = 0; times < 25; times += 1) await surface.press('ArrowLeft');
    await dialog.getByRole('button', { name: 'Text' }).press('Enter');
    await surface.press('Enter');
    await page.keyboard.type('Fault');
    await dialog.getByRole('button', { name: 'Box' }).press('Enter');
    await surface.press('Enter');
    await dialog.getByRole('button', { name: 'Undo' }).press('Enter');
    // A command would leave the page, and with it the marks.
    for (const key of ['Control+k', '?']) await surface.press(key);
    await client.drawn();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await client.expectAccessibleInAllThemes();
    await client.screenshot('annotate');
    await surface.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo the annotation of panel.png' }).waitFor();
    await page.getByText('ready').waitFor();
    expect(await draft.text.innerText()).not.toBe(before);
    await client.expectAccessible();
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    // One file: the original, with what was blurred, stays in the browser.
    expect(body.attachments).toMatchObject([{ filename: 'panel.png', contentType: 'image/png' }]);
    const [{ id }] = body.attachments;
    expect(body.source).toContain(`(attachment/${id}){width=400 height=200}`);
    const found = await colouredPixels(page, `/logbook/attachment/${id}`);
    expect(found).toMatchObject(size);
    expect(found.left).toBeGreaterThan(2_000);
    await client.expectClean();
    await client.close();
  });

  test('an annotation, which shows on white and on black, is undone before sending: the original is sent', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    // The annotated picture is removed from the server, which may not have it yet.
    client.expectConsole('404');
    const draft = new DraftPage(page);
    await draft.write('Taken back', '');
    await draft.chooseLogbook();
    const buffer = await striped(page);
    await page.locator('input[type=file]').setInputFiles({ name: 'panel.png', mimeType: 'image/png', buffer });
    await page.getByText('ready').waitFor();
    await page.getByRole('button', { name: 'Annotate panel.png' }).click();
    const surface = page.getByRole('application', { name: 'Picture' });
    const box = await surface.locator('canvas').boundingBox();
    if (!box) throw new Error('the picture has no place');
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    const reds = await redsOf(page);
    // A dark ring, and a light one in it; the colour of the mark has a red of 210.
    expect(reds.white[0]).toBeLessThan(150);
    expect(reds.black[1]).toBeGreaterThan(225);
    expect(await contrastAtNight(page)).toBeGreaterThan(3);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Undo the annotation of panel.png' }).click();
    await page.getByText('ready').waitFor();
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    const sent = await logbook.get(`/attachment/${body.attachments[0].id}`);
    expect(sent.headers.get('content-length')).toBe(String(buffer.length));
    expect(body.source).toContain(`attachment/${body.attachments[0].id}`);
    await client.expectClean();
    await client.close();
  });

  test('Escape leaves the text of a mark first, and no way out discards marks without a question', async () => {
    const client = await browser.open(logbook.origin, { path: '/' });
    const { page } = client;
    await page.getByRole('link', { name: /^New entry/ }).click();
    const draft = new DraftPage(page);
    await draft.write('Not lost', '');
    await draft.chooseLogbook();
    const buffer = await striped(page);
    await page.locator('input[type=file]').setInputFiles({ name: 'panel.png', mimeType: 'image/png', buffer });
    await page.getByText('ready').waitFor();
    await page.getByRole('button', { name: 'Annotate panel.png' }).click();
    const dialog = page.getByRole('dialog', { name: 'Annotate panel.png' });
    const surface = dialog.getByRole('application', { name: 'Picture' });
    const label = dialog.getByRole('textbox', { name: 'Text of the mark' });
    await surface.press('Enter');
    await dialog.getByRole('button', { name: 'Text' }).click();
    await surface.press('Enter');
    await label.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Valve');
    await page.keyboard.press('Escape');
    expect(await page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe('Picture');
    expect(await label.inputValue()).toBe('Valve');
    const leaves = [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(2, 2),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => page.evaluate('history.back()'),
    ];
    for (const leave of leaves) {
      await leave();
      await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor();
      await page.getByRole('button', { name: 'Keep' }).click();
      expect(await label.inputValue()).toBe('Valve');
    }
    // A text in which nothing was written is not a mark.
    await surface.press('Enter');
    expect(await label.inputValue()).toBe('');
    await page.keyboard.press('Escape');
    expect(await label.inputValue()).toBe('Valve');
    for (const mark of ['the text', 'the arrow']) {
      expect(await dialog.getByRole('button', { name: 'Undo' }).isEnabled(), mark).toBe(true);
      await dialog.getByRole('button', { name: 'Undo' }).click();
    }
    await surface.press('Enter');
    await label.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('  ');
    // Nothing is drawn, so that nothing has changed.
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Undo the annotation of panel.png' }).count()).toBe(0);
    await client.expectClean();
    await client.close();
  });

  test('after sending, a crop is an edit of the entry, whose earlier version keeps the original', async () => {
    const client = await browser.open(logbook.origin, { path: '/' });
    const { page } = client;
    const files = [{ name: 'panel.png', content: await striped(page) }];
    const { id, attachments } = await tell(logbook, 0, {
      title: 'With a picture',
      text: 'Look.',
      logbooks: ['operations'],
      files,
    });
    const [original] = attachments;
    await page.goto(`${logbook.origin}/entries/${id}`);
    await page.locator('.thumb').getByRole('button').click();
    await page.getByRole('dialog', { name: 'panel.png' }).getByRole('button', { name: 'Annotate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Annotate panel.png' });
    await dialog.getByRole('application').waitFor();
    await dialog.getByRole('button', { name: 'Crop' }).click();
    await dialog.getByRole('application').press('Enter');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('ready').waitFor();
    const draft = new DraftPage(page);
    await draft.send();
    expect(await draft.sent()).toBe(id);
    const { body } = await logbook.get(`/logs/${id}`);
    expect(body.attachments).toMatchObject([{ filename: 'panel.png', width: 320, height: 160 }]);
    const archived = await logbook.get(`/logs/archived/${id}`);
    expect(archived.body.logs[0].attachments).toMatchObject([{ id: original?.id }]);
    expect((await logbook.get(`/attachment/${original?.id}`)).status).toBe(200);
    await client.expectClean();
    await client.close();
  });
});
