import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { property } from '../fixtures/entries.js';
import { pasteImage } from '../fixtures/paste-image.js';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';
import { tell, tellStory } from '../fixtures/web-story.js';

const quad = 'SR:C03-MG:G02A{Quad:1}';

interface Effort {
  readonly clicks: number;
  /** Keys that are pressed; keys that are held together count once. */
  readonly keystrokes: number;
}

/** Does what a person does with mouse and keyboard, and counts it. */
class Operator {
  private readonly startedMs = performance.now();
  private clicks = 0;
  private keystrokes = 0;

  constructor(private readonly client: WebClientPage) {}

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.keystrokes += 1;
      await this.client.page.keyboard.press(key);
    }
  }

  /** Types what is searched for: every character is a keystroke. */
  async search(text: string): Promise<void> {
    this.keystrokes += text.length;
    await this.client.page.keyboard.type(text);
  }

  /** Writes content, such as a title or a text, which is not counted. */
  async write(text: string): Promise<void> {
    await this.client.page.keyboard.type(text);
  }

  async pastePicture(): Promise<void> {
    this.keystrokes += 1;
    await pasteImage(this.client.page);
  }

  effort(): Effort {
    return { clicks: this.clicks, keystrokes: this.keystrokes };
  }

  /** Time since the page was shown, most of it of the client and the service, in seconds. */
  seconds(): number {
    return (performance.now() - this.startedMs) / 1_000;
  }
}

