import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { entryForm, TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('writing together', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  const source = 'The supply fell to zero.\n\nNo losses outside cell 3.';
  const create = () => logbook.create({ title: 'Beam lost', level: 'Problem', source });
  /** Opens the page on which a new entry is edited. */
  const editNew = async () => {
    const { id } = await create();
    const client = await browser.open(logbook.origin, { path: `/write?edit=${id}` });
    return { id, client, page: client.page, draft: new DraftPage(client.page) };
  };
  const changeByAdmin = (id: number, fields: object) =>
    logbook.post(
      `/logs/${id}`,
      { title: 'Beam lost', level: 'Problem', logbooks: [{ name: 'operations' }], source, ...fields },
      { as: 'admin:adminPass' },
    );

  test('two people edit one entry: the writer is warned, merges, and no change of either is lost', async () => {
    const { id, client, page, draft } = await editNew();
    await draft.text.waitFor();
    await page.getByRole('radio', { name: 'Urgent' }).click();
    await draft.append(' Card swapped.');
    await changeByAdmin(id, { source: `${source} Card 3 swapped by Karin.`, tags: [{ name: 'alarm' }] });
    await page.getByText(/admin saved it at/).waitFor();
    await client.screenshot('write-stale');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: /^Merge/ }).waitFor();
    await page.getByText('One conflict needs your decision.').waitFor();
    await client.expectAccessible();
    await page.getByRole('radio', { name: /^admin,/ }).press('3');
    await page.getByText('Nothing is left to decide.').waitFor();
    await client.screenshot('merge-light');
    await page.getByRole('textbox', { name: 'Both texts' }).fill('No losses. Card 3 swapped by Karin, stable since.');
    await page.keyboard.press('Control+Enter');
    await draft.sent();
    const { body } = await logbook.get(`/logs/${id}`);
    expect(body).toMatchObject({
      source: 'The supply fell to zero.\n\nNo losses. Card 3 swapped by Karin, stable since.',
      level: 'Urgent',
      tags: [{ name: 'alarm' }],
    });
    expect((await logbook.get(`/logs/archived/${id}`)).body.hitCount).toBe(2);
    await client.expectClean();
    await client.close();
  });

  test('what is decided in a merge survives a reload, and is asked again when the other text changes once more', async () => {
    const { id, client, page, draft } = await editNew();
    await draft.append(' Mine.');
    await draft.light();
    await changeByAdmin(id, { source: `${source} Theirs.` });
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByRole('radio', { name: /^admin,/ }).press('3');
    const both = page.getByRole('textbox', { name: 'Both texts' });
    await both.fill('Put together by hand.');
    await page.getByText('Nothing is left to decide.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Show changes' }).click();
    await expect.poll(() => both.inputValue()).toBe('Put together by hand.');
    await page.getByText('Nothing is left to decide.').waitFor();
    await changeByAdmin(id, { source: `${source} Theirs, corrected.` });
    await page.getByText('One conflict needs your decision.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('radio', { name: /^admin,/ }).press('3');
    await expect.poll(() => both.inputValue()).toContain('Theirs, corrected. Mine.');
    await page.keyboard.press('Control+Enter');
    await draft.sent();
    expect((await logbook.get(`/logs/${id}`)).body.source).toContain('Theirs, corrected. Mine.');
    await client.expectClean();
    await client.close();
  });

  test('an edit in a conflict can be sent as a reply instead', async () => {
    const { id, client, page, draft } = await editNew();
    await draft.append(' Mine.');
    await changeByAdmin(id, { source: `${source} Theirs.` });
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByRole('button', { name: 'Save mine as a reply instead' }).click();
    await page.getByRole('heading', { name: /^Reply to/ }).waitFor();
    await draft.send();
    const replyId = await draft.sent();
    expect((await logbook.get(`/logs/${id}`)).body.source).toBe(`${source} Theirs.`);
    expect((await logbook.get(`/logs/${replyId}`)).body).toMatchObject({
      title: 'Re: Beam lost',
      source: `${source} Mine.`,
    });
    await client.expectClean();
    await client.close();
  });

  test('what someone saves while the page is not live yet is reported once it is', async () => {
    const { id } = await create();
    const client = await browser.open(logbook.origin, { path: '/sign-in' });
    const { page } = client;
    let connect: (() => void) | undefined;
    await page.routeWebSocket(/web-socket/, (socket) => {
      const early: (string | Buffer)[] = [];
      socket.onMessage((message) => early.push(message));
      connect = () => {
        const server = socket.connectToServer();
        socket.onMessage((message) => server.send(message));
        for (const message of early) server.send(message);
      };
    });
    const checked = page.waitForResponse((response) => response.url().endsWith(`/logs/${id}`));
    await page.goto(`${logbook.origin}/write?edit=${id}`);
    await checked;
    const draft = new DraftPage(page);
    await draft.append(' Mine.');
    await draft.light();
    await changeByAdmin(id, { source: `${source} Theirs.` });
    expect(connect).toBeDefined();
    connect?.();
    await page.getByText(/admin saved it at/).waitFor();
    await client.close();
  });

  test('a reply joins the thread of its entry', async () => {
    const { id } = await create();
    const client = await browser.open(logbook.origin, { path: `/write?reply=${id}` });
    const draft = new DraftPage(client.page);
    await draft.text.click();
    await client.page.keyboard.insertText('Seen here too.');
    await draft.send();
    const reply = (await logbook.get(`/logs/${await draft.sent()}`)).body;
    const parent = (await logbook.get(`/logs/${id}`)).body;
    expect(reply.title).toBe('Re: Beam lost');
    expect(reply.properties).toEqual(parent.properties);
    expect(reply.properties).toMatchObject([{ name: 'Log Entry Group' }]);
    await client.expectClean();
    await client.close();
  });

  test('two tabs with one draft show the same text, and a draft that is sent in one is closed in the other', async () => {
    const first = await browser.open(logbook.origin, { path: '/write' });
    const one = new DraftPage(first.page);
    await one.text.waitFor();
    await one.write('Two tabs', 'From the first.');
    await one.chooseLogbook();
    await one.light();
    const second = await browser.open(logbook.origin, { path: new URL(first.page.url()).pathname, beside: first });
    const other = new DraftPage(second.page);
    await expect.poll(() => other.text.textContent()).toBe('From the first.');
    await other.append(' From the second.');
    await first.page.bringToFront();
    await expect.poll(() => one.text.textContent()).toBe('From the first. From the second.');
    await one.send();
    await shownMessage(second.page, /sent or discarded in another tab/);
    await one.sent();
    const { logs } = await logbook.search('title=tabs');
    expect(logs.map((entry) => entry.source)).toEqual(['From the first. From the second.']);
    await first.expectClean();
    await second.expectClean();
    await first.close();
  });

  test('after a reply was sent in one tab, another tab begins the next reply, under another id', async () => {
    const { id } = await create();
    const first = await browser.open(logbook.origin, { path: `/write?reply=${id}` });
    const draft = new DraftPage(first.page);
    await draft.text.click();
    await first.page.keyboard.insertText('Seen here too.');
    // A reply with another title is continued on the page for writing.
    await draft.title.fill('Beam lost again');
    await draft.light();
    const { pathname } = new URL(first.page.url());
    const second = await browser.open(logbook.origin, { path: `/entries/${id}`, beside: first });
    const { page } = second;
    await page.getByRole('button', { name: 'Continue your reply' }).waitFor();
    await first.page.bringToFront();
    await draft.send();
    await draft.sent();
    await page.bringToFront();
    await page.getByRole('button', { name: 'Write a reply…' }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('region', { name: `Reply to #${id}` }).waitFor();
    // An address that is older than the sending.
    await page.goto(`${logbook.origin}${pathname}?reply=${id}`);
    await page.getByRole('heading', { name: `Reply to #${id}` }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/write\/./);
    expect(new URL(page.url()).pathname).not.toBe(pathname);
    await second.expectClean();
    await first.close();
  });

  test('two machines with one draft: neither text overwrites the other', async () => {
    const first = await browser.open(logbook.origin, { path: '/write' });
    const one = new DraftPage(first.page);
    await one.text.waitFor();
    await one.write('Two machines', 'Shared.');
    await one.light();
    const { pathname } = new URL(first.page.url());
    const second = await browser.open(logbook.origin, { path: pathname });
    const other = new DraftPage(second.page);
    await expect.poll(() => other.text.textContent()).toBe('Shared.');
    await other.append(' Second.');
    const stored = async () => (await logbook.get(pathname.replace('/write', '/drafts'))).body.content.text;
    await expect.poll(stored).toBe('Shared. Second.');
    await other.light();
    first.expectConsole('412');
    await one.append(' First.');
    await shownMessage(first.page, /Your text continues here as a draft of its own/);
    await one.light();
    expect(new URL(first.page.url()).pathname).not.toBe(pathname);
    const drafts = (await logbook.get('/drafts')).body as { id: string; title: string }[];
    const texts = await Promise.all(
      drafts
        .filter(({ title }) => title === 'Two machines')
        .map(async ({ id }) => (await logbook.get(`/drafts/${id}`)).body.content.text),
    );
    expect(texts.sort()).toEqual(['Shared. First.', 'Shared. Second.']);
    await first.close();
    await second.close();
  });

  test('a version is restored as a new one, with its files; what someone saves in the meantime is merged', async () => {
    const file = { name: 'rack.txt', content: 'card 3' };
    const fields = {
      title: 'Pump off',
      level: 'Problem',
      logbooks: [{ name: 'operations' }],
      source: 'First.\n\nSecond.',
    };
    // The id of an attachment is given once, also when this test is repeated.
    const attachmentId = randomUUID();
    const attachments = [{ id: attachmentId, filename: file.name }];
    const { id } = (await logbook.sendForm('PUT', { ...fields, attachments }, [file])).body;
    const second = { id, ...fields, level: 'Info', source: 'First, changed.\n\nSecond.', attachments: [] };
    expect((await logbook.sendForm('POST', second, [])).body.attachments).toEqual([]);
    const client = await browser.open(logbook.origin, { path: `/entries/${id}/history` });
    const { page } = client;
    await page.getByRole('button', { name: 'Restore v1 as a new version' }).focus();
    await client.screenshot('history-restore');
    await client.expectAccessible();
    await page.keyboard.press('Enter');
    const draft = new DraftPage(page);
    await shownMessage(page, /This is version 1/);
    await expect.poll(() => draft.text.textContent()).toBe('First.Second.');
    await expect.poll(() => page.getByRole('radio', { name: 'Problem' }).isChecked()).toBe(true);
    await page.getByText('rack.txt').waitFor();
    await draft.light();
    await client.screenshot('write-restored');
    await client.expectAccessible();
    // Kept like any draft.
    await page.reload();
    await expect.poll(() => draft.text.textContent()).toBe('First.Second.');
    const third = { id, ...fields, level: 'Info', source: 'First, changed.\n\nSecond, by Karin.', attachments: [] };
    await logbook.call('/logs/multipart', { method: 'POST', as: 'admin:adminPass', body: entryForm(third, []) });
    await page.getByText(/admin saved it at/).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Nothing is left to decide.').waitFor();
    await page.keyboard.press('Control+Enter');
    await draft.sent();
    // Back where one was, with the version that was made of it.
    await page.getByText('v3 to v4').waitFor();
    const { body } = await logbook.get(`/logs/${id}`);
    expect(body).toMatchObject({ level: 'Problem', source: 'First.\n\nSecond, by Karin.', version: 4 });
    expect(body.attachments).toMatchObject([{ id: attachmentId }]);
    expect((await logbook.get(`/logs/archived/${id}`)).body.hitCount).toBe(3);
    await client.expectClean();
    await client.close();
  });
});
