import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';
import { tellStory } from '../fixtures/web-story.js';

interface Shown {
  readonly path: string;
  readonly width?: number;
  readonly as?: string | null;
  readonly open?: (page: Page) => Promise<unknown>;
  /** Selector of what must be shown. */
  readonly awaited: string;
  /** Part of a console message that the page provokes. */
  readonly console?: string;
}

const click = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click();
const press = (key: string) => (page: Page) => page.keyboard.press(key);
const type = (name: string, text: string) => async (page: Page) => {
  const field = page.getByRole('combobox', { name, exact: true });
  await field.click();
  await field.pressSequentially(text);
};
const select = async (page: Page) => {
  const boxes = page.getByRole('checkbox', { name: /^Select/ });
  await boxes.nth(0).check();
  await boxes.nth(1).check();
};
const phone = 360;
const admin = 'admin:adminPass';

describe.skipIf(withoutBrowser)('axe-core finds nothing, whatever its impact, in any theme', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let trip: Entry;

  beforeAll(async () => {
    logbook = await TestService.start({ shifts: shiftsAround() });
    ({ trip } = await tellStory(logbook));
    await logbook.post(`/logs/${trip.id}`, {
      ...trip,
      source: `${trip.source}\n\n- Cause:\n\n\`\`\`\n${'x '.repeat(200)}\n\`\`\`\n\n\`\`\`\nshort\n\`\`\``,
    });
    await logbook.post('/me/searches', { name: 'Trips', query: 'text=trip', shared: true });
  });
  afterAll(async () => logbook?.stop());

  const administration = (section: string): [string, () => Shown] => [
    `the administration of ${section}`,
    () => ({ path: `/administration/${section}`, as: admin, awaited: 'main.section h1' }),
  ];
  const pages: readonly (readonly [string, () => Shown])[] = [
    ['the list', () => ({ path: '/', awaited: '.entry-row' })],
    ['an entry with code', () => ({ path: `/entries/${trip.id}`, awaited: '.code-block' })],
    ['an entry on a phone', () => ({ path: `/entries/${trip.id}`, width: phone, awaited: '.phone-foot' })],
    ['the versions', () => ({ path: `/entries/${trip.id}/history`, awaited: '.diff-text' })],
    ['saved searches', () => ({ path: '/saved', awaited: '.saved li' })],
    ['drafts', () => ({ path: '/drafts', awaited: '.void' })],
    ['the inbox', () => ({ path: '/inbox', awaited: '.inbox-choice' })],
    ['the hand-over', () => ({ path: '/hand-over', awaited: '.cm-content', console: '/drafts/' })],
    ['the wall', () => ({ path: '/wall', awaited: '.wall-list li' })],
    ['signing in', () => ({ path: '/sign-in', as: null, awaited: '.evaluation-users' })],
    ['writing', () => ({ path: '/write', awaited: '.cm-content' })],
    ['the preview of code', () => ({ path: `/write?edit=${trip.id}`, awaited: '.prose pre' })],
    ...['logbooks', 'tags', 'levels', 'properties', 'templates'].map(administration),
    ...['access', 'audit', 'sessions', 'tokens'].map(administration),
  ];
  const emptyPages: readonly (readonly [string, () => Shown])[] = [
    ['saved searches without sign-in', () => ({ path: '/saved', as: null, awaited: '.saved .void' })],
    ['the inbox without sign-in', () => ({ path: '/inbox', as: null, awaited: '.inbox .void' })],
    ['a device', () => ({ path: '/devices/nowhere', awaited: '.device-page h1' })],
    ['an unknown section', () => ({ path: '/administration/nowhere', as: admin, awaited: 'main' })],
    ['no right to administer', () => ({ path: '/administration/tags', awaited: 'main h1, main .void' })],
    ['entries around', () => ({ path: `/entries/${trip.id}/around`, awaited: '.around-page main *' })],
  ];
  const opened: readonly (readonly [string, () => Shown])[] = [
    ['palette', () => ({ path: '/', open: press('Control+k'), awaited: '.palette [role=option]' })],
    ['keys', () => ({ path: '/', open: press('?'), awaited: '.keys-sheet' })],
    ['settings', () => ({ path: '/', open: click('Settings'), awaited: '.menu-item' })],
    ['account', () => ({ path: '/', open: click('Account of user'), awaited: '.menu-item' })],
    ['time', () => ({ path: '/', open: click('All time'), awaited: '.time-picker' })],
    ['order', () => ({ path: '/', open: click(/^Order/), awaited: '.menu-item' })],
    ['saving', () => ({ path: '/?query=beam', open: click('Save this search'), awaited: '.save-search' })],
    ['suggestions', () => ({ path: '/', open: type('Search', 'beam'), awaited: '.suggestions .option' })],
    ['names in the line', () => ({ path: '/', open: type('New entry in one line', '!p'), awaited: '.line-options' })],
    ['drawer', () => ({ path: '/', width: 800, open: click('Filters'), awaited: '.drawer .facet-row' })],
    ['selection', () => ({ path: '/?view=flat', open: select, awaited: '.selection-bar' })],
    ['actions', () => ({ path: `/entries/${trip.id}`, as: admin, open: click('More'), awaited: '.menu-item' })],
    ['reply', () => ({ path: `/entries/${trip.id}`, open: click(/^Write a reply/), awaited: '.reply-composer' })],
    ['gallery', () => ({ path: `/entries/${trip.id}`, open: click(/^beam-current/), awaited: '.gallery img' })],
    ['names of logbooks', () => ({ path: '/write', open: type('Logbooks', 'M'), awaited: '[role=option]' })],
    ['menu of a phone', () => ({ path: '/', width: phone, open: click('More'), awaited: '.menu-item' })],
    ['details', () => ({ path: '/write', width: phone, open: click(/^More details/), awaited: '.rail' })],
    [
      'drawer of a phone',
      () => ({
        path: '/?query=level%3DProblem',
        width: phone,
        open: click('Filters 1'),
        awaited: '.drawer .facet-row',
      }),
    ],
    [
      'removal',
      () => ({
        path: `/entries/${trip.id}`,
        as: admin,
        open: async (page) => {
          await click('More')(page);
          await page.getByRole('menuitem', { name: /^Remove content/ }).click();
        },
        awaited: 'dialog .check',
      }),
    ],
    [
      'grouping',
      () => ({
        path: '/?view=flat',
        open: async (page) => {
          await select(page);
          await page.keyboard.press('Shift+G');
        },
        awaited: '.group-dialog',
      }),
    ],
  ];

  test.each([...pages, ...emptyPages, ...opened])('%s', async (_, show) => {
    const { path, width = 1280, as, open, awaited, console } = show();
    const client = await browser.open(logbook.origin, { path, width, ...(as !== undefined && { as }) });
    if (console !== undefined) client.expectConsole(console);
    const { page } = client;
    if (open) {
      await page.locator('.entry-row, .doc h1, .cm-content').first().waitFor();
      await open(page);
    }
    await page.locator(awaited).first().waitFor();
    await page.waitForLoadState('networkidle');
    await client.expectAccessibleInAllThemes();
    if (!open) {
      // The keyboard scrolls what does not fit, also without a link in it.
      await page.setViewportSize({ width, height: 160 });
      await client.expectAccessible({ rules: ['scrollable-region-focusable'] });
    }
    await client.expectClean();
    await client.close();
  });

  test('a merge', async () => {
    const entry = await logbook.create({ title: 'Beam lost', source: 'One.', logbooks: [{ name: 'Operations' }] });
    const client = await browser.open(logbook.origin, { path: `/write?edit=${entry.id}` });
    await new DraftPage(client.page).append(' Mine.');
    await logbook.post(`/logs/${entry.id}`, { ...entry, source: 'One. Theirs.' }, { as: admin });
    await click('Show changes')(client.page);
    await client.page.getByRole('radio').first().waitFor();
    await client.expectAccessibleInAllThemes();
    await client.expectClean();
    await client.close();
  });

  test('signing in where a session has ended', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    client.expectConsole('401');
    const draft = new DraftPage(page);
    await draft.write('Session over', 'Before.');
    await draft.chooseLogbook('Operations');
    await draft.light();
    await page.context().request.post(`${logbook.origin}/logbook/logout`);
    await draft.append(' After.');
    await page.getByText(/Your session ended at/).waitFor();
    await draft.light('signIn');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog', { name: 'Sign in to send the entry' }).waitFor();
    await client.expectAccessibleInAllThemes();
    await client.expectClean();
    await client.close();
  });

  test('code that is wider than its place is a stop of the Tab key, other code is not', async () => {
    const client = await browser.open(logbook.origin, { path: `/entries/${trip.id}` });
    await client.page.locator('.code-block').first().waitFor();
    const stops = "[...document.querySelectorAll('.code-block pre')].map(({ tabIndex }) => tabIndex)";
    await expect.poll(() => client.page.evaluate(stops)).toEqual([0, -1]);
    await client.close();
  });
});
