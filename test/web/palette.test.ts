import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('the palette and the sheet of keys', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let entry: Entry;

  beforeAll(async () => {
    logbook = await TestService.start();
    entry = await logbook.create({ title: 'Harmonic cavity detuned', level: 'Problem' });
  });
  afterAll(async () => logbook?.stop());

  test('everything by keyboard alone: a page, an entry by number, by words, a level, the theme', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    await page.getByRole('link', { name: 'New entry' }).waitFor();
    const command = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command' }).waitFor();
      await page.keyboard.type(text);
    };
    await command('hand');
    await client.expectAccessible();
    await client.screenshot('palette');
    await page.keyboard.press('Enter');
    await page.waitForURL(/hand-over/);
    await command(`#${entry.id}`);
    await page.getByRole('option', { name: `Entry #${entry.id}` }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/entries/${entry.id}$`));
    await command('harmonic');
    await page.getByRole('option', { name: 'Harmonic cavity detuned' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/entries/${entry.id}$`));
    await command('level urg');
    await page.keyboard.press('Enter');
    await page.waitForURL(/query=level/);
    await command('night');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('night');
    await command('no such thing');
    await page.getByRole('option', { name: 'Search “no such thing” in all entries' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await client.expectClean();
    await client.close();
  });

  test('both open on pages without the top bar too', async () => {
    const client = await browser.open(logbook.origin, { path: '/wall' });
    const { page } = client;
    for (const path of ['/wall', `/entries/${entry.id}/history`, '/write']) {
      if (path !== '/wall') await page.goto(`${logbook.origin}${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.click();
    await page.keyboard.type('Why?');
    await expect.poll(() => text.innerText()).toBe('Why?');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test('? shows the keys; single keys can be switched off, and stay so', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    await page.getByRole('link', { name: 'New entry' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await client.expectAccessible();
    await client.screenshot('keys');
    await page.getByRole('button', { name: 'Off' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const theme = () => page.locator('html').getAttribute('data-theme');
    await page.keyboard.press('t');
    await expect.poll(theme).toBe('light');
    await page.keyboard.press('?');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.reload();
    await page.getByRole('link', { name: 'New entry' }).waitFor();
    await page.keyboard.press('t');
    await expect.poll(theme).toBe('light');
    // The key of the palette is not a single key.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).waitFor();
    await page.keyboard.type('switch on');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The key may come before the page has switched the keys on.
    const pressUntilDark = async () => {
      if ((await theme()) !== 'dark') await page.keyboard.press('t');
      return theme();
    };
    await expect.poll(pressUntilDark, { interval: 1_000 }).toBe('dark');
    await client.expectClean();
    await client.close();
  });

  test('on a phone, in German and in the dark', async () => {
    const client = await browser.open(logbook.origin, { width: 360, height: 740, locale: 'de-DE', theme: 'dark' });
    await client.page.getByRole('link', { name: 'Schreiben' }).waitFor();
    await client.page.keyboard.press('Control+k');
    await client.page.getByRole('combobox', { name: 'Befehl' }).waitFor();
    await client.expectAccessible();
    await client.screenshot('palette-phone-german-dark');
    await client.page.keyboard.press('Escape');
    await client.page.keyboard.press('?');
    await client.page.getByRole('dialog', { name: 'Tastatur' }).waitFor();
    await client.expectAccessible();
    await client.screenshot('keys-phone-german-dark');
    await client.close();
  });
});
