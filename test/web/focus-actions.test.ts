import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { expectFocus } from '../fixtures/focused.js';
import { withoutTimers } from '../fixtures/held-timers.js';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { drawn, useBrowser, withoutBrowser } from '../fixtures/web-client.js';
import { tripPlot } from '../fixtures/web-story.js';

/** Some actions from a page on, and the element that must have the focus after each of them. */
interface Walk {
  readonly what: string;
  readonly path?: string;
  readonly as?: string | null;
  readonly width?: number;
  readonly steps: readonly (readonly [act: (page: Page) => Promise<unknown>, focus: string | RegExp])[];
}

const press =
  (...keys: string[]) =>
  async (page: Page) => {
    for (const key of keys) await page.keyboard.press(key);
  };
/** The second key must follow soon, which it may not on a busy machine. */
const goTo = (key: string, path: string) => async (page: Page) => {
  const arrived = async () => {
    await press('g', key)(page);
    return new URL(page.url()).pathname;
  };
  await expect.poll(arrived).toBe(path);
};
const onButton =
  (name: string | RegExp, key = 'Enter') =>
  async (page: Page) => {
    const button = page.getByRole('button', { name, exact: true }).first();
    await button.focus();
    await button.press(key);
  };
const onMenuItem = (name: string | RegExp) => (page: Page) => page.getByRole('menuitem', { name }).press('Enter');
const inPopover = async (page: Page, isIn = true) => {
  await expect.poll(() => page.evaluate("document.activeElement.closest('.popover, .drawer') !== null")).toBe(isIn);
};
/** Opens what closes with Escape, and gives the focus back. */
const openAndClose = (name: string | RegExp, given = name): Walk['steps'] => [
  [
    async (page) => {
      await onButton(name)(page);
      await inPopover(page);
      await page.keyboard.press('Escape');
      await inPopover(page, false);
      // A menu gives the focus back once more in the next frame, faster than a person presses another key.
      await drawn(page);
    },
    given,
  ],
];

