import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { withoutTimers } from '../fixtures/held-timers.js';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';
import { tripPlot } from '../fixtures/web-story.js';

const admin = 'admin:adminPass';

/** Holds back what the browser reads from its database, until `releaseReads`. */
const holdReads = `{
  const { get } = IDBObjectStore.prototype;
  const held = [];
  let isHolding = true;
  IDBObjectStore.prototype.get = function (...args) {
    const request = get.apply(this, args);
    if (this.transaction.mode !== 'readonly') return request;
    request.addEventListener('success', (event) => {
      if (!isHolding) return;
      event.stopImmediatePropagation();
      held.push(request);
    });
    return request;
  };
  window.releaseReads = () => {
    isHolding = false;
    for (const request of held) request.dispatchEvent(new Event('success'));
  };
}`;

describe.skipIf(withoutBrowser)('the hand-over of a shift', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start({ shifts: shiftsAround() });
  });
  afterAll(async () => logbook?.stop());

  test('written from what happened, kept through a reload, sent, shown above the list, and acknowledged by another', async () => {
    const own = await TestService.start({ shifts: shiftsAround() });
    const answered = await own.create({ title: 'Beam lost', level: 'Urgent' });
    await own.create({ title: 'Re' }, `?inReplyTo=${answered.id}`);
    const open = await own.create({ title: 'RF cavity 2: *reflected* power', level: 'Problem' });
    const client = await browser.open(own.origin, { path: '/hand-over' });
    const { page } = client;
    // The server has no draft of it yet.
    client.expectConsole('/drafts/');
    await page.getByText('Without an answer, 1').first().waitFor();
    const text = page.getByRole('textbox', { name: 'For the next shift' });
    await text.waitFor();
    const written = () => text.innerText();
    await expect.poll(written).toContain('In this shift: 1 Urgent, 1 Problem, 1 Info.');
    await expect.poll(written).toContain(`[RF cavity 2: \\*reflected\\* power](/entries/${open.id})`);
    await client.expectAccessible();
    await text.press('Control+End');
    await page.keyboard.type('Watch cavity 2.');
    await page
      .getByText(/Draft saved|Saved in this browser/)
      .first()
      .waitFor();
    await client.screenshot('hand-over-write');
    await page.reload();
    await text.waitFor();
    await expect.poll(written).toContain('Watch cavity 2.');
    await page.getByRole('button', { name: 'Hand over the shift' }).click();
    await shownMessage(page, /Undo/);
    await page.getByText('Handed over', { exact: true }).waitFor();
    await client.expectClean();
    await client.close();

    const next = await browser.open(own.origin, { as: admin });
    await next.page.getByText(/handed over by user/).waitFor();
    await next.expectAccessible();
    await next.screenshot('hand-over-open');
    await next.page.getByRole('link', { name: 'Read' }).click();
    await next.page.getByText('Watch cavity 2.').waitFor();
    await next.expectAccessible();
    await next.screenshot('hand-over-read');
    await next.page.getByRole('button', { name: 'I have taken over' }).click();
    await next.page.getByText('took over').waitFor();
    await next.screenshot('hand-over-acknowledged');
    const { logs } = await own.search('properties=Hand-over.acknowledges');
    const [reply] = logs as [Entry];
    expect(reply).toMatchObject({ owner: 'admin' });
    const valuesOf = ({ properties }: Entry) =>
      Object.fromEntries(
        (properties.find(({ name }) => name === 'Hand-over')?.attributes ?? []).map(({ name, value }) => [name, value]),
      );
    const [handOver] = (await own.search('properties=Hand-over.shift')).logs as [Entry];
    expect(valuesOf(reply)).toEqual({ acknowledges: String(handOver.id), acknowledgedBy: 'admin' });
    expect(valuesOf(handOver)).toMatchObject({ shift: 'Early' });
    const listed = next.answered(/properties=Hand-over/);
    await next.page.goto(own.origin);
    await listed;
    await next.drawn();
    await expect.poll(() => next.page.getByText(/handed over by user/).count()).toBe(0);
    await next.expectClean();
    await next.close();
    await own.stop();
  });

  test('the text is in view and is typed into first, with four unanswered entries above it; its author has handed over', async () => {
    const own = await TestService.start({ shifts: shiftsAround() });
    for (let at = 1; at <= 9; at += 1) await own.create({ title: `Pump ${at} leaks`, level: 'Problem' });
    const client = await browser.open(own.origin, { path: '/hand-over' });
    const { page } = client;
    client.expectConsole('/drafts/');
    const text = page.getByRole('textbox', { name: 'For the next shift' });
    await text.waitFor();
    await expect.poll(() => text.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.keyboard.type('Watch pump 9.');
    await expect.poll(() => text.innerText()).toMatch(/- Watch pump 9\.$/);
    const open = page.locator('.unanswered li');
    expect(await open.count()).toBe(4);
    const box = await page.locator('.hand-over-text .box').boundingBox();
    expect(box?.y).toBeLessThan(560);
    await client.screenshot('hand-over-many');
    await page.getByRole('button', { name: '5 more' }).click();
    await expect.poll(() => open.count()).toBe(9);
    await expect
      .poll(() => page.locator('.unanswered li:nth-child(5) a').evaluate((one) => one.matches(':focus')))
      .toBe(true);
    await page.getByRole('button', { name: 'Hand over the shift' }).click();
    await page.getByText('Handed over', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'I have taken over' }).count()).toBe(0);
    await client.screenshot('hand-over-handed-over');
    await page.goto(own.origin);
    await page.getByText('handed over by user').waitFor();
    expect(await page.getByRole('button', { name: 'I have taken over' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Read' }).click();
    // One account of a console may be used by both shifts.
    await page.getByRole('button', { name: 'I take over myself' }).click();
    await page.getByText('took over').waitFor();
    await client.expectClean();
    await client.close();
    await own.stop();
  });

  test('a shift without entries is handed over in the logbook that was used last', async () => {
    const own = await TestService.start({ shifts: shiftsAround() });
    const client = await browser.open(own.origin, { path: '/write' });
    const draft = new DraftPage(client.page);
    await draft.write('Magnets on', 'All of them.');
    await draft.chooseLogbook('operations');
    await draft.send();
    await draft.sent();
    await client.page.goto(`${own.origin}/hand-over?shift=${Date.now() - 3 * 86_400_000}`);
    await expect.poll(() => client.page.getByLabel('Written to').inputValue()).toBe('operations');
    await client.close();
    await own.stop();
  });

  test('a hand-over that was taken back continues as a draft; one that was sent is not a draft, however slow the network is', async () => {
    const own = await TestService.start({ shifts: shiftsAround() });
    const client = await browser.open(own.origin, { path: '/hand-over' });
    const { page } = client;
    const text = page.getByRole('textbox', { name: 'For the next shift' });
    const send = page.getByRole('button', { name: 'Hand over the shift' });
    await text.press('Control+End');
    await page.keyboard.type('Watch cavity 2.');
    await withoutTimers(page, async () => {
      await send.click();
      // A slow disk: the draft is read only after the first keys.
      await page.evaluate(holdReads);
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
    });
    await text.press('Control+End');
    await page.keyboard.type(' And');
    await page.evaluate('window.releaseReads()');
    await page.keyboard.type(' 3');
    await new DraftPage(page).light();
    // The page learns late that the hand-over exists.
    await page.route(/\/logs\/search\?properties=Hand-over/, async (route) => {
      await new Promise((done) => setTimeout(done, 4_000));
      await route.continue();
    });
    // Sent before the server has the last letter.
    await page.keyboard.type('.');
    await send.click();
    await page.getByText('Handed over', { exact: true }).waitFor();
    const { logs } = await own.search('properties=Hand-over.shift');
    expect(logs).toHaveLength(1);
    expect(logs[0]?.source).toContain('Watch cavity 2. And 3.');
    // A copy that was on its way when the entry was created is removed.
    await expect.poll(async () => (await own.get('/drafts')).body).toEqual([]);
    await client.close();
    await own.stop();
  });

  test('a computer whose clock is wrong shows the shift of the service, and its hand-over does not hide later ones', async () => {
    const right = await browser.open(logbook.origin, { path: '/hand-over', as: admin });
    const shift = await right.page.getByRole('heading', { level: 1 }).innerText();
    await right.close();
    const wrong = await browser.open(logbook.origin, { path: '/wall', as: admin });
    await wrong.page.clock.setFixedTime(Date.now() + 400 * 86_400_000);
    await wrong.page.goto(`${logbook.origin}/hand-over`);
    await wrong.page.getByRole('button', { name: 'Hand over the shift' }).waitFor();
    await expect.poll(() => wrong.page.getByRole('heading', { level: 1 }).innerText()).toBe(shift);
    await wrong.close();

    const own = await TestService.start({ shifts: shiftsAround() });
    const day = 86_400_000;
    const handedOver = (title: string, fromMs: number) => {
      const times = { shift: title, from: new Date(fromMs).toISOString(), to: new Date(fromMs + day).toISOString() };
      const attributes = Object.entries(times).map(([name, value]) => ({ name, value }));
      return own.create({ title, properties: [{ name: 'Hand-over', attributes }] });
    };
    await handedOver('Of the future', Date.now() + 400 * day);
    await handedOver('Of today', Date.now() - day / 4);
    const next = await browser.open(own.origin, { as: admin });
    await next.page.getByText('Of today shift: handed over by user').waitFor();
    // A late hand-over does not hide that of the present shift, and is not hidden by it.
    await handedOver('Of yesterday', Date.now() - 1.25 * day);
    await next.page.reload();
    for (const name of ['Of today', 'Of yesterday']) {
      await next.page.getByText(`${name} shift: handed over by user`).waitFor();
    }
    await next.close();
    await own.stop();
  });

  test('an address with an invalid time shows the present shift', async () => {
    for (const shift of ['yesterday', '99999999999999999']) {
      const client = await browser.open(logbook.origin, { path: `/hand-over?shift=${shift}`, as: admin });
      await client.page.getByRole('heading', { level: 1, name: /Early shift/ }).waitFor();
      await client.expectClean();
      await client.close();
    }
  });

  test('two control rooms hand over the same shift: both are shown, and each is acknowledged', async () => {
    const now = new Date();
    const own = await TestService.start({ shifts: shiftsAround(now) });
    const from = new Date(now);
    from.setUTCHours(from.getUTCHours() - 6, 0, 0, 0);
    const times = {
      shift: 'Early',
      from: from.toISOString(),
      to: new Date(from.getTime() + 12 * 3_600_000).toISOString(),
    };
    const properties = [
      { name: 'Hand-over', attributes: Object.entries(times).map(([name, value]) => ({ name, value })) },
    ];
    await own.create({ title: 'Linac', source: 'Of the linac', properties });
    await own.create({ title: 'Ring', source: 'Of the ring', properties }, '', { as: admin });
    const client = await browser.open(own.origin, { as: admin });
    const { page } = client;
    await page.getByText('handed over by admin').waitFor();
    const ofUser = page.getByRole('region', { name: 'Hand over' }).filter({ hasText: 'handed over by user' });
    await ofUser.getByRole('link', { name: 'Read' }).click();
    await page.getByText('Of the linac').waitFor();
    await client.expectAccessible();
    await page.getByRole('button', { name: 'I have taken over' }).click();
    await page.getByText('took over').waitFor();
    await expect.poll(() => page.getByText('Of the linac').count()).toBe(1);
    const others = page.getByRole('region', { name: 'Other hand-overs of this shift' });
    await others.getByRole('link', { name: 'admin' }).click();
    await page.getByText('Of the ring').waitFor();
    await page.getByText('Handed over', { exact: true }).waitFor();
    await client.screenshot('hand-over-two');
    // Writing another one is not ended by hand-overs of others in the meantime.
    await page.getByRole('button', { name: 'Hand over this shift too' }).click();
    const text = page.getByRole('textbox', { name: 'For the next shift' });
    await text.press('Control+End');
    await page.keyboard.type('Of the injector.');
    await own.create({ title: 'Injector', source: 'Of another', properties });
    // The page reads shown data again when the network is back.
    await page.evaluate("for (const type of ['offline', 'online']) window.dispatchEvent(new Event(type))");
    await page.getByRole('link', { name: 'user' }).nth(1).waitFor();
    await expect.poll(() => text.innerText()).toContain('Of the injector.');
    await page.getByRole('button', { name: 'Hand over the shift' }).click();
    await page.getByText('Handed over', { exact: true }).waitFor();
    await page.getByText('Of the injector.').waitFor();
    await client.expectClean();
    await client.close();
    await own.stop();
  });

  test('the text is previewed, and a picture and a file are handed over with it', async () => {
    const own = await TestService.start({ shifts: shiftsAround() });
    const client = await browser.open(own.origin, { path: '/hand-over' });
    const { page } = client;
    client.expectConsole('/drafts/');
    const text = page.getByRole('textbox', { name: 'For the next shift' });
    await text.press('Control+End');
    await page.keyboard.type('Watch **cavity 2**.');
    await page.locator('input[type=file]').setInputFiles([
      { name: 'plot.png', mimeType: 'image/png', buffer: await tripPlot() },
      { name: 'limits.txt', mimeType: 'text/plain', buffer: Buffer.from('8 kW') },
    ]);
    await page.getByText('ready').nth(1).waitFor();
    await page.keyboard.press('Alt+p');
    const preview = page.getByRole('document', { name: 'Preview' });
    await preview.locator('strong', { hasText: 'cavity 2' }).waitFor();
    const width = () =>
      preview.locator('img').evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBe(1640);
    await client.expectAccessible();
    await client.screenshot('hand-over-preview');
    await page.getByRole('button', { name: 'Preview' }).click();
    await text.waitFor();
    await client.screenshot('hand-over-files');
    await client.expectAccessible();
    await page.getByRole('button', { name: 'Hand over the shift' }).click();
    await page.getByText('Handed over', { exact: true }).waitFor();
    const [handOver] = (await own.search('properties=Hand-over.shift')).logs as [Entry];
    expect(handOver.attachments.map(({ filename }) => filename)).toEqual(['plot.png', 'limits.txt']);
    expect(handOver.source).toContain(`](attachment/${handOver.attachments[0]?.id})`);
    await client.expectClean();
    await client.close();
    await own.stop();
  });

  test.each([
    ['dark', 360, 740, 'de-DE'],
    ['night', 1280, 800, 'en-GB'],
    ['light', 800, 1000, 'de-DE'],
  ] as const)('accessible in %s at %d px', async (theme, width, height, locale) => {
    const client = await browser.open(logbook.origin, { path: '/hand-over', theme, width, height, locale, as: admin });
    client.expectConsole('/drafts/');
    await client.page.getByRole('textbox').last().waitFor();
    await client.page.getByRole('button', { name: /Hand over the shift|Schicht übergeben/ }).waitFor();
    await client.expectAccessible();
    await client.screenshot(`hand-over-${theme}-${width}`);
    expect(await client.page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    await client.expectClean();
    await client.close();
  });
});
