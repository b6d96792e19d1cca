import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { type DrivenBrowser, type DrivenPage, useDrivenBrowser } from '../fixtures/driven-page.js';
import { freePort } from '../fixtures/free-port.js';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';
import { storedDrafts } from '../fixtures/stored-drafts.js';

/** Whether the service worker keeps an answer to this path; the page itself comes last, after its files. */
const hasKept = (path: string) =>
  `caches.match('${path}', { ignoreSearch: true, ignoreVary: true }).then((answer) => answer !== undefined)`;

/** Text of the editor. */
const written = `document.querySelector('.cm-content')?.innerText ?? ''`;

export interface TestedBrowser {
  readonly name: string;
  readonly isMissing: boolean;
  readonly start: () => Promise<DrivenBrowser>;
  /** Whether its driver prints no pages, and ends with the process of a page. */
  readonly isLimited: boolean;
}

/** Returns how often a test is tried: the limited driver sometimes never answers. */
export const attemptsIn = (isLimited: boolean) => (isLimited ? { retry: 2, timeout: 240_000 } : {});

/** Tests the main jobs in a browser. */
export function testMainJobsIn({ name, isMissing, start, isLimited }: TestedBrowser): void {
  describe.skipIf(isMissing)(`the browser client in ${name}`, attemptsIn(isLimited), () => {
    const browser = useDrivenBrowser(isMissing, start);
    let dataDir: string;
    let env: Record<string, string>;
    let logbook: LogbookProcess;

    beforeEach(async () => {
      dataDir = await makeTempDir();
      env = { LOGBOOK_HTTP_PORT: String(await freePort()) };
      logbook = await LogbookProcess.start(dataDir, { env });
    });
    afterEach(async () => logbook?.stop('SIGKILL'));

    const entries = async (): Promise<Entry[]> => (await call(`${logbook.base}/logs`)).body;
    const newest = async () => {
      const [entry] = await entries();
      return entry && { title: entry.title, source: entry.source };
    };
    const create = async (title: string, source: string) => {
      const json = { title, source, logbooks: [{ name: 'operations' }] };
      expect((await call(`${logbook.base}/logs`, { method: 'PUT', json })).status).toBe(200);
    };
    const open = async (): Promise<DrivenPage> => {
      const page = await browser.open(`${logbook.origin}/sign-in`);
      await page.signIn('user', 'userPass');
      return page;
    };
    const chooseLogbook = async (page: DrivenPage) => {
      await page.click('combobox', 'Logbooks');
      await page.type('operations');
      await page.waitFor('[role="option"]');
      await page.press('Enter');
    };

    test('sign in, write an entry and reply to it, with the keyboard', async () => {
      const page = await open();
      await page.press('c');
      // The editor is loaded only now: what was typed before that is for its title.
      await page.type('Etching stopped');
      await page.click('textbox', 'Text in Markdown');
      await page.type('Pump 4 is **hot**.');
      await chooseLogbook(page);
      await page.press('Control+Enter');
      await expect.poll(newest).toEqual({ title: 'Etching stopped', source: 'Pump 4 is **hot**.' });

      await page.waitFor('.entry-row');
      await page.press('j');
      await page.waitFor('.doc strong');
      await page.press('r');
      await page.type('It is cold again.');
      await page.press('Control+Enter');
      await expect.poll(newest).toMatchObject({ source: 'It is cold again.' });
      await page.expectClean();
    });

    test('an entry of another client appears without a reload, and is found by its words', async () => {
      const page = await open();
      await create('Kicker misfired', 'The thyratron was replaced.');
      await page.shows('Kicker misfired');
      await page.press('/');
      await page.type('thyratron');
      await page.press('Enter');
      await page.shows(/1 entry/);
      await page.expectClean();
    });

    test('while the service is down, a reload shows what was read, and an entry is written and sent later', async () => {
      const page = await open();
      await create('Beam lost', 'At 03:12.');
      await page.shows('Beam lost');
      await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
      await page.reload();
      await page.shows('Beam lost');
      for (const path of ['/', '/logbook/logs/search', '/logbook/bootstrap', '/logbook/me']) {
        await expect.poll(() => page.evaluate(hasKept(path)), { message: path }).toBe(true);
      }
      await logbook.stop('SIGKILL');
      await page.shows(/Not connected since \d\d:\d\d/);
      await page.reload();
      await page.shows('Beam lost');
      await page.press('c');
      await page.type('Written offline');
      await page.click('textbox', 'Text in Markdown');
      await page.type('During the outage.');
      await page.waitFor('[data-light="offline"]');
      await page.reload();
      await expect.poll(() => page.evaluate(written)).toContain('During the outage.');
      await chooseLogbook(page);
      await page.press('Control+Enter');
      await page.shows('1 entry waits to be sent');
      logbook = await LogbookProcess.start(dataDir, { env });
      await expect.poll(newest).toEqual({ title: 'Written offline', source: 'During the outage.' });
    });

    test('the service is killed while someone types: nothing is lost, and everything continues automatically', async () => {
      const page = await open();
      await page.press('c');
      await page.type('Killed while typing');
      await page.click('textbox', 'Text in Markdown');
      await page.type('Before the kill.');
      await chooseLogbook(page);
      await page.waitFor('[data-light="both"]');
      await logbook.stop('SIGKILL');
      await page.click('textbox', 'Text in Markdown');
      await page.press('Control+End');
      await page.type(' While it is down.');
      await page.waitFor('[data-light="offline"]');
      logbook = await LogbookProcess.start(dataDir, { env });
      await page.waitFor('[data-light="both"]');
      await page.press('Control+Enter');
      await expect.poll(newest).toEqual({
        title: 'Killed while typing',
        source: 'Before the kill. While it is down.',
      });
    });

    test.skipIf(isLimited)('the browser is killed: what it has stored of the text is there again', async () => {
      const { started } = browser;
      const page = await browser.open(`${logbook.origin}/write`, () => started().openKept());
      await page.click('textbox', 'Title');
      await page.type('Killed browser');
      await page.click('textbox', 'Text in Markdown');
      await page.type('Every letter.');
      await expect.poll(() => page.evaluate(storedDrafts)).toContain('"Every letter."');
      const address = await page.evaluate<string>('location.href');
      const again = await browser.open(address, () => started().crash());
      await expect.poll(() => again.evaluate(written)).toContain('Every letter.');
      expect(
        await again.evaluate(`[...document.querySelectorAll('input')].some(({ value }) => value === 'Killed browser')`),
      ).toBe(true);
      await again.expectClean();
    });
  });
}
