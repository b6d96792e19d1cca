import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { drawn, useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('writing an entry', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  test('an entry with everything is written with the keyboard alone, and sent once', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    await page.keyboard.type('RF cavity 2 tripped');
    await page.getByRole('textbox', { name: 'Text in Markdown' }).focus();
    await page.keyboard.type('**Tripped** on reflected power.\n\n- first\nsecond\n\nEnd.');
    await page.getByRole('radio', { name: 'Info' }).focus();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('combobox', { name: 'Logbooks' }).focus();
    await page.keyboard.type('oper');
    await page.getByRole('option', { name: 'operations' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Tags' }).focus();
    await page.keyboard.type('al');
    await page.getByRole('option', { name: 'alarm' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[data-light="both"]').waitFor();
    await client.expectAccessible();
    await client.screenshot('write-light');
    const draft = new DraftPage(page);
    await draft.send();
    await draft.sent();
    const { logs } = await logbook.search('title=cavity');
    expect(logs).toHaveLength(1);
    expect(logs[0]).toMatchObject({
      title: 'RF cavity 2 tripped',
      level: 'Suggestion',
      source: '**Tripped** on reflected power.\n\n- first\n- second\n\nEnd.',
      logbooks: [{ name: 'operations' }],
      tags: [{ name: 'alarm' }],
    });
    await client.expectClean();
    await client.close();
  });

  test('what is typed after the keys to send, until the page has gone, is sent too', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Typed fast', 'Beam back');
    await draft.chooseLogbook();
    await draft.light();
    await draft.text.click();
    await page.keyboard.press('Control+End');
    // At the moment in which the draft is put into the outbox.
    await page.evaluate(`(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (value, ...rest) {
        if (value.submission) {
          IDBObjectStore.prototype.put = put;
          document.execCommand('insertText', false, ' at 03:12.');
        }
        return put.call(this, value, ...rest);
      };
    })()`);
    await draft.send();
    expect((await logbook.get(`/logs/${await draft.sent()}`)).body.source).toBe('Beam back at 03:12.');
    await client.expectClean();
    await client.close();
  });

  test('a preview whose worker cannot be loaded is rendered in the page', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    client.expectConsole('render-worker');
    await page.route(/\/assets\/render-worker-[^/]+\.js$/, (route) => route.abort());
    await page.goto(`${logbook.origin}/write`);
    const draft = new DraftPage(page);
    await draft.write('', '**One**\n\nTwo');
    await page.locator('.prose strong', { hasText: 'One' }).waitFor();
    await draft.append('\n\n*Three*');
    await page.locator('.prose em', { hasText: 'Three' }).waitFor();
    expect(await page.locator('.prose > p').allInnerTexts()).toEqual(['One', 'Two', 'Three']);
    await page.getByRole('button', { name: 'Discard' }).click();
    await client.expectClean();
    await client.close();
  });

  test('a time in the past and a property go with the entry, and are found by it', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Seen later', 'Noticed in the archive.');
    await draft.chooseLogbook();
    await page.getByRole('textbox', { name: 'When it happened' }).fill('2019-05-14 03:12:07');
    await page.getByRole('button', { name: 'Add a property' }).click();
    await page.getByRole('menuitem', { name: 'resource' }).click();
    await page.getByRole('textbox', { name: 'file' }).fill('a.dat');
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body.events).toMatchObject([{ instant: Date.UTC(2019, 4, 14, 3, 12, 7) }]);
    expect(body.properties).toMatchObject([
      {
        name: 'resource',
        attributes: expect.arrayContaining([expect.objectContaining({ name: 'file', value: 'a.dat' })]),
      },
    ]);
    await page.goto(`${logbook.origin}/?query=${encodeURIComponent('start="2019-05-14" end="2019-05-15"')}`);
    await page.getByRole('link', { name: /Seen later/ }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test('text that is not a time is reported instead of being sent, also after a reload', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Unreadable time', 'Seen in the archive.');
    await draft.chooseLogbook();
    const when = page.getByRole('textbox', { name: 'When it happened' });
    // Its beginning is a date.
    await when.pressSequentially('2019-05-14 3.12');
    for (const isReloaded of [false, true]) {
      if (isReloaded) {
        await draft.light();
        // Pages of earlier versions fail on an event without an instant.
        const stored = await logbook.get(new URL(page.url()).pathname.replace('/write', '/drafts'));
        expect(stored.body.content.events).toEqual([]);
        await page.reload();
        await draft.text.click();
      }
      await page.keyboard.press('Control+Enter');
      await page.getByText('Write it like 03:47 or 2026-11-17 03:47.').waitFor();
      await expect.poll(() => when.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
      expect(await when.inputValue()).toBe('2019-05-14 3.12');
    }
    await client.expectAccessible();
    await when.fill('2019-05-14 03:12');
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body.events).toMatchObject([{ instant: Date.UTC(2019, 4, 14, 3, 12) }]);
    await client.expectClean();
    await client.close();
  });

  test('a time that is emptied is replaced by what is typed next, and the other times stay', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Two times', 'Seen twice.');
    await draft.chooseLogbook();
    const times = page.locator('.when input.number');
    const shown = () => times.evaluateAll((all) => all.map((one) => (one as { value?: string }).value));
    await times.fill('2019-05-14 01:00');
    await page.getByRole('button', { name: 'Add another time' }).click();
    await times.nth(1).fill('2019-05-14 02:00');
    await times.first().click();
    for (const key of ['Control+A', 'Backspace']) await page.keyboard.press(key);
    await page.keyboard.type('2019-05-14 01:30');
    await expect.poll(shown).toEqual(['2019-05-14 01:30', '2019-05-14 02:00:00']);
    // One that stays empty is removed when it is left, but not when another window is; the other keeps the focus.
    for (const key of ['Control+A', 'Backspace']) await page.keyboard.press(key);
    await times.first().dispatchEvent('focusout', { bubbles: true, relatedTarget: null });
    await drawn(page);
    expect(await shown()).toEqual(['', '2019-05-14 02:00:00']);
    await times.nth(1).click();
    await expect.poll(shown).toEqual(['2019-05-14 02:00:00']);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('2019-05-14 02:30');
    await expect.poll(shown).toEqual(['2019-05-14 02:30']);
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body.events).toMatchObject([{ instant: Date.UTC(2019, 4, 14, 2, 30) }]);
    await client.expectClean();
    await client.close();
  });
});
