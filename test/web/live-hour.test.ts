import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { tell, tellStory } from '../fixtures/web-story.js';

const minute = 60_000;

/** Records what moves in the page without anyone touching it, and where it was. */
const recordMoves = `{
  const placeOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
  const nameOf = (node) => (node?.nodeType === 3 ? node.parentElement : node)?.className || node?.nodeName;
  const textOf = ({ value, sources }) => [value.toFixed(5), ...sources.map(
    ({ node, previousRect, currentRect }) => nameOf(node) + ': ' + placeOf(previousRect) + ' → ' + placeOf(currentRect),
  )].join(', ');
  const moves = [];
  const observer = new PerformanceObserver((list) => moves.push(...list.getEntries().map(textOf)));
  observer.observe({ type: 'layout-shift' });
  window.takeMoves = () => [...moves, ...observer.takeRecords().map(textOf)];
}`;

/**
 * Returns a time zone in which it is between ten and eleven. In the next hour no day begins, and the number of today's
 * entries keeps its two digits: one that gains a digit begins further left.
 */
function morningZone(): string {
  const offset = ((10 - new Date().getUTCHours() + 36) % 24) - 12;
  return `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

describe.skipIf(withoutBrowser)('an hour of live entries, one each minute', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeEach(async () => {
    logbook = await TestService.start();
    await tellStory(logbook);
  });
  afterEach(async () => logbook?.stop());

  /** Opens a page whose clock the test can advance, and waits until it has everything that belongs to its start. */
  const open = async (path: string, locale: string): Promise<WebClientPage> => {
    const context = { timezoneId: morningZone() };
    const client = await browser.open(logbook.origin, { path: '/sign-in', height: 1100, locale, context });
    const { page } = client;
    await page.clock.install();
    await page.goto(`${logbook.origin}${path}`);
    for (const shown of ['.live:not(.connecting, .off)', '.histogram rect', '.entry-row', '.facet-row', '.day-count']) {
      await page.locator(shown).first().waitFor();
    }
    if (path !== '/') await page.locator('.doc h1').waitFor();
    // Some parts appear a few seconds after the list.
    await page.clock.fastForward(10_000);
    await client.started();
    await page.waitForLoadState('networkidle');
    await page.evaluate('document.fonts.ready.then(() => true)');
    await client.drawn();
    await page.evaluate(recordMoves);
    return client;
  };

  const levels = ['Info', 'Problem', 'Info', 'Request', 'Info', 'Urgent'];
  const long = ': reflected power of cavity 2 rises with the beam current again';
  /** Creates the entry of that minute: of all levels, with short and long titles, some of them replies. */
  const create = (at: number, first: number | undefined) =>
    tell(logbook, -at * minute, {
      title: `Minute ${at}${at % 4 === 0 ? long.repeat(2) : ''}`,
      level: levels[at % levels.length] ?? 'Info',
      text: 'Seen in the control room. '.repeat(at % 7),
      ...(at % 5 === 0 && first !== undefined && { replyTo: first }),
    });

  test.each([
    ['at the top, where they come into the list, in German', '/', 'de-DE'],
    ['next to an open entry, where they are counted, in English', '/entries/1', 'en-GB'],
  ] as const)('moves nothing that is there: %s', async (_, path, locale) => {
    const client = await open(path, locale);
    const { page } = client;
    let first: number | undefined;
    for (let at = 1; at <= 60; at += 1) {
      const { id } = await create(at, first);
      first ??= id;
      const row = page.locator(`.entry-row[data-id="${id}"]`);
      await (path === '/' ? row : page.locator('.pill', { hasText: new RegExp(`^${at} `) })).waitFor();
      await page.clock.fastForward(minute);
    }
    await page.waitForLoadState('networkidle');
    await client.drawn();
    expect(await page.evaluate('window.takeMoves()')).toEqual([]);
    await client.expectClean();
    await client.close();
  });
});
