import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('the menu of the text', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let client: WebClientPage;
  let draft: DraftPage;

  beforeAll(async () => {
    logbook = await TestService.start();
    await logbook.create({ title: 'Cavity 2 tripped', source: 'On reflected power.' });
    const template = { name: 'Shift change', title: '', source: 'Beam: \nOpen: ', logbooks: [{ name: 'controls' }] };
    const { status } = await logbook.put('/templates', template, { as: 'admin:adminPass' });
    if (status !== 200) throw new Error(`no template: ${status}`);
  });
  afterAll(async () => logbook?.stop());

  const open = async (path = '/write') => {
    client = await browser.open(logbook.origin, { path });
    draft = new DraftPage(client.page);
    if (path === '/write') await draft.text.click();
    else await client.page.locator('.doc h1').waitFor();
    return client.page;
  };
  const option = (name: string | RegExp) => client.page.getByRole('option', { name });
  /** Chooses the first option. For a moment after it appears, the menu ignores keys, which may be meant for the text. */
  const accept = async (name: string | RegExp, ...keys: readonly string[]) => {
    await option(name).waitFor();
    expect(await client.page.locator('.cm-tooltip-autocomplete [aria-selected]').count()).toBe(0);
    await client.page.waitForTimeout(250);
    for (const key of keys) await client.page.keyboard.press(key);
  };
  /** Types a beginning, and chooses the first option that it offers. */
  const choose = async (typed: string, name: string | RegExp, ...keys: readonly string[]) => {
    await client.page.keyboard.type(typed);
    await accept(name, ...(keys.length > 0 ? keys : ['Tab']));
    await expect.poll(() => client.page.getByRole('listbox').count()).toBe(0);
  };
  const text = () => draft.text.innerText();

  test('slash commands: all by keyboard, and what was typed for them goes', async () => {
    const page = await open();
    await page.keyboard.type('/');
    await expect
      .poll(() => page.getByRole('option').allInnerTexts())
      .toEqual(
        expect.arrayContaining(
          ['/table', '/image', '/capture', '/template', '/now', '/link'].map((name) => expect.stringContaining(name)),
        ),
      );
    // No archiver would send the samples.
    expect(await option(/plot/).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Plot', exact: true }).count()).toBe(0);
    await client.expectAccessible();
    await client.screenshot('write-menu');
    await page.keyboard.press('Escape');
    expect(await text()).toBe('/');
    await page.keyboard.press('Backspace');
    await choose('/no', /now/);
    expect(await text()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d/);
    await page.keyboard.press('Enter');
    await choose('/table', /table/, 'Enter');
    await expect.poll(text).toMatch(/^\d{4}[^|/]*\| Time \| Value \|/);
    await page.keyboard.press('Control+End');
    await choose('/li', /link/, 'ArrowDown', 'Enter');
    await expect.poll(text).toContain('[]()');
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await choose('/im', /image/);
    await (await chooser).setFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('8 kW') });
    await page.getByText('notes.txt').waitFor();
    expect(await text()).not.toContain('/');
    // A slash within a word is one.
    await page.keyboard.type('a/ta');
    expect(await page.getByRole('listbox').count()).toBe(0);
    await client.expectClean();
    await client.close();
  });

  test.each(['Copied to /tmp', 'Path is /in', 'Path is /image', 'Seen by @us', 'Seen by #cav', '/t'])(
    'Enter after “%s” ends the line, and replaces nothing',
    async (typed) => {
      const page = await open();
      await page.keyboard.type(typed);
      // The menu appears shortly after the last key, if at all.
      await page.waitForTimeout(1_000);
      await page.keyboard.press('Enter');
      await page.keyboard.type('Next.');
      const lines = await page.locator('.cm-line').allInnerTexts();
      expect(lines.map((line) => line.replace(/\n$/, ''))).toEqual([typed, 'Next.']);
      expect(await page.getByRole('listbox').count()).toBe(0);
      await client.close();
    },
  );

  test('/template offers the templates, and fills the entry', async () => {
    const page = await open();
    await page.keyboard.type('/te');
    await accept(/template/, 'Tab');
    await accept('Shift change', 'ArrowDown', 'Enter');
    await expect.poll(text).toMatch(/^Beam:\s+Open:/);
    await page.getByRole('button', { name: 'Remove controls' }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test('@ offers users who wrote entries, # entries by their title; the number becomes a link', async () => {
    const page = await open('/entries/1');
    await page.keyboard.press('r');
    await draft.text.waitFor();
    await choose('Thanks @us', '@user');
    await choose('for #cav', /Cavity 2 tripped/, 'ArrowDown', 'Enter');
    expect(await text()).toBe('Thanks @user for #1 ');
    // A number is one already.
    await page.keyboard.type('and #1');
    await client.expectAccessible();
    await draft.send();
    await draft.sent();
    const link = page.locator('.thread-entry').getByRole('link', { name: '#1' }).first();
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('/entries/1');
    await client.expectClean();
    await client.close();
  });
});
