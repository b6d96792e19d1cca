import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';
import { tellStory } from '../fixtures/web-story.js';

const beam = `query=${encodeURIComponent('start="3 days" beam')}`;
const sizes = { wide: [1280, 800], tablet: [768, 1024], phone: [360, 740], huge: [1920, 1080] } as const;

// Each page on each screen: pictures in the folder `screenshots` to be looked at, and no serious finding of axe-core.
describe.skipIf(withoutBrowser)('the pages of the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let trip: Entry;

  beforeAll(async () => {
    logbook = await TestService.start();
    ({ trip } = await tellStory(logbook));
    const edit = { ...trip, title: `${trip.title} again`, level: 'Problem', source: `${trip.source}\n\nCause found.` };
    await logbook.post(`/logs/${trip.id}`, edit);
  });
  afterAll(async () => logbook?.stop());

  const pages = [
    ['list', () => `/?${beam}`, '.entry-row'],
    ['entry', () => `/entries/${trip.id}?${beam}`, '.doc h1'],
    ['history', () => `/entries/${trip.id}/history`, '.diff-text'],
    ['no-hits', () => '/?query=nowhere', '.void'],
    ['missing', () => '/entries/999999', '.read .void'],
    ['sign-in', () => '/sign-in', '.sign-in-card'],
  ] as const;

  for (const [name, path, awaited] of pages) {
    test.each([
      ['wide', 'light'],
      ['wide', 'dark'],
      ['wide', 'night'],
      ['tablet', 'light'],
      ['phone', 'light'],
      ['phone', 'dark'],
      ['huge', 'light'],
    ] as const)(`${name}, %s, %s`, async (size, theme) => {
      const [width, height] = sizes[size];
      const client = await browser.open(logbook.origin, { path: path(), width, height, theme });
      if (name === 'missing') client.expectConsole('404');
      await client.page.locator(awaited).first().waitFor();
      await client.page.waitForLoadState('networkidle');
      await client.screenshot(`${name}-${size}-${theme}`);
      await client.expectAccessible();
      await client.expectClean();
      await client.close();
    });
  }

  test.each(['compact', 'comfortable'] as const)('the list in the density %s', async (density) => {
    const client = await browser.open(logbook.origin, { path: `/?${beam}`, density });
    await client.page.locator('.entry-row').first().waitFor();
    await client.page.waitForLoadState('networkidle');
    await client.screenshot(`list-${density}`);
    await client.close();
  });

  test('an entry in German, in forced colours, and printed', async () => {
    const path = `/entries/${trip.id}?${beam}`;
    const german = await browser.open(logbook.origin, { path, locale: 'de-DE' });
    await german.page.getByRole('button', { name: 'Antworten' }).waitFor();
    await german.page.waitForLoadState('networkidle');
    await german.screenshot('entry-german');
    await german.page.emulateMedia({ forcedColors: 'active' });
    await german.screenshot('entry-forced-colours');
    await german.page.emulateMedia({ forcedColors: 'none', media: 'print' });
    await german.page.setViewportSize({ width: 800, height: 1130 });
    await german.screenshot('entry-print');
    await german.expectClean();
    await german.close();
  });
});
