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

  const styleOf = ({ page }: WebClientPage, selector: string, property: string) =>
    page
      .locator(selector)
      .first()
      .evaluate(`(one) => getComputedStyle(one)[${JSON.stringify(property)}]`);

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
    const path = `/entries/${trip.id}`;
    const night = await browser.open(logbook.origin, { path, theme: 'night' });
    const picture = '.doc img';
    await night.page.locator(picture).first().waitFor();
    expect(await styleOf(night, picture, 'filter')).toMatch(/brightness\(0\.\d+\)/);
    await night.page.emulateMedia({ media: 'print' });
    expect(await styleOf(night, picture, 'filter')).toBe('none');
    await night.close();
    const dark = await browser.open(logbook.origin, { path, theme: 'dark' });
    await dark.page.locator(picture).first().waitFor();
    expect(await styleOf(dark, picture, 'filter')).toBe('none');
    await dark.close();
  });

  test('in forced colours, the open row and a chosen filter differ from the others', async () => {
    const path = `/entries/${trip.id}?query=${encodeURIComponent('level="Problem"')}`;
    const client = await browser.open(logbook.origin, { path, context: { forcedColors: 'active' } });
    await client.page.locator('.entry-row[aria-current="true"]').waitFor();
    const looks = (selector: string) =>
      client.page
        .locator(selector)
        .first()
        .evaluate(
          `(one) => ['backgroundColor', 'borderColor', 'outlineStyle'].map((key) => getComputedStyle(one)[key])`,
        );
    await client.screenshot('list-forced-colours');
    expect(await looks('.entry-row[aria-current="true"]')).not.toEqual(await looks('.entry-row:not([aria-current])'));
    await client.close();
  });

  test('what destroys is red', async () => {
    const admin = { as: 'admin:adminPass', path: '/administration/tags?item=Trip' };
    const client = await browser.open(logbook.origin, admin);
    const button = '.side-form .button.danger';
    await client.page.locator(button).waitFor();
    const [red = 0, green = 0, blue = 0] =
      String(await styleOf(client, button, 'color'))
        .match(/[\d.]+/g)
        ?.map(Number) ?? [];
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
      await page.getByText('user userPass').waitFor();
      await page.getByLabel('User name').fill('admin');
      await page.getByLabel('Password').fill('adminPass');
      await page.keyboard.press('Enter');
      await steps.nth(0).getByRole('img', { name: 'Done' }).waitFor();
      await client.screenshot('first-day');
      await steps.nth(1).getByRole('link', { name: 'Logbooks' }).click();
      await page.getByRole('heading', { name: 'Logbooks' }).waitFor();
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
