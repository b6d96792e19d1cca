import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Agent } from '../fixtures/agent.js';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('a new entry', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start({ maxEntrySize: '20kB', mcp: 'true' });
    for (const name of ['RF', 'Vacuum']) await logbook.put(`/logbooks/${name}`, { name }, { as: 'admin:adminPass' });
  });
  afterAll(async () => logbook?.stop());

  test('begins in the logbook to which the list is narrowed, and otherwise in that of the last entry', async () => {
    const client = await browser.open(logbook.origin, { path: '/?query=logbook%3Drf' });
    const { page } = client;
    const chosen = (name: string) => page.getByRole('button', { name: `Remove ${name}` });
    await client.started();
    await page.keyboard.press('c');
    await chosen('RF').waitFor();
    const draft = new DraftPage(page);
    await draft.write('Cavity tripped', 'Restored.');
    await draft.send();
    expect((await logbook.get(`/logs/${await draft.sent()}`)).body.logbooks).toMatchObject([{ name: 'RF' }]);
    await page.goto(`${logbook.origin}/`);
    await page.getByRole('link', { name: 'New entry' }).click();
    await chosen('RF').waitFor();
    // Several logbooks narrow the list to none of them.
    await page.goto(`${logbook.origin}/?query=logbook%3DVacuum`);
    await page.getByRole('link', { name: 'New entry' }).click();
    await chosen('Vacuum').waitFor();
    expect(await chosen('RF').count()).toBe(0);
    await chosen('Vacuum').click();
    await expect.poll(() => chosen('Vacuum').count()).toBe(0);
    await client.expectClean();
    await client.close();
  });

  test('that an agent drafted is opened and sent by a person, and says so', async () => {
    const { token } = (await logbook.post('/tokens', { name: 'shift helper', rights: ['entries'] })).body;
    const agent = await Agent.connect(logbook.origin, token);
    const { id: parent } = await logbook.create({ title: 'Beam lost' });
    const drafted = { title: 'Summary', text: 'Two trips.', logbooks: ['RF'], replyTo: parent };
    const { link } = (await agent.call('draftEntry', drafted)).data;
    await agent.close();
    const client = await browser.open(logbook.origin, { path: new URL(link).pathname });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.append(' Both reset.');
    const mark = page.getByRole('group', { name: 'Drafted by the agent' }).getByRole('textbox', { name: 'agent' });
    expect([await mark.inputValue(), await mark.isEditable()]).toEqual(['shift helper', false]);
    expect(await page.getByRole('button', { name: /Remove property/ }).count()).toBe(0);
    await client.screenshot('write-drafted');
    await client.expectAccessible();
    await draft.send();
    const id = await draft.sent();
    await page.goto(`${logbook.origin}/entries/${id}`);
    await page.getByRole('button', { name: 'shift helper' }).waitFor();
    await page.getByText('Drafted by the agent').waitFor();
    expect((await logbook.get(`/logs/${id}`)).body).toMatchObject({
      source: 'Two trips. Both reset.',
      logbooks: [{ name: 'RF' }],
      properties: [{ name: 'Drafted by', attributes: [{ name: 'agent', value: 'shift helper' }] }, {}],
    });
    expect((await logbook.get('/drafts')).body).toEqual([]);
    await client.expectClean();
    await client.close();
  });

  test('shows similar entries in a pause of typing, next to the text, until that is switched off', async () => {
    await logbook.create({ title: 'Water leak at the cooling manifold' });
    await logbook.indexed();
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Drip', 'Coolant dripping on the floor, see [the photo](https://example.org/secret-address)');
    const places = () => Promise.all([draft.title, draft.text].map((field) => field.boundingBox()));
    const before = await places();
    const found = page.getByText('1 similar entry');
    await found.waitFor();
    expect(await places()).toEqual(before);
    const asked = client.requests.map((url) => new URL(url).searchParams.get('meaning')).filter((one) => one !== null);
    expect(asked.at(-1)).toMatch(/^Drip\nCoolant dripping on the floor/);
    expect(asked.join()).not.toContain('secret-address');
    await found.focus();
    await page.keyboard.press('Enter');
    const similar = page.getByRole('link', { name: /Water leak at the cooling manifold.*≈ .*(Water|leak|cooling)/s });
    await similar.waitFor();
    await client.screenshot('write-similar');
    await client.expectAccessibleInAllThemes();
    await page.keyboard.press('Tab');
    const [tab] = await Promise.all([client.context.waitForEvent('page'), page.keyboard.press('Enter')]);
    await tab.locator('.doc h1', { hasText: 'Water leak' }).waitFor();
    expect(await draft.title.inputValue()).toBe('Drip');
    await tab.getByRole('button', { name: 'Settings' }).click();
    const setting = tab.getByRole('group', { name: 'Similar entries while writing' });
    await setting.getByRole('menuitemradio', { name: 'Off' }).click();
    await found.waitFor({ state: 'detached' });
    await client.expectClean();
    await client.close();
  });

  test('is listed among the drafts with its first words', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('', '## Vacuum **leak** at `VG-3`\n\nfound at 03:47');
    await draft.light();
    await page.goto(`${logbook.origin}/write`);
    await draft.write('Trip of cavity 2', 'Reflected power rose.');
    await draft.light();
    const { pathname } = new URL(page.url());
    await page.goto(`${logbook.origin}/drafts`);
    await page.getByRole('link', { name: 'Vacuum leak at VG-3 found at 03:47' }).waitFor();
    await page.getByRole('link', { name: /Trip of cavity 2.*Reflected power rose\./ }).waitFor();
    // Another computer has them from the server.
    const other = await browser.open(logbook.origin, { path: '/drafts' });
    await other.page.getByRole('link', { name: 'Vacuum leak at VG-3 found at 03:47' }).waitFor();
    await other.expectAccessible();
    await other.close();
    await logbook.call(pathname.replace('/write', '/drafts'), { method: 'DELETE' });
    await client.expectClean();
    await client.close();
  });

  test('that is too large says so as it is written: how large it is, and the limit', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    const draft = new DraftPage(page);
    await draft.write('Long', 'x'.repeat(21_000));
    await draft.chooseLogbook('RF');
    const problem = page.getByText('The entry is 21 kB large, and the limit is 20 kB. Shorten the text');
    await problem.waitFor();
    await page.locator('[data-light="refused"]').getByText('The entry is too large. Shorten the text').waitFor();
    await page.keyboard.press('Control+Enter');
    await client.drawn();
    expect(await logbook.search('title=Long')).toMatchObject({ hitCount: 0 });
    await draft.text.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('Short.');
    await expect.poll(() => problem.count()).toBe(0);
    await draft.send();
    expect((await logbook.get(`/logs/${await draft.sent()}`)).body.source).toBe('Short.');
    await client.close();
  });
});
