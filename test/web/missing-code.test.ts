import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useEtchStation } from '../fixtures/etch-station.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

interface Asked {
  /** Keys that open it, or another action that does. */
  readonly open: string | ((page: Page) => Promise<void>);
  /** Code that cannot be loaded. */
  readonly code: string;
  readonly isOnEntry?: boolean;
  /** Address of the list. Default: that of all entries. */
  readonly path?: string;
  readonly as?: string;
  /** Field to which the words belong. */
  readonly field: (page: Page) => Locator;
  readonly text: string;
}

describe.skipIf(withoutBrowser)('what is typed for a part that cannot be loaded', () => {
  const browser = useBrowser();
  const station = useEtchStation();

  const title = (page: Page) => page.getByRole('textbox', { name: 'Title' });
  // The pattern excludes the field “Your text”, which keeps the words until the part is loaded.
  const text = (page: Page) => page.getByRole('textbox', { name: /^Text/ });
  const all: Readonly<Record<string, Asked>> = {
    'a new entry': { open: 'c', code: 'write-page', field: title, text: 'Etching ends' },
    'an edit': { open: 'e', code: 'write-page', isOnEntry: true, field: text, text: 'Etching ends\nPump runs.' },
    'the text of an edit': {
      open: 'e',
      code: 'markdown-editor',
      isOnEntry: true,
      field: text,
      text: 'Etching ends\nPump runs.',
    },
    'a reply': { open: 'r', code: 'reply-composer', isOnEntry: true, field: text, text: 'Etching ends\n' },
    'a line': {
      open: 'w',
      code: 'line-composer',
      field: (page) => page.getByRole('combobox', { name: 'New entry in one line' }),
      text: 'Etching ends',
    },
    'a command': {
      open: 'Control+k',
      code: 'palette',
      field: (page) => page.getByRole('combobox', { name: 'Command' }),
      text: 'Etching ends',
    },
    'a hand-over': {
      open: 'g h',
      code: 'hand-over-page',
      field: (page) => page.getByRole('textbox', { name: 'For the next shift' }),
      text: 'Etching ends',
    },
    'the name of a saved search': {
      open: (page) => page.getByRole('button', { name: 'Save this search' }).press('Enter'),
      code: 'save-popover',
      path: '/?query=station',
      field: (page) => page.getByRole('textbox', { name: 'Name' }),
      text: 'Etching ends',
    },
    'the start of a range of time': {
      open: (page) => page.getByRole('button', { name: 'All time' }).press('Enter'),
      code: 'time-popover',
      field: (page) => page.getByRole('textbox', { name: 'From', exact: true }),
      text: 'Etching ends',
    },
    'the reason of a redaction': {
      open: openRedaction,
      code: 'redact-dialog',
      isOnEntry: true,
      as: 'admin:adminPass',
      field: (page) => page.getByRole('textbox', { name: 'Reason' }),
      text: 'Etching ends\n',
    },
  };

  for (const [name, { open, code, isOnEntry, path = '/', as = 'user:userPass', field, text }] of Object.entries(all)) {
    test(`is kept, and is in ${name} once that is loaded`, async () => {
      // No page of the client: it would have fetched the code before.
      const client = await browser.open(station.logbook.origin, { path: '/icon.svg', as });
      const { page } = client;
      const isCode = new RegExp(`/assets/${code}-[^/]+\\.js$`);
      await page.route(isCode, (route) => route.abort());
      await page.goto(`${station.logbook.origin}${isOnEntry ? `/entries/${station.entry.id}` : path}`);
      if (isOnEntry) await page.getByRole('heading', { name: 'Etch station' }).waitFor();
      else await page.locator('.line-composer').waitFor();
      if (typeof open !== 'string') await open(page);
      else for (const one of open.split(' ')) await page.keyboard.press(one);
      await page.keyboard.type('Etchix');
      await page.keyboard.press('Backspace');
      const kept = page.getByRole('textbox', { name: 'Your text' });
      await kept.waitFor();
      await page.keyboard.type('ng ends');
      if (text.includes('\n')) await page.keyboard.press('Enter');
      await expect.poll(() => kept.inputValue()).toMatch(/^Etching ends\n?$/);
      await page.unroute(isCode);
      await page.getByRole('button', { name: 'Show it again' }).click();
      await expect.poll(() => typed(field(page))).toMatch(text);
      expect(await page.evaluate("Object.values(sessionStorage).join('')")).not.toContain('Etching');
      await client.close();
    });
  }

  test('reaches the reason of a redaction that is loaded slowly, and confirms nothing', async () => {
    const { logbook, entry } = station;
    const client = await browser.open(logbook.origin, { path: '/icon.svg', as: 'admin:adminPass' });
    const { page } = client;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/assets\/redact-dialog-[^/]+\.js$/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${logbook.origin}/entries/${entry.id}`);
    await openRedaction(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('A password', { delay: 20 });
    await page.keyboard.press('Enter');
    release();
    await page.keyboard.type('was here.', { delay: 20 });
    const reason = page.getByRole('textbox', { name: 'Reason' });
    await expect.poll(() => reason.inputValue()).toBe('A password\nwas here.');
    const dialog = page.getByRole('dialog', { name: 'Remove content for good' });
    expect(await dialog.getByRole('alert').textContent()).toBe('');
    await client.close();
  });

  /** The text of a field of one line, or of the editor. */
  async function typed(field: Locator): Promise<string> {
    const lines = field.locator('.cm-line');
    return (await lines.count()) > 0 ? (await lines.allTextContents()).join('\n') : field.inputValue();
  }
});

async function openRedaction(page: Page): Promise<void> {
  await page.getByRole('toolbar', { name: 'Entry' }).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /^Remove content for good/ }).press('Enter');
}