describe.skipIf(withoutBrowser)('the main jobs of an operator', () => {
  const browser = useBrowser();
  const done: (Effort & { readonly job: string; readonly seconds: number })[] = [];
  let logbook: TestService;
  let trip: Entry;
  let client: WebClientPage;

  beforeAll(async () => {
    logbook = await TestService.start({ deviceNames: 'SR:*', shifts: shiftsAround() });
    ({ trip } = await tellStory(logbook));
  });
  afterAll(async () => {
    await logbook?.stop();
    if (process.env.LOGBOOK_TEST_PRINT_JOBS === undefined) return;
    for (const { job, clicks, keystrokes, seconds } of done)
      process.stdout.write(`| ${job} | ${clicks} | ${keystrokes} | ${seconds.toFixed(1)} |\n`);
  });

  const open = async (path = '/', as?: string) => {
    client = await browser.open(logbook.origin, { path, ...(as && { as }) });
    await client.page
      .locator(path.startsWith('/entries/') ? '.doc h1' : '.entry-row')
      .first()
      .waitFor();
    return { page: client.page, operator: new Operator(client) };
  };
  const created = async (): Promise<Entry> => {
    const id = /#(\d+)/.exec(await shownMessage(client.page, /#\d+ (created|saved)/))?.[1];
    return (await logbook.get(`/logs/${id}`)).body;
  };
  /** Compares the effort with the bound, takes a picture, and closes the page. */
  const finish = async (job: string, operator: Operator, bound: Effort) => {
    const effort = operator.effort();
    done.push({ job, ...effort, seconds: operator.seconds() });
    await client.screenshot(`job-${job.toLowerCase().replaceAll(' ', '-')}`);
    expect(effort.clicks, 'clicks').toBeLessThanOrEqual(bound.clicks);
    expect(effort.keystrokes, 'keystrokes').toBeLessThanOrEqual(bound.keystrokes);
    await client.expectClean();
    await client.close();
  };

  test('reply to the open entry', async () => {
    const { operator } = await open(`/entries/${trip.id}`);
    await operator.press('r');
    await operator.write('Card 3 is in the workshop.');
    await expect.poll(() => new DraftPage(client.page).text.innerText()).toBe('Card 3 is in the workshop.');
    await operator.press('Control+Enter');
    expect(await created()).toMatchObject({ source: 'Card 3 is in the workshop.' });
    await finish('Reply to the open entry', operator, { clicks: 0, keystrokes: 2 });
  });

  test('write an entry in one line', async () => {
    const { operator } = await open();
    await operator.press('w');
    await operator.write('Pump 4 restarted !problem @operations #trip');
    await operator.press('Enter');
    expect(await created()).toMatchObject({ title: 'Pump 4 restarted', level: 'Problem', tags: [{ name: 'trip' }] });
    await finish('Write an entry in one line', operator, { clicks: 0, keystrokes: 2 });
  });

  test('find the entries of a device and a week', async () => {
    await tell(logbook, 8 * 24 * 3_600_000, { title: 'Too old', properties: [property('device', { name: quad })] });
    const { page, operator } = await open();
    await operator.press('/');
    await operator.search('SR:C03-MG');
    await page.getByRole('group', { name: 'Device', exact: true }).getByRole('option', { name: quad }).waitFor();
    await operator.press('ArrowDown', 'Enter');
    await page.getByText(/^Understood as/).waitFor();
    await operator.click(page.getByRole('button', { name: 'All time' }));
    await operator.click(page.getByRole('button', { name: '1 week' }));
    await page.getByText(`Understood as: ${quad}, last 1 week`).waitFor();
    await page.locator('.entry-row', { hasText: 'tripped' }).first().waitFor();
    await expect.poll(() => page.locator('.entry-row', { hasText: 'Too old' }).count()).toBe(0);
    await finish('Find the entries of a device in the last week', operator, { clicks: 2, keystrokes: 12 });
  });

  test('find entries by words', async () => {
    const { page, operator } = await open();
    await operator.press('/');
    await operator.search('thermostat TS-3');
    await operator.press('Enter');
    // The reply, and the entry with the file.
    await page.locator('.count-line h1', { hasText: '2 entries' }).waitFor();
    await finish('Find entries by words', operator, { clicks: 0, keystrokes: 17 });
  });

  test('go to an entry by its number', async () => {
    const { page, operator } = await open();
    await operator.press('/');
    await operator.search(String(trip.id));
    await page.getByRole('option', { name: `Open entry #${trip.id}` }).waitFor();
    await operator.press('ArrowDown', 'Enter');
    await page.locator('.doc h1', { hasText: trip.title }).waitFor();
    await finish('Go to an entry by its number', operator, { clicks: 0, keystrokes: 3 + String(trip.id).length });
  });

  test('open the newest Urgent entry', async () => {
    const { page, operator } = await open();
    await operator.click(page.getByRole('checkbox', { name: 'Urgent' }));
    await page.locator('.count-line h1', { hasText: /entr/ }).waitFor();
    await expect.poll(() => page.locator('.entry-row .title').first().textContent()).toBe(trip.title);
    await operator.press('j');
    await expect.poll(() => page.locator('.doc h1').innerText()).toBe(trip.title);
    await finish('Open the newest Urgent entry', operator, { clicks: 1, keystrokes: 1 });
  });

  test('write an entry with a picture from the clipboard', async () => {
    const { page, operator } = await open(`/?query=${encodeURIComponent('logbook=RF')}`);
    await operator.press('c');
    await operator.write('Spectrum of cavity 2');
    await page.getByRole('button', { name: 'Remove RF' }).waitFor();
    await operator.press('Tab');
    await operator.write('As seen at 03:20:');
    // The paste of a test is not held while the editor is loaded.
    await expect.poll(() => new DraftPage(page).text.innerText()).toBe('As seen at 03:20:');
    await operator.pastePicture();
    await page.getByText('ready', { exact: true }).waitFor();
    await operator.press('Control+Enter');
    const entry = await created();
    expect(entry).toMatchObject({ title: 'Spectrum of cavity 2', logbooks: [{ name: 'RF' }] });
    expect(entry.source).toMatch(/^As seen at 03:20:\s+!\[image-1\]/);
    await finish('Write an entry with a pasted picture', operator, { clicks: 0, keystrokes: 4 });
  });

  test('edit the open entry', async () => {
    const { id } = await tell(logbook, 60_000, { title: 'Orbit saved', text: 'As set 41.' });
    const { operator } = await open(`/entries/${id}`);
    await operator.press('e');
    await expect.poll(() => new DraftPage(client.page).text.innerText()).toBe('As set 41.');
    await operator.press('Control+End');
    await operator.write(' Loaded at 04:10.');
    await operator.press('Control+Enter');
    expect(await created()).toMatchObject({ id, source: 'As set 41. Loaded at 04:10.' });
    await finish('Edit the open entry', operator, { clicks: 0, keystrokes: 3 });
  });

  test('take over a shift', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const handOver = property('Hand-over', { shift: 'Early', from: at(-8), to: at(0) });
    await tell(logbook, 0, { title: 'Hand-over Early', properties: [handOver] });
    const { page, operator } = await open('/', 'admin:adminPass');
    await operator.click(page.getByRole('link', { name: 'Read', exact: true }));
    await operator.click(page.getByRole('button', { name: 'I have taken over' }));
    await page.getByText('took over').waitFor();
    await finish('Acknowledge a hand-over', operator, { clicks: 2, keystrokes: 0 });
  });

  test('hand over a shift', async () => {
    const { page, operator } = await open();
    await operator.press('g', 'h');
    const text = page.getByRole('textbox', { name: 'For the next shift' });
    await expect.poll(() => text.innerText()).toContain('In this shift:');
    await operator.write('Watch cavity 2.');
    await operator.press('Control+Enter');
    expect((await created()).source).toMatch(/Watch cavity 2\.$/);
    await finish('Hand over the shift', operator, { clicks: 0, keystrokes: 3 });
  });

  test('remove the text of an entry for good', async () => {
    const entry = await tell(logbook, 60_000, { title: 'Camera replaced', text: 'Its password is swordfish.' });
    const { page, operator } = await open(`/entries/${entry.id}`, 'admin:adminPass');
    await operator.click(page.getByRole('button', { name: 'More' }).first());
    await operator.click(page.getByRole('menuitem', { name: /^Remove content for good/ }));
    const dialog = page.getByRole('dialog', { name: 'Remove content for good' });
    await operator.click(dialog.getByRole('checkbox', { name: 'Text' }));
    await operator.click(dialog.getByLabel('Reason'));
    await operator.write('It showed a password.');
    await operator.click(dialog.getByRole('button', { name: 'Remove for good' }));
    await page.getByText('Removed from all versions').waitFor();
    await finish('Remove the text of an entry for good', operator, { clicks: 5, keystrokes: 0 });
  });

  test('watch a thread', async () => {
    const { page, operator } = await open(`/entries/${trip.id}`);
    await operator.click(page.getByRole('button', { name: 'More' }).first());
    await operator.click(page.getByRole('menuitem', { name: 'Watch this thread', exact: true }));
    await page.getByText('New replies appear in your inbox.').waitFor();
    await finish('Watch the thread of the open entry', operator, { clicks: 2, keystrokes: 0 });
  });

  test('save a search', async () => {
    const { page, operator } = await open(`/?query=${encodeURIComponent('level=Problem')}`);
    await operator.click(page.getByRole('button', { name: 'Save this search' }));
    await page.getByLabel('Name').waitFor();
    await operator.write('Problems');
    await operator.press('Enter');
    await page.getByRole('link', { name: 'Problems' }).waitFor();
    await finish('Save the shown search', operator, { clicks: 1, keystrokes: 1 });
  });

  test('compare two versions of an entry', async () => {
    const entry = await tell(logbook, 0, { title: 'Pump of cell 3 failed', text: 'About 180 A.' });
    for (const source of ['About 182.4 A.', '182.4 A, thermostat opened.']) {
      await logbook.post(`/logs/${entry.id}`, { ...entry, source });
    }
    const { page, operator } = await open(`/entries/${entry.id}`);
    await operator.press('v');
    await operator.click(page.getByRole('button', { name: 'Compare from v1' }));
    await page.getByText('v1 to v3').waitFor();
    await page.locator('.diff-text del', { hasText: '180' }).waitFor();
    await finish('Compare two versions of the open entry', operator, { clicks: 1, keystrokes: 1 });
  });
});
