import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const text = `**RF cavity 2 tripped** on reflected power at 03:47:51.
Beam held at 210 mA by the other three.

Reset by \`SR:RF{Cav:2}Cmd:Reset-Cmd\`,
conditioning since 03:50:

| Time | Forward | Reflected |
|---|---|---|
| 03:47 | 61 kW | 9.8 kW |
| 03:51 | 30 kW | 0.6 kW |

Water in \`TS-3\` checked, see [trip at 03:12](#48211).`;

const template = {
  name: 'RF trip',
  title: 'RF cavity tripped',
  source: 'Template text',
  level: 'Problem',
  logbooks: [{ name: 'operations' }],
  tags: [{ name: 'alarm' }],
  properties: [
    {
      name: 'Device',
      attributes: [
        { name: 'name', value: 'SR:RF{Cav:2}' },
        { name: 'ticket', value: '' },
      ],
    },
  ],
};

describe.skipIf(withoutBrowser)('the page to write', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start();
    await logbook.put('/templates', template, { as: 'admin:adminPass' });
    await logbook.put(
      '/properties/Device',
      { attributes: [{ name: 'name' }, { name: 'ticket' }] },
      { as: 'admin:adminPass' },
    );
  });
  afterAll(async () => logbook?.stop());

  const looks = [
    { name: 'light', theme: 'light', width: 1280, height: 800 },
    { name: 'dark', theme: 'dark', width: 1280, height: 800 },
    { name: 'german', theme: 'light', width: 1280, height: 800, locale: 'de-DE' },
    { name: 'medium', theme: 'light', width: 1100, height: 800 },
    { name: 'tablet', theme: 'light', width: 768, height: 1024 },
  ] as const;

  test.each(looks)('is accessible: $name', async ({ name, ...options }) => {
    const client = await browser.open(logbook.origin, { path: '/write', ...options });
    const { page } = client;
    await page.locator('.cm-content').waitFor();
    await page.locator('.title-field input').fill('RF cavity 2 tripped on reflected power');
    await page.locator('.cm-content').click();
    await page.keyboard.insertText(text);
    await page.locator('.template').click();
    await page.getByRole('menuitem', { name: 'RF trip' }).waitFor();
    await client.expectAccessible();
    await page.getByRole('menuitem', { name: 'RF trip' }).click();
    await page.locator('[data-light="both"]').waitFor();
    await expect
      .poll(() => page.locator('.title-field input').inputValue())
      .toBe('RF cavity 2 tripped on reflected power');
    await expect.poll(() => page.getByText('Template text').count()).toBe(0);
    await page.getByRole('combobox').last().click();
    await client.expectAccessible();
    await page.keyboard.press('Escape');
    await client.screenshot(`write-${name}`);
    await client.expectClean();
    await client.close();
  });

  test('in forced colours, the focus, the chosen level and what is pressed can be seen', async () => {
    const client = await browser.open(logbook.origin, { path: '/write', context: { forcedColors: 'active' } });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('RF cavity 2 tripped', text);
    const style = (locator: ReturnType<typeof page.locator>, property: string) =>
      locator.evaluate(
        (one, name) =>
          String((one as unknown as { computedStyleMap(): Map<string, unknown> }).computedStyleMap().get(name)),
        property,
      );
    const level = (name: string) => page.getByRole('radio', { name });
    await level('Problem').click();
    await level('Problem').locator('.icon').last().waitFor();
    const border = (name: string) => style(level(name), 'border-top-color');
    const urgent = await border('Urgent');
    await expect.poll(() => border('Problem')).not.toBe(urgent);
    // Shape and word stand for the colour that is gone; the shape is drawn in the colour of the text.
    for (const name of ['Urgent', 'Problem', 'Request', 'Suggestion', 'Info']) {
      const glyph = level(name).locator('svg').first();
      expect(await style(glyph, 'opacity')).toBe('1');
      expect(await style(glyph, 'color')).toBe(await style(level(name).locator('span.level'), 'color'));
    }
    for (const focused of [draft.title, draft.text, page.getByRole('combobox', { name: 'Logbooks' })]) {
      await focused.focus();
      // The ring is that of the field or of the box around it; the page draws it a moment after the focus.
      const outlines = () =>
        focused.locator('xpath=ancestor-or-self::*').evaluateAll((all) =>
          all.map((one) => {
            const styles = (one as unknown as { computedStyleMap(): Map<string, unknown> }).computedStyleMap();
            return `${styles.get('outline-style')} ${styles.get('outline-width')}`;
          }),
        );
      await expect.poll(outlines).toContain('solid 2px');
    }
    await level('Problem').focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => style(level('Urgent'), 'outline-style')).toBe('solid');
    await client.screenshot('write-forced-colours');
    await client.expectClean();
    await client.close();
  });

  test('on a screen of 360 px, nothing is cut off and everything can be reached', async () => {
    const client = await browser.open(logbook.origin, { path: '/write', width: 360, height: 740, theme: 'dark' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.text.waitFor();
    await draft.write('RF cavity 2 tripped', text);
    await draft.light();
    await client.expectAccessible();
    await client.screenshot('write-phone-dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('button', { name: /More details/ }).click();
    await draft.chooseLogbook();
    await page.getByRole('radio', { name: 'Problem' }).click();
    await client.expectAccessible();
    await client.screenshot('write-phone-details');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('cell', { name: '9.8 kW' }).waitFor();
    await client.screenshot('write-phone-preview');
    await client.expectAccessible();
    await page.getByRole('button', { name: 'Create' }).click();
    await draft.sent();
    await client.expectClean();
    await client.close();
  });

  test('typing in a text of 50 kB keeps every letter', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.text.waitFor();
    await draft.write('Long', 'The quadrupole **tripped** at 03:12, see `SR:C03-MG:G02A`.\n\n'.repeat(850));
    await draft.light();
    const typed = 'typing goes on and on without a pause, as people do';
    await page.keyboard.type(typed, { delay: 40 });
    const { pathname } = new URL(page.url());
    const stored = async () =>
      (await logbook.get(pathname.replace('/write', '/drafts'))).body.content.text.endsWith(typed);
    await expect.poll(stored).toBe(true);
    await draft.light();
    await client.close();
  });

  test('a missing title and logbook are reported before anything is sent', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const draft = new DraftPage(client.page);
    await draft.text.click();
    await client.page.keyboard.press('Control+Enter');
    await client.page.getByText('Give the entry a title, then create it.').waitFor();
    await client.page.getByText('Choose a logbook.').waitFor();
    await client.page.locator('.title-field input:focus').waitFor();
    await client.expectAccessible();
    await client.screenshot('write-problems');
    expect(client.takeApiRequests().filter((url) => url.includes('/logs'))).toEqual([]);
    await client.expectClean();
    await client.close();
  });

  test('over plain HTTP on a host name, where the browser offers less, an entry is written and sent', async () => {
    const origin = `http://logbook.test:${new URL(logbook.origin).port}`;
    const named = await browser.open(origin, { path: '/write', as: null });
    named.expectConsole('401');
    // This header is of no use over plain HTTP, and ignored there.
    named.expectConsole('Cross-Origin-Opener-Policy');
    const { page } = named;
    expect(await page.evaluate('window.isSecureContext')).toBe(false);
    const draft = new DraftPage(page);
    await draft.text.waitFor();
    await draft.write('Plain HTTP', 'On a host name.');
    await draft.chooseLogbook();
    await draft.light('signIn');
    await page.keyboard.press('Control+Enter');
    await page.getByLabel('User name').fill('user');
    await page.getByLabel('Password').fill('userPass');
    await page.keyboard.press('Enter');
    const id = await draft.sent();
    expect((await logbook.get(`/logs/${id}`)).body).toMatchObject({ title: 'Plain HTTP', source: 'On a host name.' });
    await named.expectClean();
    await named.close();
  });
});
