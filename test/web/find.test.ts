import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { tell, tellStory } from '../fixtures/web-story.js';

const beam = `/?query=${encodeURIComponent('start="3 days" beam')}`;

describe.skipIf(withoutBrowser)('finding entries in the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let client: WebClientPage;

  const open = async (options: Parameters<typeof browser.open>[1] = {}) => {
    client = await browser.open(logbook.origin, options);
    await client.page.locator('.entry-row').first().waitFor();
    return client;
  };
  const box = () => client.page.getByRole('combobox', { name: 'Search' });
  const count = () => client.page.locator('.count-line h1').textContent();
  const query = () => new URL(client.page.url()).searchParams.get('query');
  const firstTitle = () => client.page.locator('.entry-row .title').first().textContent();
  const live = () => client.page.locator('.live:not(.connecting, .off)').waitFor();
  /** Makes the list hold back what is new. */
  const hold = async () => {
    await live();
    await client.page.getByRole('button', { name: 'Pause updates' }).click();
    await client.page.locator('.live.paused').waitFor();
  };

  beforeAll(async () => {
    logbook = await TestService.start();
    await tellStory(logbook);
  });
  afterAll(async () => logbook?.stop());

  test('words and key=value are found, counted exactly, highlighted, and said in words', async () => {
    await open();
    await box().fill('beam level=Urgent');
    await box().press('Enter');
    await client.page.getByText('Understood as: beam, Urgent').waitFor();
    const expected = (await logbook.search('query=beam level=Urgent')).hitCount;
    await expect.poll(count).toBe(`${expected} entries`);
    await expect.poll(() => client.page.locator('.entry-row mark').first().textContent()).toMatch(/beam/i);
    await client.expectClean();
    await client.close();
  });

  test('keys and values are completed with the keyboard, and the list of them is accessible', async () => {
    await open();
    await box().fill('own');
    await client.page
      .getByRole('option', { name: /owner=/ })
      .first()
      .waitFor();
    await box().press('ArrowDown');
    await client.expectAccessible();
    await box().press('Enter');
    await expect.poll(() => box().inputValue()).toBe('owner=');
    await box().pressSequentially('ml');
    await client.page.getByRole('option', { name: /owner=mlind/ }).waitFor();
    await box().press('ArrowDown');
    await box().press('Enter');
    await expect.poll(query).toBe('owner=mlind');
    await client.page.getByRole('button', { name: 'Remove owner=mlind' }).waitFor();
    // Backspace at the beginning opens the token again.
    await box().press('Backspace');
    await expect.poll(() => box().inputValue()).toBe('owner=mlind');
    await client.expectClean();
    await client.close();
  });

  test.each(['a&b', 'x+y', 'tag="a,b"', '"in quotes"', '12345678901234567890', '1e3', '100%', 'ä#ö?=/'])(
    '%s goes through the address unharmed',
    async (text) => {
      await open();
      await box().fill(text);
      await box().press('Enter');
      await expect.poll(query).toBe(text);
      await client.page.reload();
      await client.page.locator('.results-head').waitFor();
      expect(query()).toBe(text);
      await client.expectClean();
      await client.close();
    },
  );

  test('a value of the panel filters in, out, and not at all', async () => {
    await open();
    await client.page.getByRole('checkbox', { name: 'Problem' }).click();
    await expect.poll(query).toBe('level=Problem');
    await client.page.getByRole('checkbox', { name: 'Problem', checked: true }).waitFor();
    await client.page.getByRole('checkbox', { name: 'Urgent' }).click();
    await expect.poll(query).toBe('level=Problem,Urgent');
    await client.page.getByRole('button', { name: 'Exclude RF', exact: true }).click();
    await expect.poll(query).toBe('-logbook=RF level=Problem,Urgent');
    await client.expectAccessible();
    await client.page.getByRole('checkbox', { name: 'RF, excluded' }).click();
    await expect.poll(query).toBe('level=Problem,Urgent');
    await client.expectClean();
    await client.close();
  });

  test('properties are counted by name, filtered by, and left out', async () => {
    await open();
    const facet = client.page.getByRole('region', { name: 'Property' });
    await facet.getByRole('checkbox', { name: 'device' }).click();
    await expect.poll(query).toBe('property=device');
    await expect.poll(count).toBe('1 entry');
    await client.page.getByText('Understood as: with device').waitFor();
    await client.expectAccessible();
    await client.screenshot('find-property');
    await facet.getByRole('button', { name: 'Exclude device' }).click();
    await expect.poll(query).toBe('-property=device');
    // Its own filter is left out of its count.
    await expect.poll(() => facet.locator('.count').textContent()).toBe('1');
    await client.expectClean();
    await client.close();
  });

  test('a part of the timeline is chosen with the keyboard and with the pointer, and shown', async () => {
    await open({ path: beam });
    await client.page.getByRole('slider', { name: 'Start' }).waitFor({ state: 'attached' });
    await client.page.keyboard.press('h');
    await client.page.keyboard.press('Shift+ArrowRight');
    await client.page.getByText('zoom in').waitFor();
    await client.expectAccessible();
    await client.page.keyboard.press('Escape');
    await client.page.getByText('Understood as').waitFor();
    expect(query()).toBe('start="3 days" beam');
    const chart = client.page.locator('.histogram');
    const { x, y, width } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await client.page.mouse.move(x + width * 0.6, y + 20);
    await client.page.mouse.down();
    await client.page.mouse.move(x + width * 0.8, y + 20, { steps: 4 });
    await client.page.mouse.up();
    await client.page.getByText('zoom in').waitFor();
    await client.page.locator('.histogram .handle').first().press('Enter');
    await expect.poll(query).toMatch(/^start="\d{4}-\d\d-\d\d \d\d:\d\d" end="[^"]+" beam$/);
    await client.expectClean();
    await client.close();
  });

  test('a range is understood as it is typed, shown on its button, and asks for nothing that is refused', async () => {
    await open();
    const refused: string[] = [];
    client.page.on('response', (response) => response.status() >= 400 && refused.push(response.url()));
    const field = (name: string) => client.page.getByRole('textbox', { name, exact: true });
    const show = () => client.page.getByRole('button', { name: 'Show this time' }).click();
    await client.page.getByRole('button', { name: 'All time' }).click();
    await client.page.getByRole('button', { name: '8 hours' }).waitFor();
    await client.expectAccessible();
    await client.page.getByRole('button', { name: '8 hours' }).click();
    await expect.poll(query).toBe('start="8 hours"');
    await client.page.getByRole('button', { name: 'Time: 8 hours' }).click();
    await field('From').fill('2 weeks 3 d');
    await field('From').press('Enter');
    await expect.poll(query).toBe('start="2 weeks 3 d"');
    await client.page.getByRole('button', { name: 'Time: 2 weeks 3 d' }).click();
    await field('From').fill('1 Marhc');
    await client.page.getByText('“1 Marhc” is not a time.').waitFor();
    await show();
    await field('From').fill('1 March 2025');
    await client.page.getByLabel('Until: calendar').fill('2025-02-28');
    await client.page.getByText('The end is before the start.').waitFor();
    await show();
    await client.expectAccessible();
    await client.page.getByLabel('Until: calendar').fill('2025-03-07');
    await client.page.getByText(/7 Mar 2025, 23:59/).waitFor();
    await show();
    await expect.poll(query).toBe('start=2025-03-01 end=2025-03-07');
    await client.page.getByRole('button', { name: /^Time: 1–7 Mar 2025/ }).waitFor();
    await box().press('Backspace');
    await box().fill('end="1 Jan 2025"');
    await box().press('Enter');
    await client.page.getByText('The end is before the start.').waitFor();
    await box().fill('end="8 March 2025"');
    await box().press('Enter');
    await expect.poll(query).toBe('start=2025-03-01 end=2025-03-08');
    expect(refused).toEqual([]);
    await client.expectClean();
    await client.close();
  });

  test('the number of an entry offers to open it, and each row says why it was found', async () => {
    const file = { name: 'magnets.txt', content: 'Klystron gallery\n' };
    const text = `${'All of this comes before. '.repeat(6)}Then the thyratron misfired.`;
    const entry = await tell(logbook, 0, { title: 'Odd readings', text, tags: ['top-up'], files: [file] });
    await open();
    const row = client.page.locator(`.entry-row[data-id="${entry.id}"]`);
    const find = async (words: string) => {
      await box().fill(words);
      await box().press('Enter');
      await expect.poll(query).toBe(words);
      await row.waitFor();
    };
    await find('thyratron');
    const isSeen = (of: string) =>
      client.page.evaluate(`(() => {
        const mark = document.querySelector('.entry-row[data-id="${entry.id}"] ${of}');
        const { right } = mark.getBoundingClientRect();
        return right < mark.closest('.second').getBoundingClientRect().right;
      })()`);
    await expect.poll(() => row.locator('.excerpt').textContent()).toMatch(/^…Then the thyratron/);
    expect(await isSeen('mark')).toBe(true);
    await find('readings top-up');
    await expect.poll(() => row.locator('.other mark').textContent()).toBe('top-up');
    await find('magnets.txt');
    await expect.poll(() => row.locator('.other mark').textContent()).toBe('magnets.txt');
    await client.expectAccessible();
    await box().fill(`#${entry.id}`);
    await client.page.getByRole('option', { name: `Open entry #${entry.id}` }).waitFor();
    await client.expectAccessible();
    await box().press('ArrowDown');
    await box().press('Enter');
    await client.page.getByRole('heading', { name: 'Odd readings' }).waitFor();
    expect(new URL(client.page.url()).pathname).toBe(`/entries/${entry.id}`);
    await client.expectClean();
    await client.close();
  });

  test('a search is saved under a name, found in the panel, and opened from it', async () => {
    await open({ path: '/?query=level%3DUrgent' });
    await client.page.getByRole('button', { name: 'Save this search' }).click();
    await client.page.getByRole('textbox', { name: 'Name' }).fill('What hurts');
    await client.expectAccessible();
    await client.page.getByRole('textbox', { name: 'Name' }).press('Enter');
    await client.page.getByRole('link', { name: 'What hurts' }).waitFor();
    await client.page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(query).toBe(null);
    await client.page.getByRole('link', { name: 'What hurts' }).click();
    await expect.poll(query).toBe('level=Urgent');
    await client.expectClean();
    await client.close();
  });

  test('threads are one row, unfold with the arrow key, and are apart in the flat view', async () => {
    await open();
    const row = client.page.locator('.entry-row[aria-expanded]').first();
    await row.focus();
    await row.press('ArrowRight');
    await client.page.locator('.reply-row', { hasText: 'Water flow is fine' }).waitFor();
    await expect.poll(() => row.getAttribute('aria-expanded')).toBe('true');
    await client.expectAccessible();
    await client.page.getByRole('button', { name: 'Flat' }).click();
    await client.page.locator('.entry-row', { hasText: 'Water flow is fine' }).waitFor();
    expect(new URL(client.page.url()).searchParams.get('view')).toBe('flat');
    await client.expectClean();
    await client.close();
  });

  test.each([640, 768, 1024, 1280])('in German, the head of the list stays within it at %d px', async (width) => {
    const path = `/?query=${encodeURIComponent('start="3 days" -test')}`;
    const { page } = await open({ path, width, locale: 'de-DE' });
    await page
      .getByRole('heading', { name: /Einträge/ })
      .first()
      .waitFor();
    const overflow = await page.evaluate<number>(
      `Math.max(...[...document.querySelectorAll('.results-head *')].map((one) => one.getBoundingClientRect().right))
        - document.querySelector('.results-head').getBoundingClientRect().right`,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    // One line; on a phone, buttons are 44 px high.
    const lineHeight = width < 768 ? 56 : 40;
    expect(await page.evaluate("document.querySelector('.count-line').offsetHeight")).toBeLessThan(lineHeight);
    await client.close();
  });

  test('nothing found says so and offers all time', async () => {
    await open();
    await box().fill('start="1 min" tripped');
    await box().press('Enter');
    await client.page.getByText('No entry has “tripped” in this time.').waitFor();
    await client.page.getByRole('button', { name: /Search all time, / }).click();
    await expect.poll(query).toBe('tripped');
    await client.page.locator('.entry-row').first().waitFor();
    await client.expectClean();
    await client.close();
  });

  test('a number that is not found offers its entry', async () => {
    const { id } = await logbook.create({ title: 'Found by its number' });
    await open();
    await box().fill(`tag=top-up #${id}`);
    await box().press('Enter');
    await client.page.getByRole('link', { name: `Open entry #${id}` }).click();
    await client.page.locator('.doc h1', { hasText: 'Found by its number' }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test('after writing, a filter still shows its value, and no line is around the page', async () => {
    await open({ path: '/?query=logbook%3DRF' });
    const { page } = client;
    const width = () => page.evaluate<number>("document.querySelector('.search .token .cut').clientWidth");
    const before = await width();
    expect(before).toBeGreaterThan(0);
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'Remove RF' }).waitFor();
    await page.goBack();
    await page.locator('.entry-row').first().waitFor();
    expect(await width()).toBe(before);
    const outline = await page.evaluate(`(() => {
      const main = Object.assign(document.querySelector('main'), { tabIndex: -1 });
      main.focus({ focusVisible: true });
      return getComputedStyle(main).outlineStyle;
    })()`);
    expect(outline).toBe('none');
    await client.expectClean();
    await client.close();
  });

  test('at the top, with nothing open, new entries come into the list: nothing else moves, and the focus stays', async () => {
    await open();
    await live();
    await client.started();
    // Parts of the page that arrive late would move others.
    await client.page.locator('.histogram rect').first().waitFor();
    await client.page.locator('.facet .count').first().waitFor();
    await client.page.evaluate('document.fonts.ready.then(() => true)');
    await client.drawn();
    await client.page.locator('.entry-row').first().focus();
    const focused = () => client.page.evaluate('document.activeElement.querySelector(".title")?.textContent');
    const before = await focused();
    await client.page.evaluate(`new PerformanceObserver((list) => {
      window.shifts = (window.shifts ?? 0) + list.getEntries().length;
    }).observe({ type: 'layout-shift' })`);
    for (const title of ['Comes automatically', 'And another one']) {
      await tell(logbook, 0, { title });
      await expect.poll(firstTitle).toBe(title);
    }
    await expect.poll(count).toMatch(/entries$/);
    expect(await focused()).toBe(before);
    expect(await client.page.evaluate('window.shifts ?? 0')).toBe(0);
    expect(await client.page.title()).toBe('Logbook');
    await client.expectAccessible();
    await client.expectClean();
    await client.close();
  });

  test('entries that come faster than the list is read are shown', async () => {
    await open();
    await live();
    await client.started();
    let storm = 0;
    await client.page.route(/\/logs\/search\?.*size=100/, async (route) => {
      storm += 1;
      await logbook.create({ title: `Storm ${storm}` });
      // Longer than the list waits for the next entry.
      await new Promise((done) => setTimeout(done, 3_000));
      await route.continue();
    });
    await logbook.create({ title: 'Before the storm' });
    await expect.poll(firstTitle).toMatch(/storm/i);
    await client.page.unrouteAll({ behavior: 'wait' });
    await client.close();
  });

  test('next to an open entry a new one waits behind a pill: one request, nothing moves, N shows it', async () => {
    await open();
    await live();
    await client.page.locator('.entry-row').first().click();
    await client.page.locator('.doc h1').waitFor();
    await client.page.locator('.live.paused').waitFor();
    await client.started();
    const before = await firstTitle();
    client.takeApiRequests();
    await tell(logbook, 0, { title: 'A new beam entry' });
    await client.page.getByRole('button', { name: '1 new entry' }).waitFor();
    expect(client.takeApiRequests()).toEqual([expect.any(String)]);
    expect(await firstTitle()).toBe(before);
    await expect.poll(() => client.page.title()).toMatch(/^\(1\) .+ – Logbook$/);
    await client.expectAccessible();
    await client.page.keyboard.press('n');
    await expect.poll(firstTitle).toBe('A new beam entry');
    // Readers may let the list follow while they read.
    await client.page.getByRole('button', { name: 'Resume updates' }).click();
    await live();
    await tell(logbook, 0, { title: 'While one reads' });
    await expect.poll(firstTitle).toBe('While one reads');
    await client.page.keyboard.press('Escape');
    await client.expectClean();
    await client.close();
  });

  test.each(['en-GB', 'de-DE'])(
    'the line above the list is one, and moves nothing when the list pauses: %s',
    async (locale) => {
      await open({ locale });
      await client.page.locator('.live:not(.connecting, .off)').waitFor();
      await client.page.locator('.histogram rect').first().waitFor();
      const heights = () =>
        client.page.evaluate<number[]>(
          "['.results-head', '.count-line'].map((one) => document.querySelector(one).offsetHeight)",
        );
      const before = await heights();
      expect(before[1]).toBeLessThan(40);
      await client.page.evaluate("document.querySelector('.list').scrollTo(0, 2000)");
      await client.page.locator('.live.paused').waitFor();
      expect(await heights()).toEqual(before);
      await client.close();
    },
  );

  test.each(['en-GB', 'de-DE'])(
    'no label of the timeline touches another or the end of the list: %s',
    async (locale) => {
      await tell(logbook, 3 * 365 * 86_400_000, { title: 'Years ago' });
      for (const [at, start] of ['2 hours', '1 day', '9 days', '40 days', '500 days', '4 years'].entries()) {
        const path = `/?query=${encodeURIComponent(`start="${start}"`)}`;
        if (at === 0) await open({ locale, path });
        else await client.page.goto(`${logbook.origin}${path}`);
        await client.page.locator('.histogram text').first().waitFor();
        const free = await client.page.evaluate<number[]>(`(() => {
        const boxes = [...document.querySelectorAll('.histogram text')].map((one) => one.getBoundingClientRect());
        const end = document.querySelector('.mid').getBoundingClientRect().right;
        return boxes.map(({ right }, at) => (boxes[at + 1]?.left ?? end) - right);
      })()`);
        expect(Math.min(...free), `${start}: ${free}`).toBeGreaterThan(3);
      }
      await client.close();
    },
  );

  test('a list that is scrolled holds back what is new, and says so', async () => {
    await open();
    await client.page.getByText('live', { exact: true }).waitFor();
    await client.page.evaluate("document.querySelector('.list').scrollTo(0, 2000)");
    await client.page.getByText('paused', { exact: true }).waitFor();
    const shown = () => client.page.locator('.entry-row .title').allTextContents();
    await expect.poll(() => client.page.locator('.row-skeleton').count()).toBe(0);
    await client.drawn();
    const before = await shown();
    await logbook.create({ title: 'Comes while one reads' });
    await client.page.getByRole('button', { name: '1 new entry' }).waitFor();
    expect(await shown()).toEqual(before);
    await expect.poll(() => client.page.title()).toBe('(1) Logbook');
    await client.page.keyboard.press('n');
    await expect.poll(async () => (await shown())[0]).toBe('Comes while one reads');
    await live();
    await expect.poll(() => client.page.title()).toBe('Logbook');
    // A reader who returns to the top follows again.
    await client.page.evaluate("document.querySelector('.list').scrollTo(0, 2000)");
    await client.page.locator('.live.paused').waitFor();
    // The list follows even if the clock of the computer is set back.
    await client.page.evaluate('(() => { const { now } = Date; Date.now = () => now() - 600_000; })()');
    await logbook.create({ title: 'Comes during an outage' });
    await client.page.getByRole('button', { name: '1 new entry' }).waitFor();
    await client.page.evaluate("document.querySelector('.list').scrollTo(0, 0)");
    await expect.poll(async () => (await shown())[0]).toBe('Comes during an outage');
    await client.close();
  });

  test('oldest first: the pill counts what is new and nothing else, and N shows it at the end', async () => {
    await open({ path: `${beam}&sort=up&view=flat` });
    const before = (await logbook.search(`query=${encodeURIComponent('start="3 days" beam')}`)).hitCount;
    await client.page.getByText('live', { exact: true }).waitFor();
    // A service that is busy for a moment is asked again.
    const busy = { status: 503, contentType: 'application/json', body: '{}' };
    await client.page.route(/\/logs\/search\?.*size=50/, (route) => route.fulfill(busy), { times: 1 });
    await logbook.create({ title: 'Beam news at the end' });
    await client.page.getByRole('button', { name: '1 new entry' }).waitFor();
    await client.page.keyboard.press('n');
    await client.page.locator('.entry-row', { hasText: 'Beam news at the end' }).waitFor();
    await expect.poll(count).toBe(`${before + 1} entries`);
    await client.close();
  });

  test('more news than one page of them are counted exactly', async () => {
    await open();
    await hold();
    for (let at = 0; at < 60; at += 1) await logbook.create({ title: `Many together ${at}` });
    await client.page.getByRole('button', { name: '60 new entries' }).waitFor();
    await client.close();
  });

  test('an answer about news that comes late does not replace a newer one', async () => {
    await open();
    await hold();
    const answers: (() => Promise<void>)[] = [];
    await client.page.route(/\/logs\/search\?.*size=50/, async (route) => {
      const response = await route.fetch();
      const answer = () => route.fulfill({ response });
      if (answers.push(answer) > 1) await answer();
    });
    const asked = client.page.waitForRequest(/size=50/);
    await logbook.create({ title: 'First of two' });
    await expect.poll(() => answers.length).toBe(1);
    await logbook.create({ title: 'Second of two' });
    const pill = client.page.getByRole('button', { name: /new entr/ });
    await expect.poll(() => pill.textContent()).toBe('2 new entries');
    await answers[0]?.();
    await (await (await asked).response())?.finished();
    await client.drawn();
    expect(await pill.textContent()).toBe('2 new entries');
    await client.close();
  });

  test('an entry that changes while it is read again is shown as it is at the end', async () => {
    const entry = await tell(logbook, 0, { title: 'Edited twice' });
    await open();
    await hold();
    const title = client.page.locator(`.entry-row[data-id="${entry.id}"] .title`);
    const held: (() => Promise<void>)[] = [];
    const holdFirst = async (route: Route) => {
      const response = await route.fetch();
      held.push(() => route.fulfill({ response }));
    };
    await client.page.route(new RegExp(`/logs/${entry.id}$`), holdFirst, { times: 1 });
    await logbook.post(`/logs/${entry.id}`, { ...entry, title: 'Edited once' });
    await expect.poll(() => held.length).toBe(1);
    await logbook.post(`/logs/${entry.id}`, { ...entry, title: 'Edited twice indeed' });
    // Messages come in their order.
    await logbook.create({ title: 'After both' });
    await client.page.getByRole('button', { name: '1 new entry' }).waitFor();
    await held[0]?.();
    await client.drawn();
    await expect.poll(() => title.textContent()).toBe('Edited twice indeed');
    await client.close();
  });

  test('each day says how many of the hits it has, also where the timeline has longer bars', async () => {
    const search = 'title="Counted by day"';
    const ago = [0, 0, 0, 3, 3, 400];
    for (const [at, days] of ago.entries()) {
      await tell(logbook, days * 86_400_000, { title: 'Counted by day', level: at === 0 ? 'Problem' : 'Info' });
    }
    const days = () => client.page.locator('.day').allInnerTexts();
    const counts = () =>
      client.page
        .locator('.day-count [aria-hidden]')
        .allInnerTexts()
        .then((all) => all.map((one) => one.trim()));
    await open({ path: `/?query=${encodeURIComponent(`${search} start="5 days"`)}` });
    await expect.poll(counts).toEqual(['3', '2']);
    await client.page.goto(`${logbook.origin}/?query=${encodeURIComponent(search)}`);
    await expect.poll(counts).toEqual(['3', '2', '1']);
    await client.expectAccessible();
    // The best matches are of any day: each row names its own.
    await client.page.goto(`${logbook.origin}/?sort=relevance&query=${encodeURIComponent(search)}`);
    await expect.poll(days).toEqual(['Best match']);
    await expect.poll(() => client.page.locator('.entry-row .when').allInnerTexts()).toHaveLength(6);
    for (const text of await client.page.locator('.entry-row .when').allInnerTexts()) expect(text).toMatch(/^\d+ \w+/);
    await client.expectClean();
    await client.close();
  });

  test('a reader who returns to the list from another page finds it where it was', async () => {
    await open({ path: '/?view=flat' });
    await client.page.getByText('live', { exact: true }).waitFor();
    const offset = () => client.page.evaluate<number>("document.querySelector('.list').scrollTop");
    await client.page.evaluate("document.querySelector('.list').scrollTo(0, 3000)");
    await client.page.getByText('paused', { exact: true }).waitFor();
    expect(await offset()).toBeGreaterThan(2000);
    await expect.poll(() => client.page.locator('.row-skeleton').count()).toBe(0);
    // Rows move the others by how high they turn out to be.
    await client.drawn();
    const left = await offset();
    // Hits are kept for a minute after they were shown.
    await client.stopTimers(60_000);
    await client.page.keyboard.press('c');
    await client.page.getByRole('textbox', { name: 'Title' }).waitFor();
    await logbook.create({ title: 'Comes while one writes' });
    await client.page.goBack();
    await client.page.locator('.entry-row').first().waitFor();
    await client.page.getByRole('button', { name: '1 new entry' }).waitFor();
    await expect.poll(offset).toBe(left);
    // Another search begins at its top.
    await box().fill('beam');
    await box().press('Enter');
    await expect.poll(offset).toBe(0);
    await client.close();
  });

  test('the list is there with at most six requests', async () => {
    await open();
    await client.page.locator('.histogram rect').first().waitFor();
    await client.page.locator('.facet .count').first().waitFor();
    // Two more come after the list: for hand-overs, and for the days of a long timeline.
    const isLater = (url: string) => /properties=Hand-over|interval=day/.test(url);
    expect(client.takeApiRequests().filter((url) => !isLater(url)).length).toBeLessThanOrEqual(6);
    await client.close();
  });
});
