import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aSignal } from '../fixtures/a-signal.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { withoutTimers } from '../fixtures/held-timers.js';
import { TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

/** Requests of a page that are held until they are released. */
interface HeldRequests {
  /** Resolves when the first one has been held. */
  readonly arrived: Promise<void>;
  readonly release: () => void;
}

describe.skipIf(withoutBrowser)('a text that is opened again', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  const open = async () => {
    const client = await browser.open(logbook.origin);
    await client.page.goto(`${client.origin}/write`);
    const draft = new DraftPage(client.page);
    await draft.text.waitFor();
    return { client, page: client.page, draft };
  };
  const sources = async (title: string): Promise<string[]> =>
    (await logbook.search(`title=${title}`)).logs.map(({ source }) => source);
  /** Holds the answers to requests of this kind; the service has performed them. */
  const holdAnswers = async ({ page }: WebClientPage, method: string, path: RegExp): Promise<HeldRequests> => {
    const arrived = aSignal();
    const goOn = aSignal();
    await page.route(path, async (route) => {
      if (route.request().method() !== method) return route.continue();
      const response = await route.fetch();
      arrived.resolve();
      await goOn.promise;
      return route.fulfill({ response });
    });
    return { arrived: arrived.promise, release: goOn.resolve };
  };

  test('one that was discarded by mistake is a draft again, and can be sent', async () => {
    const { client, page, draft } = await open();
    await draft.write('Discarded', 'Before.');
    await draft.chooseLogbook();
    await draft.light();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.goBack();
    await draft.text.waitFor();
    // While the first message is still shown.
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/write'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await draft.append(' After.');
    await draft.light();
    expect(await page.getByText(/continues here as a draft of its own/).count()).toBe(0);
    await draft.send();
    await draft.sent();
    expect(await sources('Discarded')).toEqual(['Before. After.']);
    await client.close();
  });

  test('one that is changed and sent again before the first answer becomes one entry with the last text', async () => {
    const { client, page, draft } = await open();
    await draft.write('Resent', 'Before.');
    await draft.chooseLogbook();
    await draft.light();
    const first = await holdAnswers(client, 'PUT', /\/logbook\/logs\?/);
    await draft.send();
    await first.arrived;
    await page.getByRole('button', { name: 'Undo' }).click();
    await draft.append(' After.');
    await draft.light();
    await draft.send();
    first.release();
    await expect.poll(() => sources('Resent')).toEqual(['Before. After.']);
    await client.close();
  });

  test('one with a file, whose answer was lost, is changed and becomes one entry with the last text and the file', async () => {
    const { client, page, draft } = await open();
    client.expectConsole('ERR_FAILED');
    const file = { name: 'scope.txt', mimeType: 'text/plain', buffer: Buffer.from('trace') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('ready').waitFor();
    await draft.write('Lost', 'Before.');
    await draft.chooseLogbook();
    await draft.light();
    const { pathname } = new URL(page.url());
    const lost = aSignal();
    let answers = 0;
    await page.route(/\/logbook\/logs\?/, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      const response = await route.fetch();
      if (answers++ > 0) return route.fulfill({ response });
      await lost.promise;
      return route.abort();
    });
    await draft.send();
    await expect.poll(() => sources('Lost')).toEqual(['Before.']);
    // The draft has become the entry, and is not stored again before the text is sent.
    await page.route(/\/logbook\/drafts\//, (route) =>
      route.request().method() === 'PUT' && !route.request().url().includes('/attachments/')
        ? route.abort()
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    lost.resolve();
    await draft.append(' After.');
    await draft.send();
    await page.unroute(/\/logbook\/drafts\//);
    await expect.poll(() => sources('Lost')).toEqual(['Before. After.']);
    const [entry] = (await logbook.search('title=Lost')).logs;
    expect(entry?.attachments.map(({ filename }) => filename)).toEqual(['scope.txt']);
    await expect.poll(async () => (await logbook.get(pathname.replace('/write', '/drafts'))).status).toBe(404);
    await client.close();
  });

  test('one that became an entry which its sender may no longer read is gone, and is not offered to be sent again', async () => {
    const { client, page, draft } = await open();
    client.expectConsole('403');
    const message =
      'Entry 7 was stored when this request was sent the first time. You are no longer allowed to read it.';
    const json = { code: 'entry.stored-unreadable', message };
    await page.route(/\/logbook\/logs(\?|$)/, (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 403, json }) : route.continue(),
    );
    await draft.write('Closed since', 'Only once.');
    await draft.chooseLogbook();
    await draft.light();
    const { pathname } = new URL(page.url());
    await draft.send();
    await shownMessage(page, /no longer allowed to read it/);
    expect(await page.getByText('could not be sent').count()).toBe(0);
    await expect.poll(async () => (await logbook.get(pathname.replace('/write', '/drafts'))).status).toBe(404);
    await client.close();
  });

  test('one that is taken back is not sent by another tab that was closed before', async () => {
    const { client, page, draft } = await open();
    const other = await browser.open(logbook.origin, { beside: client });
    await draft.write('TakenBack', 'Not yet.');
    await draft.chooseLogbook();
    await draft.light();
    await withoutTimers(page, async () => {
      await draft.send();
      // The other tab knows that the entry waits.
      await other.page.getByRole('button', { name: 'Undo' }).waitFor();
      await other.page.close();
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => draft.text.textContent()).toBe('Not yet.');
    });
    await draft.append(' Now.');
    await draft.light();
    expect(await sources('TakenBack')).toEqual([]);
    await draft.send();
    await draft.sent();
    expect(await sources('TakenBack')).toEqual(['Not yet. Now.']);
    await client.close();
  });
});
