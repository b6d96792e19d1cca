import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { forgetMessages, shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('the line above the list', () => {
  const browser = useBrowser();
  let logbook: TestService;
  let client: WebClientPage;

  beforeAll(async () => {
    logbook = await TestService.start();
    await logbook.create({ title: 'Cavity 2 tripped', source: 'On reflected power.' });
  });
  afterAll(async () => logbook?.stop());

  const open = async () => {
    client = await browser.open(logbook.origin);
    await client.page.locator('.entry-row').first().waitFor();
    return client.page;
  };
  const line = () => client.page.getByRole('combobox', { name: 'New entry in one line' });
  /** Waits until an entry was sent; returns its id. */
  const sent = async () => Number(/#(\d+)/.exec(await shownMessage(client.page, /#\d+ created/))?.[1]);
  const close = async () => {
    await client.expectClean();
    await client.close();
  };

  test('text typed for the line before its code is loaded goes into it', async () => {
    const page = await open();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/assets\/line-composer-[^/]+\.js$/, async (route) => {
      await released;
      await route.continue();
    });
    await page.reload();
    await page.locator('.entry-row').first().waitFor();
    await page.keyboard.press('w');
    await page.keyboard.type('Next time');
    release();
    await expect.poll(() => line().inputValue()).toBe('Next time');
    // The focus stays with it.
    await page.keyboard.type('!');
    await expect.poll(() => line().inputValue()).toBe('Next time!');
    await line().fill('');
    await close();
  });

  test('an Enter that confirms a word of an input method, or that is held down, posts nothing', async () => {
    await open();
    await line().fill('ポンプ @operations');
    // Safari sends this key after the word.
    await line().dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
    await line().dispatchEvent('keydown', { key: 'Enter', repeat: true });
    await client.drawn();
    expect(await line().inputValue()).toBe('ポンプ @operations');
    await line().fill('');
    await close();
  });

  test('Enter posts the words as they were typed, unless the arrow keys have marked a name', async () => {
    const page = await open();
    await forgetMessages(page);
    await line().pressSequentially('@operations Pump 2 #ala');
    const option = page.getByRole('option', { name: '#alarm' });
    await option.waitFor();
    await line().press('Enter');
    expect((await logbook.get(`/logs/${await sent()}`)).body).toMatchObject({ title: 'Pump 2 #ala', tags: [] });
    await line().pressSequentially('Pump 3 #ala');
    await option.waitFor();
    await line().press('ArrowDown');
    await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
    await line().press('Enter');
    expect(await line().inputValue()).toBe('Pump 3 #alarm ');
    await line().fill('');
    await close();
  });

  test('a line that was emptied leaves no draft behind, here or on the server', async () => {
    const as = 'admin:adminPass';
    client = await browser.open(logbook.origin, { as });
    const onServer = async () => (await logbook.get('/drafts', { as })).body;
    await line().fill('Nothing after all');
    await expect.poll(onServer).toHaveLength(1);
    await line().fill('');
    await client.page.getByRole('link', { name: 'Drafts' }).first().click();
    await client.page.getByText('No drafts.').waitFor();
    await expect.poll(onServer).toEqual([]);
    await close();
  });

  test('the button posts the line, and the field keeps the focus', async () => {
    const page = await open();
    await line().fill('Valve 7 closed @operations');
    await forgetMessages(page);
    await page.getByRole('button', { name: 'Post' }).click();
    await expect.poll(() => line().inputValue()).toBe('');
    expect(await page.evaluate('document.activeElement.matches(".line-composer input")')).toBe(true);
    expect((await logbook.get(`/logs/${await sent()}`)).body).toMatchObject({ title: 'Valve 7 closed' });
    await close();
  });

  test('lines that are posted after the session has ended wait for their author', async () => {
    const page = await open();
    client.expectConsole('401');
    const note = page.locator('[data-outbox="signIn"]');
    await line().fill('First @operations');
    await client.context.clearCookies();
    // The page notices the end of the session when it sends the first line.
    for (const title of ['First', 'Second', 'Third']) {
      await line().fill(`${title} @operations`);
      await line().press('Enter');
      await note.getByText(`“${title}” is kept in this browser and goes out when user is signed in.`).waitFor();
    }
    await client.context.request.post(`${logbook.origin}/logbook/login`, {
      data: { username: 'user', password: 'userPass' },
    });
    await page.reload();
    for (const title of ['First', 'Second', 'Third']) {
      await expect
        .poll(async () => (await logbook.get(`/logs/search?title=${title}`)).body.logs)
        .toEqual([expect.objectContaining({ title, owner: 'user' })]);
    }
    await close();
  });

  test('a text that another tab has added to the line stays when the line continues in the full editor', async () => {
    const page = await open();
    await line().fill('Shared @operations');
    const first = client;
    const second = await browser.open(logbook.origin, { path: '/drafts', beside: first });
    await second.page.getByText('Shared', { exact: true }).click();
    const draft = new DraftPage(second.page);
    await draft.append('From the other tab.');
    await draft.light();
    await line().press('Shift+Enter');
    await expect.poll(() => new DraftPage(page).text.innerText()).toBe('From the other tab.');
    // It replaces what the other tab has stored on the server, and is not a second draft.
    await new DraftPage(page).light();
    const drafts: { readonly title: string }[] = (await logbook.get('/drafts')).body;
    expect(drafts.filter(({ title }) => title === 'Shared')).toHaveLength(1);
    await page.getByRole('button', { name: 'Discard' }).click();
    await second.page.close();
    await close();
  });

  test('on a phone, a message that fits stays on one line', async () => {
    client = await browser.open(logbook.origin, { width: 390, height: 844, locale: 'de-DE' });
    const { page } = client;
    await page.locator('.entry-row').first().waitFor();
    // The message stays.
    await client.stopTimers(6_000);
    await page.getByRole('combobox', { name: 'Neuer Eintrag in einer Zeile' }).fill('Kurz @operations');
    await page.keyboard.press('Enter');
    const text = page.locator('.toast .grow', { hasText: 'angelegt' });
    await text.waitFor();
    const lines = await page.evaluate(`(() => {
      const text = document.querySelector('.toast .grow');
      return Math.round(text.clientHeight / Number.parseFloat(getComputedStyle(text).lineHeight));
    })()`);
    expect(lines).toBe(1);
    await close();
  });
});
