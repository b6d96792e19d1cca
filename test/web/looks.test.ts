import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { tellStory } from '../fixtures/web-story.js';

/** Horizontal ends of the labels of the time axis, from left to right, in pixels. */
const labelEnds = `[...document.querySelectorAll('.histogram text')]
  .map((label) => label.getBoundingClientRect()).map(({ left, right }) => [left, right])`;

describe.skipIf(withoutBrowser)('what the browser client looks like', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let trip: Entry;

  beforeAll(async () => {
    logbook = await TestService.start();
    ({ trip } = await tellStory(logbook));
  });
  afterAll(async () => logbook?.stop());

  /** Styles of the first element with this selector, as the browser computes them. */
  const stylesOf = ({ page }: WebClientPage, selector: string, ...names: readonly string[]) =>
    page.evaluate(
      `${JSON.stringify(names)}.map((name) => getComputedStyle(document.querySelector('${selector}'))[name])`,
    ) as Promise<string[]>;

  test.each([
    ['en-GB', 360],
    ['de-DE', 900],
  ])('the labels of the time axis do not touch each other (%s, %i px)', async (locale, width) => {
    const client = await browser.open(logbook.origin, { locale, width });
    for (const period of ['2 hours', '1 day', '5 days', '1 year']) {
      await client.page.goto(`${logbook.origin}/?query=${encodeURIComponent(`start="${period}"`)}`);
      await client.page.locator('.histogram text').first().waitFor();
      const ends = (await client.page.evaluate(labelEnds)) as [number, number][];
      for (const [at, [left]] of ends.entries()) expect(left, period).toBeGreaterThan(ends[at - 1]?.[1] ?? 0);
      expect(ends.at(-1)?.[1], period).toBeLessThanOrEqual(width);
    }
    await client.close();
  });

  test('at night, pictures are dimmed; on paper and in the other themes they are not', async () => {
    const client = await browser.open(logbook.origin, { path: `/entries/${trip.id}`, theme: 'night' });
    const picture = '.doc img';
    const filter = async () => (await stylesOf(client, picture, 'filter'))[0];
    await client.page.locator(picture).first().waitFor();
    expect(await filter()).toMatch(/brightness\(0\.\d+\)/);
    await client.page.emulateMedia({ media: 'print' });
    expect(await filter()).toBe('none');
    await client.page.emulateMedia({ media: 'screen' });
    await client.page.evaluate("document.documentElement.dataset.theme = 'dark'");
    expect(await filter()).toBe('none');
    await client.close();
  });

  test('in forced colours, the open row differs from the others', async () => {
    const options = { path: `/entries/${trip.id}`, context: { forcedColors: 'active' } } as const;
    const client = await browser.open(logbook.origin, options);
    const open = '.entry-row[aria-current="true"]';
    await client.page.locator(open).waitFor();
    await client.screenshot('list-forced-colours');
    const looks = (row: string) => stylesOf(client, row, 'outlineStyle', 'outlineWidth', 'backgroundColor');
    expect(await looks(open)).not.toEqual(await looks('.entry-row:not([aria-current])'));
    await client.close();
  });

  test('a button that removes something is red', async () => {
    const client = await browser.open(logbook.origin, {
      as: 'admin:adminPass',
      path: '/administration/logbooks?item=operations',
    });
    const button = '.side-form .button.danger';
    await client.page.locator(button).waitFor();
    const [colour = ''] = await stylesOf(client, button, 'color');
    const [red = 0, green = 0, blue = 0] = colour.match(/[\d.]+/g)?.map(Number) ?? [];
    expect(red).toBeGreaterThan(2 * Math.max(green, blue));
    await client.close();
  });

  test('a logbook without entries leads in three steps to the first one', async () => {
    const empty = await TestService.start();
    try {
      const client = await browser.open(empty.origin, { as: null });
      const { page } = client;
      const steps = page.locator('.first-day li');
      await expect.poll(() => steps.count()).toBe(3);
      await steps.nth(0).getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'admin adminPass' }).click();
      await steps.nth(0).getByRole('img', { name: 'Done' }).waitFor();
      await client.screenshot('first-day');
      await steps.nth(1).getByRole('link', { name: 'Logbooks' }).click();
      await page.getByRole('link', { name: 'New logbook' }).waitFor();
      await page.goBack();
      await steps.nth(2).getByRole('link').click();
      await page.getByRole('textbox', { name: 'Title' }).waitFor();
      await client.expectClean();
      await client.close();
    } finally {
      await empty.stop();
    }
  });
});
