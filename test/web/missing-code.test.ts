import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

interface Asked {
  readonly key: string;
  /** Code that cannot be loaded. */
  readonly code: string;
  readonly isOnEntry?: boolean;
  /** Where the words belong. */
  readonly field: (page: Page) => Locator;
  readonly text: string;
}

describe.skipIf(withoutBrowser)('what is typed for a part that cannot be loaded', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let entry: Entry;

  beforeAll(async () => {
    logbook = await TestService.start({ shifts: 'Day 00:00' });
    entry = await logbook.create({ title: 'Etch station', source: 'Pump runs.' });
  });
  afterAll(async () => logbook?.stop());

  const title = (page: Page) => page.getByRole('textbox', { name: 'Title' });
  const text = (page: Page) => page.getByRole('textbox', { name: 'Text' });
  const all: Readonly<Record<string, Asked>> = {
    'a new entry': { key: 'c', code: 'write-page', field: title, text: 'Etching ends' },
    'an edit': { key: 'e', code: 'write-page', isOnEntry: true, field: text, text: 'Etching ends\nPump runs.' },
    'the text of an edit': {
      key: 'e',
      code: 'markdown-editor',
      isOnEntry: true,
      field: text,
      text: 'Etching ends\nPump runs.',
    },
    'a reply': { key: 'r', code: 'reply-composer', isOnEntry: true, field: text, text: 'Etching ends\n' },
    'a line': {
      key: 'w',
      code: 'line-composer',
      field: (page) => page.getByRole('combobox', { name: 'New entry in one line' }),
      text: 'Etching ends',
    },
    'a command': {
      key: 'Control+k',
      code: 'palette',
      field: (page) => page.getByRole('combobox', { name: 'Command' }),
      text: 'Etching ends',
    },
    'a hand-over': {
      key: 'g h',
      code: 'hand-over-page',
      field: (page) => page.getByRole('textbox', { name: 'For the next shift' }),
      text: 'Etching ends',
    },
  };

  for (const [name, { key, code, isOnEntry, field, text }] of Object.entries(all)) {
    test(`is kept, and is in ${name} once that is loaded`, async () => {
      // No page of the client: it would have fetched the code before.
      const client = await browser.open(logbook.origin, { path: '/icon.svg' });
      const { page } = client;
      const isCode = new RegExp(`/assets/${code}-[^/]+\\.js$`);
      await page.route(isCode, (route) => route.abort());
      await page.goto(`${logbook.origin}${isOnEntry ? `/entries/${entry.id}` : '/'}`);
      if (isOnEntry) await page.getByRole('heading', { name: 'Etch station' }).waitFor();
      else await page.locator('.line-composer').waitFor();
      for (const one of key.split(' ')) await page.keyboard.press(one);
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

  /** The text of a field of one line, or of the editor. */
  async function typed(field: Locator): Promise<string> {
    const lines = field.locator('.cm-line');
    return (await lines.count()) > 0 ? (await lines.allTextContents()).join('\n') : field.inputValue();
  }
});
