import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { property } from '../fixtures/entries.js';
import { TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { plainHost, useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { fillDays, tell, tellStory } from '../fixtures/web-story.js';

describe.skipIf(withoutBrowser)('reading entries in the browser client', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let trip: Entry;
  let client: WebClientPage;

  const openEntry = async (id: number, options: Parameters<typeof browser.open>[1] = {}) => {
    client = await browser.open(logbook.origin, { path: `/entries/${id}`, ...options });
    await client.page.locator('.doc h1').waitFor();
    return client;
  };
  const title = () => client.page.locator('.doc h1').textContent();

  beforeAll(async () => {
    logbook = await TestService.start();
    ({ trip } = await tellStory(logbook));
  });
  afterAll(async () => logbook?.stop());

  test('markup is rendered: tables, code, image sizes, addresses and entry numbers', async () => {
    await openEntry(trip.id);
    const prose = client.page.locator('.doc > .prose');
    await expect.poll(() => prose.locator('table tr').count()).toBe(4);
    await expect.poll(() => prose.locator('code').first().textContent()).toBe('SR:C03-MG:G02A{Quad:1}');
    const image = prose.locator('img');
    await expect
      .poll(() => image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1640);
    expect(await image.getAttribute('width')).toBe('540');
    const link = prose.getByRole('link', { name: 'https://tickets.example.org/MAG-1182' });
    expect(await link.getAttribute('target')).toBe('_blank');
    await prose.getByRole('link', { name: '#12' }).click();
    await client.page.waitForURL(/\/entries\/12$/);
    await client.expectClean();
    await client.close();
  });

  test('a title with the name of a device keeps its spaces', async () => {
    const client = await browser.open(logbook.origin, { path: `/entries/${trip.id}` });
    const heading = client.page.getByRole('heading', { name: /tripped/ });
    await expect.poll(() => heading.innerText()).toBe('Beam lost: SR:C03-MG:G02A{Quad:1} tripped');
    await client.close();
  });

  test('J and K go through the list; the buttons do the same, and Back leads to the list', async () => {
    client = await browser.open(logbook.origin);
    await client.page.locator('.entry-row').first().waitFor();
    await client.page.keyboard.press('j');
    await expect.poll(title).toBe('Beam back in the ring: 300 mA, top-up on');
    await client.page.keyboard.press('j');
    await expect.poll(title).toBe('Interlock card swapped, 182.4 A stable');
    await client.page.keyboard.press('k');
    await expect.poll(title).toBe('Beam back in the ring: 300 mA, top-up on');
    await client.page.getByRole('button', { name: 'Next entry' }).click();
    await expect.poll(title).toBe('Interlock card swapped, 182.4 A stable');
    await client.page.goBack();
    await expect.poll(() => new URL(client.page.url()).pathname).toBe('/');
    await client.expectClean();
    await client.close();
  });

  test('files are shown, enlarged, stepped through and read, with the keyboard alone', async () => {
    await openEntry(trip.id);
    await client.page.getByRole('button', { name: /beam-current-0312\.png/ }).focus();
    await client.page.keyboard.press('Enter');
    const gallery = client.page.getByRole('dialog', { name: 'beam-current-0312.png' });
    await gallery.waitFor();
    await client.screenshot('gallery');
    await client.expectAccessible();
    await client.page.keyboard.press('+');
    await client.page.locator('.gallery-picture.zoomed').waitFor();
    await client.page.keyboard.press('ArrowRight');
    await client.page.getByRole('dialog', { name: 'rack-c03.jpg' }).waitFor();
    await client.page.keyboard.press('ArrowRight');
    await client.page.getByText('thermostat TS-3 opened').waitFor();
    await client.expectAccessible();
    await client.page.keyboard.press('Escape');
    await client.page.locator('.gallery').waitFor({ state: 'detached' });
    await client.expectClean();
    await client.close();
  });

  test('the thread stands below the entry, and its entries can be opened', async () => {
    await openEntry(trip.id);
    const thread = client.page.locator('.thread');
    await thread.getByText('Checked on site, flow 12 l/min.').waitFor();
    await thread.getByRole('link', { name: 'Interlock card swapped' }).click();
    await expect.poll(title).toBe('Interlock card swapped, 182.4 A stable');
    await client.expectClean();
    await client.close();
  });

  test('a value of a property narrows the search', async () => {
    await openEntry(trip.id);
    await client.page.getByRole('button', { name: 'SR:C03-MG:G02A{Quad:1}' }).click();
    await expect.poll(() => client.page.locator('.count-line h1').textContent()).toBe('1 entry');
    expect(new URL(client.page.url()).searchParams.get('query')).toBe('property=device.name.SR:C03-MG:G02A{Quad:1}');
    await client.close();
  });

  test('a value narrows the search whatever is in the names of its property, and in itself', async () => {
    const entry = await tell(logbook, 0, {
      title: 'Names with dots',
      properties: [property('run.plan', { 'slot.no': '1.5, "late" & +2; a|b' })],
    });
    await openEntry(entry.id);
    await client.page.getByRole('button', { name: '1.5, "late" & +2; a|b' }).click();
    await expect.poll(() => client.page.locator('.count-line h1').textContent()).toBe('1 entry');
    await client.close();
  });

  test('any two versions are compared word by word', async () => {
    const entry = await tell(logbook, 0, { title: 'Pump of cell 3 failed', text: 'About 180 A, reason unknown.' });
    await logbook.post(`/logs/${entry.id}`, { ...entry, source: 'About 182.4 A, reason unknown.', level: 'Problem' });
    await logbook.post(`/logs/${entry.id}`, {
      ...entry,
      source: '182.4 A, thermostat opened.',
      tags: [{ name: 'trip' }],
    });
    await openEntry(entry.id);
    await client.page.keyboard.press('v');
    await client.page.getByText('v2 to v3').waitFor();
    await client.page.getByRole('button', { name: 'Compare from v1' }).click();
    await client.page.getByText('v1 to v3').waitFor();
    const text = client.page.locator('.diff-text');
    await expect
      .poll(() => text.locator('del').allTextContents())
      .toEqual(expect.arrayContaining([expect.stringContaining('180')]));
    await expect
      .poll(() => text.locator('ins').allTextContents())
      .toEqual(expect.arrayContaining([expect.stringContaining('182.4')]));
    await client.page.getByText('+ trip').waitFor();
    await client.page.getByRole('button', { name: 'Side by side' }).click();
    await client.page.locator('.split').waitFor();
    await client.expectAccessible();
    await client.expectClean();
    await client.close();
  });

  test('two versions are compared as they are read: in tables, lists and code too', async () => {
    const rows = ['| Device | Reading |', '|---|--:|', '| `SR:C03{Quad:1}` | 40 mGy/h |'];
    const text = (lines: readonly string[], list: string) =>
      `Losses seen:\n\n${lines.join('\n')}\n\n${list}\n\nSee #12.`;
    const entry = await tell(logbook, 0, { title: 'Losses in cell 3', text: text(rows, '- first\n- second') });
    const later = [rows[0], rows[1], '| `SR:C03{Quad:1}` | 48 mGy/h |', '| `SR:RF{Cav:2}` | 9.8 kW |'] as string[];
    const source = `${text(later, '- second')}\n\n![<img src=x onerror=alert(1)>](http://192.0.2.1/x.png) **End.**`;
    await logbook.post(`/logs/${entry.id}`, { ...entry, source });
    client = await browser.open(logbook.origin, { path: `/entries/${entry.id}/history` });
    const shown = client.page.locator('.diff-text');
    await shown.locator('table').waitFor();
    const texts = (of: string) => shown.locator(of).allInnerTexts();
    expect(await texts('tbody tr:first-child td:last-child del')).toEqual(['40']);
    expect(await texts('tbody tr:first-child td:last-child ins')).toEqual(['48']);
    expect(await texts('tbody tr:last-child td > ins')).toEqual(['SR:RF{Cav:2}', '9.8 kW']);
    expect(await texts('li')).toEqual(['first', 'second']);
    expect(await texts('li > del')).toEqual(['first']);
    expect(await texts('ins strong')).toEqual(['End.']);
    await client.screenshot('history-rendered');
    await client.expectAccessible();
    await client.page.getByRole('button', { name: 'Side by side' }).click();
    const [before, after] = [shown.first(), shown.last()];
    await expect.poll(() => before.locator('tbody tr').count()).toBe(1);
    expect(await before.locator('del').allInnerTexts()).toEqual(['40', 'first']);
    expect(await before.locator('ins').count()).toBe(0);
    await expect.poll(() => after.locator('tbody tr').count()).toBe(2);
    expect(await after.locator('li').allInnerTexts()).toEqual(['second']);
    expect(await after.locator('del').count()).toBe(0);
    await client.screenshot('history-rendered-split');
    await client.expectClean();
    await client.close();
  });

  test('an edit by another person appears in the open entry and its row, with one request', async () => {
    const entry = await tell(logbook, 0, { title: 'Shutter 4 sticks' });
    await openEntry(entry.id);
    await client.page.locator('.entry-row', { hasText: 'Shutter 4 sticks' }).waitFor();
    await client.started();
    await client.page.getByText('paused', { exact: true }).waitFor();
    client.takeApiRequests();
    await logbook.post(`/logs/${entry.id}`, { ...entry, title: 'Shutter 4 moves again' });
    await expect.poll(title).toBe('Shutter 4 moves again');
    await client.page.locator('.entry-row', { hasText: 'Shutter 4 moves again' }).waitFor();
    expect(client.takeApiRequests()).toHaveLength(1);
    await client.expectClean();
    await client.close();
  });

  test('what happened around an entry: A shows half an hour before and after it', async () => {
    await openEntry(trip.id);
    await client.page.keyboard.press('a');
    await expect
      .poll(() => new URL(client.page.url()).searchParams.get('query'))
      .toMatch(/^start="[^"]+" end="[^"]+"$/);
    await client.page.locator('.entry-row', { hasText: 'RF cavity 2' }).waitFor();
    await client.close();
  });

  test('the link and the Markdown of an entry are copied', async () => {
    await openEntry(trip.id, { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    const copied = () => client.page.evaluate('navigator.clipboard.readText()');
    await client.page.keyboard.press('y');
    await shownMessage(client.page, /Link copied/);
    await expect.poll(copied).toBe(`${logbook.origin}/entries/${trip.id}`);
    await client.page.keyboard.press('Shift+Y');
    await shownMessage(client.page, /Markdown copied/);
    await expect.poll(copied).toContain(`# ${trip.title}`);
    await client.expectClean();
    await client.close();
  });

  test('the code of a text is copied as it stands in the entry', async () => {
    const code = 'caget "SR:C03" \\\n\t| sort -u  # <fast>\n';
    const { id } = await logbook.create({ title: 'With code', source: `Run:\n\n\`\`\`sh\n${code}\`\`\`\n` });
    await openEntry(id, { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    const button = client.page.getByRole('button', { name: 'Copy the code' });
    await button.press('Enter');
    await shownMessage(client.page, /copied/);
    await expect.poll(() => client.page.evaluate('navigator.clipboard.readText()')).toBe(code);
    await client.expectClean();
    await client.close();
  });

  test('over plain HTTP on a host name the link is copied too', async () => {
    const origin = logbook.origin.replace('127.0.0.1', plainHost);
    client = await browser.open(origin, { path: `/entries/${trip.id}`, as: null });
    await client.page.locator('.doc h1').waitFor();
    expect(await client.page.evaluate('isSecureContext')).toBe(false);
    await client.page.keyboard.press('y');
    await shownMessage(client.page, /Link copied/);
    const box = client.page.getByRole('combobox', { name: 'Search' });
    await box.focus();
    await client.page.keyboard.press('Control+V');
    await expect.poll(() => box.inputValue()).toBe(`${origin}/entries/${trip.id}`);
    await client.expectClean();
    await client.close();
  });

  test('a hostile entry is shown as text, breaks nothing, and loads nothing', async () => {
    const hostile = [
      '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">',
      '![pixel](https://evil.example.org/pixel.png) [click](javascript:window.hacked=1)',
      '\u202Eright to left \u0627\u0644\u0639\u0631\u0628\u064A\u0629',
      'x'.repeat(50_000),
      `${'>'.repeat(300)} deep`,
    ].join('\n\n');
    const entry = await tell(logbook, 0, { title: `<b>bold</b> \u202E${'y'.repeat(300)}`, text: hostile });
    await openEntry(entry.id, { width: 360, height: 740 });
    await client.page.locator('.doc').getByText('window.hacked = 1').first().waitFor();
    expect(await client.page.evaluate('window.hacked')).toBeUndefined();
    await expect.poll(() => client.page.locator('.doc h1').textContent()).toContain('<b>bold</b>');
    const overflow = await client.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await client.expectAccessible();
    await client.expectClean();
    await client.close();
  });

  test('on a phone the list keeps its place while an entry is read', async () => {
    client = await browser.open(logbook.origin, { width: 360, height: 740 });
    await client.page.locator('.entry-row').nth(4).waitFor();
    await client.page.locator('.list').evaluate((list) => list.scrollTo(0, 2_000));
    const firstShown = () => client.page.locator('.list-item').first().getAttribute('aria-posinset');
    await expect.poll(async () => Number(await firstShown())).toBeGreaterThan(10);
    await expect.poll(() => client.page.locator('.row-skeleton').count()).toBe(0);
    await client.drawn();
    const row = client.page.locator('.entry-row').nth(10);
    const name = await row.locator('.title').textContent();
    await client.page.locator(`.entry-row[data-id="${await row.getAttribute('data-id')}"]`).click();
    await expect.poll(title).toBe(name);
    await client.expectAccessible();
    await client.page.getByRole('button', { name: 'Back to the list' }).click();
    await expect.poll(() => client.page.locator('.list').evaluate((list) => list.scrollTop)).toBeGreaterThan(1_500);
    await client.expectClean();
    await client.close();
  });

  test('100,000 entries: the list is whole, a jump to the middle fetches the pages there and no other', async () => {
    const large = await TestService.start();
    try {
      for (let at = 0; at < 10; at += 1) await fillDays(large, 10_000, 4);
      client = await browser.open(large.origin, { path: '/?view=flat' });
      await client.page.locator('.entry-row').first().waitFor();
      await expect.poll(() => client.page.locator('.count-line h1').textContent()).toBe('100\u202f000 entries');
      await client.started();
      client.takeApiRequests();
      await client.page.locator('.list').evaluate((list) => {
        for (let part = 1; part <= 20; part += 1) list.scrollTop = (list.scrollHeight / 2) * (part / 20);
      });
      // The rows of the beginning are there until the page draws again.
      const position = () => client.page.locator('.list-item:has(.entry-row)').first().getAttribute('aria-posinset');
      await expect.poll(async () => Number(await position())).toBeGreaterThan(45_000);
      expect(client.takeApiRequests().length).toBeLessThanOrEqual(3);
      await client.expectClean();
      await client.close();
    } finally {
      await large.stop();
    }
  });
});
