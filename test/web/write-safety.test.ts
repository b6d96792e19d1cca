import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromium, type Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { freePort } from '../fixtures/free-port.js';
import { withoutTimers } from '../fixtures/held-timers.js';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';
import { storedDrafts } from '../fixtures/stored-drafts.js';
import { chromiumPath, pageTimeoutMs, useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('no text is lost', () => {
  const browser = useBrowser();
  let dataDir: string;
  let env: Record<string, string>;
  let logbook: LogbookProcess;

  beforeEach(async () => {
    dataDir = await makeTempDir();
    env = { LOGBOOK_HTTP_PORT: String(await freePort()) };
    logbook = await LogbookProcess.start(dataDir, { env });
  });
  afterEach(async () => {
    await logbook.stop('SIGKILL');
  });

  const restart = async () => {
    logbook = await LogbookProcess.start(dataDir, { env });
  };
  /** Kills the service when it has stored the first entry, before the page has its answer. */
  const loseFirstAnswer = async (page: Page) => {
    const sent = { attempts: 0 };
    await page.route(/\/logbook\/logs(\?|$)/, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      sent.attempts += 1;
      if (sent.attempts > 1) return route.continue();
      await route.fetch();
      await logbook.stop('SIGKILL');
      return route.abort('connectionreset');
    });
    return sent;
  };
  const titles = async (): Promise<string[]> => {
    const { body } = await call(`${logbook.base}/logs/search?size=100`);
    return body.logs.map(({ title }: { title: string }) => title);
  };
  const open = async (path = '/write') => {
    const client = await browser.open(logbook.origin, { path });
    // Messages about a request that was under way when the service was killed depend on how far it was.
    client.expectConsole('net::ERR_');
    client.expectConsole('WebSocket');
    const draft = new DraftPage(client.page);
    await draft.text.waitFor();
    return { client, draft };
  };

  test('the server is killed while someone types: nothing is lost, and everything continues automatically', async () => {
    const { client, draft } = await open();
    await draft.write('Killed while typing', 'Before the kill.');
    await draft.chooseLogbook();
    await draft.light();
    await logbook.stop('SIGKILL');
    await draft.append(' While it is down.');
    await draft.light('offline');
    await restart();
    await draft.light();
    await draft.send();
    await draft.sent();
    expect(await titles()).toEqual(['Killed while typing']);
    const { body } = await call(`${logbook.base}/logs/1`);
    expect(body.source).toBe('Before the kill. While it is down.');
    await client.expectClean();
    await client.close();
  });

  test('the server is killed after it stored the entry and before it answered: the entry exists once', async () => {
    const { client, draft } = await open();
    const { page } = client;
    await draft.write('Answer lost', 'Once.');
    await draft.chooseLogbook();
    const file = { name: 'limits.txt', mimeType: 'text/plain', buffer: Buffer.from('8 kW') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('ready').waitFor();
    await draft.light();
    // The entry has taken over the draft, and the page asks for its files.
    client.expectConsole('404');
    const sent = await loseFirstAnswer(page);
    await draft.send();
    await page.getByText('1 entry waits to be sent').waitFor();
    await client.expectAccessible();
    await restart();
    await draft.sent();
    expect(sent.attempts).toBeGreaterThan(1);
    expect(await titles()).toEqual(['Answer lost']);
    await expect.poll(async () => (await call(`${logbook.base}/drafts`)).body).toEqual([]);
    await client.expectClean();
    await client.close();
  });

  test('an outage in which nothing is written leaves no draft on the server', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    client.expectConsole('net::ERR_');
    client.expectConsole('WebSocket');
    await page.getByRole('combobox', { name: 'New entry in one line' }).waitFor();
    await logbook.stop('SIGKILL');
    await page.getByText(/Not connected since/).waitFor();
    await restart();
    await expect.poll(() => page.getByText(/Not connected since/).count()).toBe(0);
    // This request comes after those that the end of the outage causes.
    await page.evaluate("fetch('/logbook/me').then(({ ok }) => ok)");
    expect(client.requests.filter((url) => url.includes('/logbook/drafts/'))).toEqual([]);
    expect((await call(`${logbook.base}/drafts`)).body).toEqual([]);
    await client.expectClean();
    await client.close();
  });

  test('what waits to be sent can be opened and changed; it becomes one entry with the last text', async () => {
    const { client, draft } = await open();
    const { page } = client;
    await draft.write('Changed while waiting', 'First text.');
    await draft.chooseLogbook();
    await draft.light();
    await loseFirstAnswer(page);
    await draft.send();
    await page.getByText('1 entry waits to be sent').waitFor();
    await page.getByRole('button', { name: 'Open the text' }).click();
    await draft.append(' And more.');
    await restart();
    await draft.send();
    await draft.sent();
    const { body } = await call(`${logbook.base}/logs/search`);
    expect(body.logs).toHaveLength(1);
    expect(body.logs[0].source).toBe('First text. And more.');
    await client.close();
  });

  test('a reload, and a tab that is closed immediately, keep the last letter', async () => {
    const { client, draft } = await open();
    const { page } = client;
    await draft.write('Reload me', 'abc');
    await page.keyboard.type('d');
    await page.reload();
    await expect.poll(() => draft.text.textContent()).toBe('abcd');
    const { pathname } = new URL(page.url());
    await draft.text.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('e');
    await page.close();
    const again = await browser.open(logbook.origin, { path: pathname, beside: client });
    // The copy that the closed page was sending may have arrived.
    again.expectConsole('412');
    await expect.poll(() => new DraftPage(again.page).text.textContent()).toBe('abcde');
    await again.page.goto(`${logbook.origin}/drafts`);
    // A page that is still closing has the draft open: the next one then continues in a copy.
    await again.page
      .getByRole('link', { name: /Reload me/ })
      .first()
      .waitFor();
    await again.expectAccessible();
    await again.expectClean();
    await client.close();
  });

  test('the browser is killed: the text that it has stored in its database is there again', async () => {
    const profile = await makeTempDir();
    const first = await startChromium(profile);
    const context = first.browser.contexts()[0];
    const page = (await context?.newPage()) ?? (await first.browser.newPage());
    page.setDefaultTimeout(pageTimeoutMs);
    await page.goto(`${logbook.origin}/write`);
    const draft = new DraftPage(page);
    await draft.text.waitFor();
    await draft.write('Killed browser', 'Every letter.');
    await expect.poll(() => page.evaluate(storedDrafts)).toEqual(expect.stringContaining('"Every letter."'));
    const path = new URL(page.url()).pathname;
    const ended = once(first.child, 'exit');
    process.kill(-(first.child.pid ?? 0), 'SIGKILL');
    await ended;
    const second = await startChromium(profile);
    const again = (await second.browser.contexts()[0]?.newPage()) ?? (await second.browser.newPage());
    again.setDefaultTimeout(pageTimeoutMs);
    await again.goto(`${logbook.origin}${path}`);
    await expect.poll(() => new DraftPage(again).text.textContent()).toBe('Every letter.');
    await expect.poll(() => new DraftPage(again).title.inputValue()).toBe('Killed browser');
    process.kill(-(second.child.pid ?? 0), 'SIGKILL');
  });

  test('a session that ends while someone types: they sign in next to the text, and it is sent', async () => {
    const { client, draft } = await open();
    const { page } = client;
    client.expectConsole('401');
    await draft.write('Session over', 'Before.');
    await draft.chooseLogbook();
    await draft.light();
    await page.context().request.post(`${logbook.base}/logout`);
    await draft.append(' After.');
    await page.getByText(/Your session ended at/).waitFor();
    await draft.light('signIn');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog', { name: 'Sign in to send the entry' }).waitFor();
    await client.expectAccessible();
    await client.screenshot('write-sign-in');
    await expect.poll(() => page.getByLabel('User name').inputValue()).toBe('user');
    await page.getByLabel('Password').fill('userPass');
    await page.keyboard.press('Enter');
    await draft.sent();
    const { body } = await call(`${logbook.base}/logs/1`);
    expect(body).toMatchObject({ owner: 'user', source: 'Before. After.' });
    await client.expectClean();
    await client.close();
  });

  test('a discarded draft can be brought back, and is gone otherwise, here and on the server', async () => {
    const { client, draft } = await open();
    const { page } = client;
    await draft.write('Discard me', 'Or not.');
    await draft.light();
    await withoutTimers(page, async () => {
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
    });
    await expect.poll(() => draft.text.textContent()).toBe('Or not.');
    await page.goto(`${logbook.origin}/drafts`);
    await page.getByRole('button', { name: 'Discard: Discard me' }).click();
    await page.getByText('No drafts.').waitFor();
    await client.screenshot('drafts-empty');
    await expect.poll(async () => (await call(`${logbook.base}/drafts`)).body).toEqual([]);
    await client.expectClean();
    await client.close();
  });

  test('undo within five seconds gives the text back, and nothing is stored', async () => {
    const { client, draft } = await open();
    await draft.write('Too early', 'Not yet.');
    await draft.chooseLogbook();
    await withoutTimers(client.page, async () => {
      await draft.send();
      await client.page.keyboard.press('z');
      await expect.poll(() => draft.text.textContent()).toBe('Not yet.');
    });
    await client.page.waitForTimeout(5_500);
    expect(await titles()).toEqual([]);
    await draft.send();
    await draft.sent();
    expect(await titles()).toEqual(['Too early']);
    await client.expectClean();
    await client.close();
  });

  test('leaving the page sends immediately, and no later page sends it again', async () => {
    const { client, draft } = await open();
    await draft.write('Left', 'Gone.');
    await draft.chooseLogbook();
    await draft.light();
    await draft.send();
    await client.screenshot('write-held');
    await client.page.close();
    await expect.poll(titles).toEqual(['Left']);
    const again = await browser.open(logbook.origin, { beside: client });
    await expect.poll(async () => (await call(`${logbook.base}/drafts`)).body).toEqual([]);
    await again.page.waitForTimeout(6_000);
    expect(await titles()).toEqual(['Left']);
    await client.close();
  });
});

interface StartedChromium {
  readonly child: ChildProcess;
  readonly browser: Awaited<ReturnType<typeof chromium.connectOverCDP>>;
}

/** Starts a browser with a profile of its own, as the leader of its process group, so that all of it can be killed. */
async function startChromium(profile: string): Promise<StartedChromium> {
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--remote-debugging-port=0',
    '--no-first-run',
  ];
  const child = spawn(chromiumPath ?? 'chromium', [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  for await (const chunk of child.stderr) {
    output += String(chunk);
    const [, address] = /DevTools listening on (ws:\S+)/.exec(output) ?? [];
    if (address !== undefined) {
      return { child, browser: await chromium.connectOverCDP(address, { timeout: pageTimeoutMs }) };
    }
  }
  throw new Error(`chromium did not start: ${output}`);
}