describe.skipIf(withoutBrowser)('the focus after each action', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let entry: Entry;

  beforeAll(async () => {
    logbook = await TestService.start({ shifts: shiftsAround() });
    const plot = { name: 'plot.png', type: 'image/png', content: await tripPlot() };
    const form = { title: 'Beam lost', source: 'Pump runs.', logbooks: [{ name: 'operations' }], level: 'Problem' };
    const made = await logbook.sendForm(
      'PUT',
      { ...form, attachments: [{ id: 'plot', filename: 'plot.png' }] },
      [plot],
      '',
    );
    entry = made.body as Entry;
    await logbook.create({ title: 'Pump 4 runs' });
    await logbook.create({ title: 'Pump 5 runs' });
  });
  afterAll(async () => logbook?.stop());

  const ofEntry = () => `/entries/${entry.id}`;
  const changeByAdmin = (fields: object) =>
    logbook.post(`/logs/${entry.id}`, { ...entry, ...fields }, { as: 'admin:adminPass' });

  const walks = (): readonly Walk[] => [
    { what: 'settings', steps: openAndClose('Settings') },
    { what: 'account', steps: openAndClose('Account of user') },
    {
      what: 'time',
      steps: [
        ...openAndClose('All time'),
        [
          async (page) => {
            await onButton('All time')(page);
            await page.getByRole('button', { name: '1 hour' }).press('Enter');
          },
          'Time: 1 hour',
        ],
      ],
    },
    {
      what: 'order',
      steps: [...openAndClose(/^Order/), [onButton(/^Order/), 'Newest'], [onMenuItem('Oldest'), 'Order: Oldest']],
    },
    {
      what: 'saving a search, and removing it',
      path: '/?query=pump',
      steps: [
        [onButton('Save this search'), 'Name'],
        [press('Escape'), 'Save this search'],
        [onButton('Save this search'), 'Name'],
        [press('P', 'Enter'), 'Save this search'],
        [(page) => page.goto(`${logbook.origin}/saved`).then(() => onButton(/^Remove/)(page)), /Saved searches/],
      ],
    },
    { what: 'filters beside a narrow list', width: 800, steps: openAndClose('Filters') },
    {
      what: 'grouping',
      steps: [
        [(page) => page.locator('.entry-row', { hasText: 'Pump 4' }).focus(), 'Pump 4 runs'],
        [press('x', 'ArrowUp', 'x'), 'Pump 5 runs'],
        [press('Shift+G'), 'Cancel'],
        [press('Escape'), 'Pump 5 runs'],
      ],
    },
    {
      what: 'an entry and its files',
      path: ofEntry(),
      steps: [
        [
          async (page) => {
            await onButton(/plot\.png/)(page);
            await page.getByRole('dialog', { name: 'plot.png' }).waitFor();
          },
          'plot.png',
        ],
        [press('Escape'), /plot\.png/],
        ...openAndClose('More'),
        [press('v'), /v1 to v1/],
        [onButton('Back to the entry'), 'Entry'],
      ],
    },
    {
      what: 'redacting',
      path: ofEntry(),
      as: 'admin:adminPass',
      steps: [
        [onButton('More'), /More|Copy as Markdown/],
        [onMenuItem(/Remove content/), 'Title'],
        [press('Escape'), /More|Entry/],
      ],
    },
    {
      what: 'replying and coming back',
      path: ofEntry(),
      steps: [
        [press('r'), 'Text'],
        [press('Escape'), 'Entry'],
        [press('e'), 'Text'],
        [onButton('Discard'), 'Entry'],
        [onButton('Undo'), 'Text'],
      ],
    },
    {
      what: 'signing in, and out',
      as: null,
      steps: [
        [(page) => page.getByRole('link', { name: 'Sign in' }).first().press('Enter'), 'User name'],
        [onButton('user userPass'), /Pump 5 runs|Choose an entry/],
        [onButton('Account of user'), /Account of user|Sessions and tokens/],
        [onMenuItem('Sign out'), /Pump 5 runs|Choose an entry/],
      ],
    },
    {
      what: 'signing in to send',
      as: null,
      path: '/write',
      steps: [
        [
          async (page) => {
            await new DraftPage(page).write('Signed in later', 'Text.');
            await new DraftPage(page).chooseLogbook();
            await page.keyboard.press('Control+Enter');
          },
          'User name',
        ],
        [onButton('Later, keep writing'), 'Logbooks'],
      ],
    },
    {
      what: 'a form of the administration',
      path: '/administration/tokens',
      steps: [
        [(page) => page.getByRole('link', { name: 'New token' }).press('Enter'), 'Name'],
        [press('Escape'), 'New token'],
      ],
    },
    {
      what: 'the hand-over',
      steps: [
        [goTo('h', '/hand-over'), 'For the next shift'],
        [onButton('The shift before'), 'The shift before'],
        [onButton('The shift after'), 'The shift before'],
        [goTo('e', '/'), /Pump 5 runs|Choose an entry/],
        [goTo('h', '/hand-over'), 'For the next shift'],
        [
          (page) =>
            withoutTimers(page, async () => {
              await onButton(/^Hand over the shift/)(page);
              await page.locator(':focus', { hasText: 'Undo' }).press('Enter');
            }),
          'For the next shift',
        ],
        [onButton(/^Hand over the shift/), 'Undo'],
        [(page) => page.getByText('Handed over', { exact: true }).waitFor(), /Early shift/],
        [onButton('I take over myself'), /Early shift/],
      ],
    },
    { what: 'the menu of a phone', width: 360, steps: openAndClose('More') },
    {
      what: 'a phone: filters, an entry and back',
      width: 360,
      steps: [
        ...openAndClose('Filters'),
        [(page) => page.locator('.entry-row', { hasText: 'Beam lost' }).press('Enter'), 'Entry'],
        ...openAndClose('More'),
        [onButton('Back to the list'), 'Beam lost'],
        [(page) => page.getByRole('link', { name: 'Write' }).press('Enter'), 'Title'],
      ],
    },
  ];

  test.each([
    ...['settings', 'account', 'time', 'order', 'saving a search, and removing it', 'filters beside a narrow list'],
    ...['grouping', 'an entry and its files', 'redacting', 'replying and coming back', 'signing in, and out'],
    ...['signing in to send', 'a form of the administration', 'the hand-over', 'the menu of a phone'],
    'a phone: filters, an entry and back',
  ])('%s', async (what) => {
    const { path = '/', as, width = 1280, steps } = walks().find((one) => one.what === what) as Walk;
    const client = await browser.open(logbook.origin, { path, width, ...(as !== undefined && { as }) });
    await client.page
      .locator(path.startsWith('/entries') ? '.doc h1' : '.entry-row, .section, .cm-content')
      .first()
      .waitFor();
    for (const [act, focus] of steps) {
      await act(client.page);
      await expectFocus(client.page, focus);
    }
    await client.close();
  });

  test('merging: the first conflict, the text, and the button when nothing is left to decide', async () => {
    const client = await browser.open(logbook.origin, { path: `/write?edit=${entry.id}` });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.append(' Mine.');
    await draft.light();
    await changeByAdmin({ source: 'Pump runs. Theirs.' });
    await onButton('Show changes')(page);
    await expectFocus(page, /^admin/);
    await onButton(/^Save merged/)(page);
    await expectFocus(page, /^admin/);
    await onButton('Back to the text')(page);
    await expectFocus(page, 'Text');
    await changeByAdmin({ title: 'Beam dump' });
    await onButton('Show changes')(page);
    await page.getByText('Nothing is left to decide.').waitFor();
    await expectFocus(page, /^Save merged/);
    await client.expectAccessible();
    await client.close();
  });
});
