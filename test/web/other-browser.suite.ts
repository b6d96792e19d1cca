import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { type DrivenBrowser, type DrivenPage, useDrivenBrowser } from '../fixtures/driven-page.js';
import { freePort } from '../fixtures/free-port.js';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir, TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { tellStory } from '../fixtures/web-story.js';

/** Whether the service worker keeps an answer to this path; the page itself comes last, after its files. */
const hasKept = (path: string) =>
  `caches.match('${path}', { ignoreSearch: true, ignoreVary: true }).then((answer) => answer !== undefined)`;

async function signIn(page: DrivenPage, userName: string, password: string): Promise<void> {
  await page.click('textbox', 'User name');
  await page.type(userName);
  await page.press('Tab');
  await page.type(password);
  await page.press('Enter');
  // The list has replaced the page for signing in.
  await page.shows('Hand-over');
  await page.shows(/\d+ entr/);
}

interface Tested {
  readonly name: string;
  readonly isMissing: boolean;
  readonly start: () => Promise<DrivenBrowser>;
}

/** Tests the main jobs and all pages in a browser. */
export function testBrowserClientIn({ name, isMissing, start }: Tested): void {
  describe.skipIf(isMissing)(`the browser client in ${name}`, () => {
    const browser = useDrivenBrowser(isMissing, start);
    let dataDir: string;
    let env: Record<string, string>;
    let logbook: LogbookProcess;

    beforeAll(async () => {
      dataDir = await makeTempDir();
      env = { LOGBOOK_HTTP_PORT: String(await freePort()) };
      logbook = await LogbookProcess.start(dataDir, { env });
    });
    afterAll(async () => logbook?.stop('SIGKILL'));

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
      await signIn(page, 'user', 'userPass');
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
      await chooseLogbook(page);
      await page.press('Control+Enter');
      await page.shows('1 entry waits to be sent');
      logbook = await LogbookProcess.start(dataDir, { env });
      await expect.poll(newest).toEqual({ title: 'Written offline', source: 'During the outage.' });
    });
  });

  describe.skipIf(isMissing)(`the pages of the browser client in ${name}`, () => {
    const browser = useDrivenBrowser(isMissing, start);
    let logbook: TestService;
    let trip: Entry;

    beforeAll(async () => {
      logbook = await TestService.start({ shifts: shiftsAround() });
      ({ trip } = await tellStory(logbook));
    });
    afterAll(async () => logbook?.stop());

    test('no page fails or breaks its policy', async () => {
      const page = await browser.open(`${logbook.origin}/sign-in`);
      await signIn(page, 'admin', 'adminPass');
      const sections = [
        'logbooks',
        'tags',
        'levels',
        'properties',
        'templates',
        'access',
        'audit',
        'sessions',
        'tokens',
      ];
      for (const [path, awaited] of [
        [`/entries/${trip.id}`, '.doc h1'],
        [`/entries/${trip.id}/history`, '.diff-text'],
        ['/saved', '.saved'],
        ['/drafts', '.void'],
        ['/inbox', '.inbox-choice'],
        ['/hand-over', '.cm-content'],
        ['/wall', '.wall-list li'],
        ['/write', '.cm-content'],
        [`/write?edit=${trip.id}`, '.prose'],
        ...sections.map((section) => [`/administration/${section}`, 'main.section h1'] as const),
      ] as const) {
        await page.goto(`${logbook.origin}${path}`);
        await page.waitFor(awaited);
        expect(await page.text()).not.toContain('stopped working');
      }
      await page.expectClean();
    });
  });
}
