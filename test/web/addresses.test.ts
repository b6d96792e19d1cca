import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('addresses that other programs make', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start();
    const template = { name: 'Trip report', title: 'Trip', source: 'Cause: ', tags: [{ name: 'alarm' }] };
    const { status } = await logbook.put('/templates', template, { as: 'admin:adminPass' });
    if (status !== 200) throw new Error(`no template: ${status}`);
  });
  afterAll(async () => logbook?.stop());

  test('/new begins an entry, which nothing sends, and which is kept', async () => {
    const path =
      '/new?template=trip+report&title=Cavity+2&logbook=operations,%20nowhere&text=Reflected%0Apower&url=https%3A%2F%2Fa.example%2Fb';
    const client = await browser.open(logbook.origin, { path });
    const { page } = client;
    const draft = new DraftPage(page);
    const expectContent = async () => {
      await expect.poll(() => draft.title.inputValue()).toBe('Cavity 2');
      await expect.poll(() => draft.text.innerText()).toMatch(/^Reflected\npower\s+https:\/\/a\.example\/b$/);
      for (const name of ['operations', 'nowhere', 'alarm']) {
        await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
      }
    };
    await expectContent();
    await draft.light();
    expect(new URL(page.url()).search).toBe('');
    await page.reload();
    await expectContent();
    // Every rule of entries applies.
    await page.keyboard.press('Control+Enter');
    await page.getByText('There is no logbook nowhere.').waitFor();
    expect((await logbook.search('')).hitCount).toBe(0);
    await client.expectAccessible();
    await client.expectClean();
    await client.close();
  });

  test('the bookmark of the manual begins an entry with the title, selection and address of another page', async () => {
    const manual = await readFile(join(productDir, 'docs/user/writing.md'), 'utf8');
    const [bookmark = ''] = /^javascript:.*$/m.exec(manual) ?? [];
    const client = await browser.open(logbook.origin, { path: '/drafts' });
    const { context } = client;
    const wiki = 'https://wiki.example/pumps?id=4&view=all#seals';
    const body = '<title>Pumps & seals, 100 %</title><p>Seal “B” lasts\n2 years.</p><a>Write</a>';
    await context.route('https://wiki.example/**', (route) =>
      route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
    );
    const page = await context.newPage();
    await page.goto(wiki);
    await page.evaluate(`(() => {
      getSelection().selectAllChildren(document.querySelector('p'));
      document.querySelector('a').href = ${JSON.stringify(bookmark.replace('https://log.example.org', logbook.origin))};
    })()`);
    await page.getByRole('link', { name: 'Write' }).focus();
    const [opened] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('Enter')]);
    const draft = new DraftPage(opened);
    await expect.poll(() => draft.title.inputValue()).toBe('Pumps & seals, 100 %');
    await expect.poll(() => draft.text.innerText()).toMatch(/^Seal “B” lasts 2 years\.\s+https:/);
    expect(await draft.text.innerText()).toContain(wiki);
    await draft.light();
    await client.close();
  });

  test('what is shared with the installed client begins an entry, as the manifest says', async () => {
    const client = await browser.open(logbook.origin, { path: '/drafts' });
    const { page } = client;
    const href = await page.locator('link[rel=manifest]').getAttribute('href');
    const { share_target: target } = await (await client.context.request.get(`${logbook.origin}${href}`)).json();
    expect(target.method).toBe('GET');
    const shared = { title: 'Beam current', text: '182.4 mA & rising', url: 'https://a.example/plot?from=1&to=2' };
    const query = new URLSearchParams(
      Object.entries(shared).map(([name, value]): [string, string] => [target.params[name], value]),
    );
    await page.goto(`${logbook.origin}${target.action}?${query}`);
    const draft = new DraftPage(page);
    await expect.poll(() => draft.title.inputValue()).toBe(shared.title);
    await expect
      .poll(() => draft.text.innerText())
      .toMatch(/^182\.4 mA & rising\s+https:\/\/a\.example\/plot\?from=1&to=2$/);
    await draft.light();
    await client.expectClean();
    await client.close();
  });

  test('/new with a template that does not exist says so, and keeps the rest', async () => {
    const client = await browser.open(logbook.origin, { path: '/new?template=none&title=Beam+lost' });
    await client.page.getByText('There is no template none.').waitFor();
    await expect.poll(() => new DraftPage(client.page).title.inputValue()).toBe('Beam lost');
    await client.close();
  });

  test('/new with a template that is slow to come shows the form immediately; what is written in the meantime stays', async () => {
    const client = await browser.open(logbook.origin);
    const { page } = client;
    await client.started();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/logbook/**', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${logbook.origin}/new?template=trip+report`);
    const draft = new DraftPage(page);
    await draft.title.fill('Cavity 2');
    release();
    await expect.poll(() => draft.text.innerText()).toBe('Cause: ');
    expect(await draft.title.inputValue()).toBe('Cavity 2');
    await page.getByRole('button', { name: 'Remove alarm' }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Discard' }).click();
    await client.expectClean();
    await client.close();
  });

  test('/write with a draft that is gone says so; a new entry that is reloaded does not', async () => {
    const path = '/write/0b9bd9a4-5f0c-4b43-a0c4-6a1f8e2d7c11';
    const client = await browser.open(logbook.origin, { path });
    const { page } = client;
    const message = page.getByText('The draft of this address does not exist');
    await message.waitFor();
    await new DraftPage(page).title.waitFor();
    await page.goto(`${logbook.origin}/write`);
    await page.waitForURL(/\/write\/./);
    await page.reload();
    await new DraftPage(page).title.waitFor();
    expect(await message.count()).toBe(0);
    await client.close();
  });

  test('/at shows what happened around a moment; another text is no page', async () => {
    const client = await browser.open(logbook.origin, { path: '/at/2026-03-08T03:12' });
    const { page } = client;
    const query = () => new URL(page.url()).searchParams.get('query');
    await expect.poll(query).toBe('start="2026-03-08 02:42" end="2026-03-08 03:42"');
    await page.goto(`${logbook.origin}/at/2026-03-08T03:12+01:00`);
    await expect.poll(query).toBe('start="2026-03-08 01:42" end="2026-03-08 02:42"');
    await page.goto(`${logbook.origin}/at/nothing`);
    await page.getByText('There is no such page.').waitFor();
    await client.expectClean();
    await client.close();
  });
});
