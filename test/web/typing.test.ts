import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { useEtchStation } from '../fixtures/etch-station.js';
import { TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('text typed before a page is loaded', () => {
  const browser = useBrowser();
  const station = useEtchStation();

  /** Opens a page whose further code arrives once `release` is called. */
  async function openHolding(
    path: string,
    as?: null,
    code = 'write-page|markdown-editor|palette|sign-in-page|settings-popover|group-dialog|hand-over-page',
  ): Promise<{ client: WebClientPage; release: () => void }> {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const client = await browser.open(station.logbook.origin, { path: '/not-there', ...(as === null && { as }) });
    await client.page.route(new RegExp(`/assets/(${code})-[^/]+\\.js$`), async (route) => {
      await released;
      await route.continue();
    });
    await client.page.goto(`${station.logbook.origin}${path}`);
    if (path.startsWith('/entries')) await client.page.getByRole('heading', { name: 'Etch station' }).waitFor();
    else await client.page.getByRole('link', { name: 'New entry' }).waitFor();
    return { client, release };
  }

  /** Waits until an entry was sent; returns all entries, newest first. */
  async function sent(page: Page): Promise<readonly Entry[]> {
    await shownMessage(page, /#\d+ created/);
    await station.logbook.indexed();
    return (await station.logbook.search('size=10')).logs;
  }

  for (const delay of [20, 60]) {
    test(`C and a title, at ${delay} ms per key, from the list and from an entry`, async () => {
      for (const path of ['/', `/entries/${station.entry.id}`]) {
        const { client, release } = await openHolding(path);
        const { page } = client;
        await page.keyboard.press('c');
        await page.keyboard.type('Etching ', { delay });
        release();
        await page.keyboard.type('reactor ends', { delay });
        const title = page.getByRole('textbox', { name: 'Title' });
        await expect.poll(() => title.inputValue()).toBe('Etching reactor ends');
        await page.getByRole('heading', { name: 'New entry' }).waitFor();
        await client.close();
      }
    });

    test(`Ctrl K and a command, at ${delay} ms per key`, async () => {
      const { client, release } = await openHolding(`/entries/${station.entry.id}`);
      const { page } = client;
      await page.keyboard.press('Control+k');
      await page.keyboard.type('clear tok', { delay });
      release();
      await page.keyboard.type('ens', { delay });
      const command = page.getByRole('combobox', { name: 'Command' });
      await expect.poll(() => command.inputValue()).toBe('clear tokens');
      expect(new URL(page.url()).pathname).toBe(`/entries/${station.entry.id}`);
      await client.close();
    });
  }

  test('R and E focus the text, which contains the keys typed before', async () => {
    for (const [key, expected] of [
      ['r', 'Seen, \nfixed.'],
      ['e', 'Seen, \nfixed.Pump runs.'],
    ] as const) {
      const { client, release } = await openHolding(`/entries/${station.entry.id}`);
      const { page } = client;
      await page.keyboard.press(key);
      await page.keyboard.type('Seex', { delay: 20 });
      await page.keyboard.press('Backspace');
      await page.keyboard.type('n, ');
      await page.keyboard.press('Enter');
      release();
      const text = page.getByRole('textbox', { name: 'Text' });
      await expect.poll(() => text.evaluate((one) => one.matches(':focus'))).toBe(true);
      await page.keyboard.type('fixed.', { delay: 60 });
      const lines = () => text.locator('.cm-line').allTextContents();
      await expect.poll(async () => (await lines()).join('\n')).toBe(expected);
      await client.close();
    }
  });

  test('a text and Ctrl Enter: one reply with the whole text; without a text, Ctrl Enter sends nothing', async () => {
    const { id } = await station.logbook.create({ title: 'Etch station of today', source: 'Pump stopped.' });
    const { client, release } = await openHolding(`/entries/${id}`);
    const { page } = client;
    // The constructor of Firefox ignores the data.
    await page.evaluate(`(() => {
      const { ClipboardEvent } = globalThis;
      globalThis.ClipboardEvent = class extends ClipboardEvent {
        constructor(type, { clipboardData, ...init }) { super(type, init); }
      };
    })()`);
    await client.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate("navigator.clipboard.writeText('klystron 3')");
    await page.keyboard.press('r');
    const keys = ['Control+Enter', 's', 'e', 'e', 'n', ' ', 'o', 'f', 'f', 'Control+Backspace', 'o', 'n', ' '];
    const edits = ['Control+v', 'Control+Home', 'Delete', 'S', 'Control+End', ' ', 'Control+b', 'n', 'o', 'w'];
    for (const key of [...keys, ...edits, 'Control+Enter', 'Control+Enter']) await page.keyboard.press(key);
    release();
    const entries = await sent(page);
    expect(entries.map(({ source }) => source)).toEqual(['Seen on klystron 3 **now**', 'Pump stopped.', 'Pump runs.']);
    await page.getByRole('textbox', { name: 'Text' }).waitFor({ state: 'detached' });
    await client.close();
  });

  test('a title and Ctrl Enter: one entry with the whole title', async () => {
    const { client, release } = await openHolding('/?query=logbook%3Doperations');
    const { page } = client;
    // It moves no caret in the text fields of Firefox.
    await page.evaluate('Selection.prototype.modify = () => undefined');
    await page.keyboard.press('c');
    await page.keyboard.type('etch x done');
    const keys = ['Home', 'Shift+ArrowRight', 'E', 'Control+ArrowRight', 'Delete', 'Delete', 'End', 'Delete'];
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.press('Control+Enter');
    release();
    const titles = (await sent(page)).map(({ title }) => title);
    expect(titles.filter((title) => !title.includes('station'))).toEqual(['Etch done']);
    await client.close();
  });

  test.each(['write-page|markdown-editor', 'markdown-editor'])(
    'a title, Tab and a text, while %s is loaded and afterwards',
    async (code) => {
      const { client, release } = await openHolding('/', undefined, code);
      const { page } = client;
      await page.keyboard.press('c');
      const title = page.getByRole('textbox', { name: 'Title' });
      if (code === 'markdown-editor') await title.waitFor();
      await page.keyboard.type('Etch ends', { delay: 20 });
      await page.keyboard.press('Tab');
      await page.keyboard.type('body of ', { delay: 20 });
      release();
      await page.keyboard.type('the text', { delay: 20 });
      const text = page.locator('.cm-content');
      await expect.poll(() => text.innerText()).toBe('body of the text');
      expect(await title.inputValue()).toBe('Etch ends');
      await page.keyboard.press('Shift+Tab');
      expect(await page.evaluate("document.activeElement.closest('[role=toolbar]') !== null")).toBe(true);
      await title.focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Control+End');
      await page.keyboard.type('.');
      await expect.poll(() => text.innerText()).toBe('body of the text.');
      await client.close();
    },
  );

  test('the name and the password, from the first key on', async () => {
    const { client, release } = await openHolding('/', null);
    const { page } = client;
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.keyboard.type('user', { delay: 20 });
    await page.keyboard.press('Tab');
    await page.keyboard.type('userPass', { delay: 20 });
    await page.keyboard.press('Enter');
    release();
    await page.getByRole('button', { name: 'Account of user' }).waitFor();
    await client.close();
  });

  test('a menu and a dialog: keys are pressed in them once they are there', async () => {
    await station.logbook.create({ title: 'Etch station again' });
    const { client, release } = await openHolding('/');
    const { page } = client;
    for (const title of ['Etch station again', 'Etch station']) {
      await page.getByRole('checkbox', { name: `Select ${title}`, exact: true }).check();
    }
    await page.keyboard.press('Shift+G');
    await page.keyboard.press('c');
    release();
    await page.getByRole('dialog', { name: 'Group into one thread' }).waitFor();
    await expect
      .poll(() => page.evaluate("document.querySelector('dialog').contains(document.activeElement)"))
      .toBe(true);
    expect(new URL(page.url()).pathname).toBe('/');
    await client.close();

    const other = await openHolding('/');
    await other.client.page.getByRole('button', { name: 'Settings' }).press('Enter');
    await other.client.page.keyboard.press('n');
    await other.client.page.keyboard.press('Enter');
    other.release();
    await expect.poll(() => other.client.page.locator('html').getAttribute('data-theme')).toBe('night');
    await other.client.close();
  });

  test('the hand-over and what the next shift must know', async () => {
    const { client, release } = await openHolding('/');
    const { page } = client;
    await page.getByRole('link', { name: 'Hand-over', exact: true }).press('Enter');
    await page.keyboard.type('Watch cavity', { delay: 20 });
    release();
    await page.keyboard.type(' 2.', { delay: 60 });
    const text = page.getByRole('textbox', { name: 'For the next shift' });
    await expect.poll(() => text.innerText()).toMatch(/- Watch cavity 2\.$/);
    await client.close();
  });

  test('Escape and clicks lose no word, and a click on a button ends the waiting', async () => {
    const { client, release } = await openHolding('/');
    const { page } = client;
    await page.keyboard.press('c');
    await page.keyboard.type('Etch');
    await page.keyboard.press('Escape');
    await page.locator('.list').click({ position: { x: 10, y: 500 } });
    await page.keyboard.type(' reactor');
    release();
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Etch reactor');
    await client.close();

    const reply = await openHolding(`/entries/${station.entry.id}`);
    await reply.client.page.keyboard.press('r');
    await reply.client.page.keyboard.type('Seen.');
    await reply.client.page.keyboard.press('Escape');
    reply.release();
    await expect.poll(() => reply.client.page.locator('.reply-composer .cm-line').allTextContents()).toEqual(['Seen.']);
    await reply.client.close();

    const command = await openHolding('/');
    await command.client.page.keyboard.press('Control+k');
    await command.client.page.keyboard.type('abc');
    await command.client.page.getByRole('combobox', { name: 'New entry in one line' }).click();
    await command.client.page.keyboard.type('d');
    command.release();
    const field = command.client.page.getByRole('combobox', { name: 'Command' });
    await expect.poll(() => field.inputValue()).toBe('abc');
    await command.client.close();
  });

  test('an emoji or an input method writes after what was typed before', async () => {
    const { client, release } = await openHolding('/');
    const { page } = client;
    const title = page.getByRole('textbox', { name: 'Title' });
    const keys = await client.context.newCDPSession(page);
    const typed = 'Etching '.repeat(20);
    await page.keyboard.press('c');
    await page.keyboard.type(typed);
    release();
    await expect.poll(() => title.inputValue()).not.toBe('');
    await page.keyboard.insertText('😀');
    await keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', windowsVirtualKeyCode: 229 });
    await keys.send('Input.imeSetComposition', { text: 'ポ', selectionStart: 1, selectionEnd: 1 });
    await keys.send('Input.insertText', { text: 'ポンプ' });
    await page.keyboard.type(' ends');
    await expect.poll(() => title.inputValue()).toBe(`${typed}😀ポンプ ends`);
    await client.close();
  });

  test('an editor that cannot be loaded leaves the title', async () => {
    // A page of the client would already have fetched the editor.
    const client = await browser.open(station.logbook.origin, { path: '/icon.svg' });
    const { page } = client;
    await page.route(/\/assets\/markdown-editor-[^/]+\.js$/, (route) => route.abort());
    await page.goto(station.logbook.origin);
    await page.getByRole('link', { name: 'New entry' }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('Etching ');
    await page.getByRole('button', { name: 'Show it again' }).waitFor();
    await page.keyboard.type('reactor');
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Etching reactor');
    await client.close();
  });

  test('if the code that repeats the keys cannot be loaded, the text is still written', async () => {
    const { client, release } = await openHolding('/');
    const { page } = client;
    client.expectConsole('net::ERR_FAILED');
    await page.route(/\/assets\/press-again-[^/]+\.js$/, (route) => route.abort());
    await page.reload();
    await page.getByRole('link', { name: 'New entry' }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('Etching');
    release();
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Etching');
    await client.close();
  });
});

describe.skipIf(withoutBrowser)('the code that is likely to be needed next', () => {
  const browser = useBrowser();

  test('is fetched when the list has nothing to do, so that an entry can be written while the service is unreachable', async () => {
    const logbook = await TestService.start();
    const client = await browser.open(logbook.origin);
    try {
      const { page } = client;
      await page.getByText('0 entries').first().waitFor();
      const missing = () =>
        page.evaluate(`(() => {
          const fetched = new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.slice(1)));
          const wanted = document.querySelector('meta[name="next-chunks"]').content.split(' ');
          const hasTexts = [...fetched].some((file) => /^assets\\/write-[\\w-]{8}[.]js$/.test(file));
          return [...wanted.filter((file) => !fetched.has(file)), ...(hasTexts ? [] : ['texts'])];
        })()`);
      await expect.poll(missing).toEqual([]);
      // Firefox forbids them by the policy of the page.
      expect(await page.locator('link[rel="prefetch"]').count()).toBe(0);
      await logbook.stop();
      await page.keyboard.press('c');
      await page.keyboard.type('Etching');
      const title = page.getByRole('textbox', { name: 'Title' });
      await expect.poll(() => title.inputValue()).toBe('Etching');
      await page.getByRole('textbox', { name: 'Text' }).waitFor();
      await page.getByText('Level').first().waitFor();
    } finally {
      await client.close();
      await logbook.stop();
    }
  });
});
