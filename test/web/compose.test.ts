import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { forgetMessages, shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

/** Lets no draft be stored until `areDraftsFree`, as on a slow disk. */
const holdDrafts = `new Promise((done) => {
  indexedDB.open('logbook').onsuccess = ({ target: { result: database } }) => {
    const store = database.transaction('drafts', 'readwrite').objectStore('drafts');
    const hold = () => {
      if (window.areDraftsFree) database.close();
      else store.get('').onsuccess = hold;
      done();
    };
    hold();
  };
})`;

describe.skipIf(withoutBrowser)('writing where one reads', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let client: WebClientPage;

  beforeAll(async () => {
    logbook = await TestService.start();
    await logbook.create({ title: 'Cavity 2 tripped', source: 'On reflected power.' });
  });
  afterAll(async () => logbook?.stop());

  const open = async (path = '/', options: Parameters<typeof browser.open>[1] = {}) => {
    client = await browser.open(logbook.origin, { path, ...options });
    await client.page
      .locator(path === '/' ? '.entry-row' : '.doc h1')
      .first()
      .waitFor();
    return client.page;
  };
  const line = (name = 'New entry in one line') => client.page.getByRole('combobox', { name });
  /** Ends the wait for an undo. */
  const sent = async () => Number(/#(\d+)/.exec(await shownMessage(client.page, /#\d+ created/))?.[1]);
  const close = async () => {
    await client.expectClean();
    await client.close();
  };

  test('an entry in one line: names are completed and shown, Enter posts it', async () => {
    const page = await open();
    await line().waitFor();
    await page.keyboard.press('w');
    await page.keyboard.type('Klystron 3 conditioned !pro');
    await page.getByRole('option', { name: '!Problem' }).waitFor();
    await client.expectAccessible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('@oper');
    await page.getByRole('option', { name: '@operations' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('#alarm');
    expect(await line().inputValue()).toBe('Klystron 3 conditioned !Problem @operations #alarm');
    await expect
      .poll(() => page.locator('.line-names .chip').allInnerTexts())
      .toEqual(['Problem', 'operations', 'alarm']);
    await client.screenshot('line');
    await forgetMessages(page);
    await page.keyboard.press('Enter');
    // The next one can be written.
    await expect.poll(() => line().inputValue()).toBe('');
    await page.keyboard.type('Next');
    const { body } = await logbook.get(`/logs/${await sent()}`);
    expect(body).toMatchObject({
      title: 'Klystron 3 conditioned',
      level: 'Problem',
      source: '',
      logbooks: [{ name: 'operations' }],
      tags: [{ name: 'alarm' }],
    });
    expect(await line().inputValue()).toBe('Next');
    // It is filed where the last one was.
    await forgetMessages(page);
    await page.keyboard.press('Enter');
    expect((await logbook.get(`/logs/${await sent()}`)).body).toMatchObject({
      title: 'Next',
      level: 'Info',
      logbooks: [{ name: 'operations' }],
      tags: [],
    });
    await close();
  });

  test('a line without a logbook is not sent, and says so', async () => {
    const page = await open();
    await line().fill('Filed nowhere');
    await line().press('Enter');
    await page.getByText('Name a logbook, such as @').waitFor();
    await client.expectAccessible();
    expect(await line().inputValue()).toBe('Filed nowhere');
    // Another tab would find it: it is a draft.
    await line().fill('');
    await close();
  });

  test('the line keeps its text: Escape, another page, a reload, a sign-out; in the full editor, everything is there', async () => {
    const page = await open();
    await line().fill('Pump 4 is loud !Problem @operations #alarm');
    await line().press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.closest(".entry-row") !== null')).toBe(true);
    await page
      .getByRole('link', { name: 'Wall' })
      .or(page.getByRole('link', { name: 'Hand-over' }))
      .first()
      .click();
    await page.goBack();
    const kept = 'Pump 4 is loud !Problem @operations #alarm';
    await expect.poll(() => line().inputValue()).toBe(kept);
    await page.reload();
    await expect.poll(() => line().inputValue()).toBe(kept);
    await page.getByRole('button', { name: 'Account of user' }).click();
    // The text may be on its way to the server when the session ends: it stays in the browser.
    client.expectConsole('401 (Unauthorized)');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect.poll(() => line().count()).toBe(0);
    await client.context.request.post(`${logbook.origin}/logbook/login`, {
      data: { username: 'admin', password: 'adminPass' },
    });
    await page.reload();
    await expect.poll(() => line().inputValue()).toBe('');
    await client.context.request.post(`${logbook.origin}/logbook/login`, {
      data: { username: 'user', password: 'userPass' },
    });
    await page.reload();
    await expect.poll(() => line().inputValue()).toBe(kept);
    await line().focus();
    await page.evaluate(holdDrafts);
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Bearing?');
    // The line has not stored its text yet.
    expect(await page.locator('.write-page').count()).toBe(0);
    await page.evaluate('window.areDraftsFree = true');
    const draft = new DraftPage(page);
    await expect.poll(() => draft.text.innerText()).toBe('Bearing?');
    expect(await draft.title.inputValue()).toBe('Pump 4 is loud');
    await draft.send();
    expect((await logbook.get(`/logs/${await draft.sent()}`)).body).toMatchObject({
      title: 'Pump 4 is loud',
      level: 'Problem',
      source: 'Bearing?',
      logbooks: [{ name: 'operations' }],
      tags: [{ name: 'alarm' }],
    });
    expect(await line().inputValue()).toBe('');
    await close();
  });

  test('several lines that are pasted into the line open in the full editor', async () => {
    await open();
    await line().fill('Seen: ');
    await client.page.evaluate(`(() => {
      const data = new DataTransfer();
      data.setData('text/plain', 'first line\\nsecond line');
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      document.querySelector('.line-composer input').dispatchEvent(event);
    })()`);
    const draft = new DraftPage(client.page);
    await expect.poll(() => draft.title.inputValue()).toBe('Seen: first line');
    await expect.poll(() => draft.text.innerText()).toBe('second line');
    await close();
  });

  test('a reply: one key and its text, with the entry in view', async () => {
    const page = await open('/entries/1');
    await page.getByRole('button', { name: 'Write a reply' }).waitFor();
    await page.keyboard.press('r');
    // Before the editor is there.
    await page.keyboard.type('Reset, and fine since.');
    const draft = new DraftPage(page);
    await expect.poll(() => draft.text.innerText()).toBe('Reset, and fine since.');
    expect(await page.locator('.doc h1').isVisible()).toBe(true);
    await client.expectAccessible();
    await client.screenshot('reply');
    await draft.light();
    await page.reload();
    await expect.poll(() => draft.text.innerText()).toBe('Reset, and fine since.');
    await draft.append(' Really.');
    await draft.send();
    const { body } = await logbook.get(`/logs/${await draft.sent()}`);
    expect(body).toMatchObject({
      title: 'Re: Cavity 2 tripped',
      source: 'Reset, and fine since. Really.',
      logbooks: [{ name: 'operations' }],
    });
    await page.locator('.thread-entry', { hasText: 'Really.' }).waitFor();
    await page.getByRole('button', { name: 'Write a reply' }).waitFor();
    await close();
  });

  test('a reply whose code cannot be loaded leaves the entry in view', async () => {
    const page = await open();
    client.expectConsole('reply-composer');
    await page.route(/\/assets\/reply-composer-[^/]+\.js$/, (route) => route.abort());
    await page.goto(`${logbook.origin}/entries/1`);
    await page.getByRole('button', { name: 'Write a reply' }).click();
    await page.getByRole('button', { name: 'Show it again' }).waitFor();
    expect(await page.locator('.doc h1').isVisible()).toBe(true);
    await client.close();
  });

  test('a reply that has more than a text continues in the full editor, with a picture that was pasted', async () => {
    const page = await open('/entries/1');
    await page.getByRole('button', { name: 'Reply' }).first().click();
    const draft = new DraftPage(page);
    await draft.append('See the picture.');
    await page.evaluate(`(async () => {
      const canvas = new OffscreenCanvas(4, 3);
      canvas.getContext('2d');
      const data = new DataTransfer();
      data.items.add(new File([await canvas.convertToBlob()], 'image.png', { type: 'image/png' }));
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      document.querySelector('.reply-composer .cm-content').dispatchEvent(event);
    })()`);
    await page.locator('.write-page').waitFor();
    await expect.poll(() => draft.text.innerText()).toMatch(/See the picture\.\s+!\[/);
    await draft.light();
    await page.goto(`${logbook.origin}/entries/1`);
    await page.getByRole('button', { name: 'Continue your reply' }).click();
    await expect.poll(() => draft.text.innerText()).toMatch(/See the picture/);
    await page.getByRole('button', { name: 'Discard' }).click();
    await close();
  });

  test('a file that is dropped on a reply is attached on the page for writing, and not read into the text', async () => {
    const page = await open('/entries/1');
    await page.getByRole('button', { name: 'Reply' }).first().click();
    const draft = new DraftPage(page);
    await draft.append('See the log.');
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['A line of the log.'], 'ioc.log', { type: 'text/plain' }));
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector('.reply-composer .cm-content').dispatchEvent(event);
    })()`);
    await page.locator('.write-page').waitFor();
    await page.getByText('ioc.log').waitFor();
    await expect.poll(() => draft.text.innerText()).toBe('See the log.');
    await page.getByRole('button', { name: 'Discard' }).click();
    await close();
  });

  test.each([
    ['phone', 360, 740, 'en-GB', 'New entry in one line', 'Reply', 'Text in Markdown'],
    ['phone-german', 360, 740, 'de-DE', 'Neuer Eintrag in einer Zeile', 'Antworten', 'Text in Markdown'],
    ['wide-german', 1280, 800, 'de-DE', 'Neuer Eintrag in einer Zeile', 'Antworten', 'Text in Markdown'],
  ])(
    '%s: the line and the reply are there, and nothing is found by axe-core',
    async (name, width, height, locale, label, reply, text) => {
      const page = await open('/', { width, height, locale });
      await line(label).fill('Kühlwasser zu warm @operations #alarm');
      await page.locator('.line-names .chip').first().waitFor();
      await client.screenshot(`line-${name}`);
      await client.expectAccessible();
      await line(label).fill('');
      await page.locator('.entry-row').first().click();
      await page.locator('.doc h1').waitFor();
      await page.getByRole('button', { name: reply, exact: true }).first().click();
      await page.getByRole('textbox', { name: text }).waitFor();
      await client.screenshot(`reply-${name}`);
      await client.expectAccessible();
      await client.close();
    },
  );

  test('a visitor without a sign-in sees neither, and replies on the page for writing', async () => {
    const page = await open('/entries/1', { as: null });
    await page.getByRole('button', { name: 'Reply' }).click();
    await page.locator('.write-page').waitFor();
    await page.goBack();
    expect(await line().count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Write a reply' }).count()).toBe(0);
    await close();
  });
});
