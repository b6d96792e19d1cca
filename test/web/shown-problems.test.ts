import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const admin = 'admin:adminPass';

describe.skipIf(withoutBrowser)('actions that need the service', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start();
    const { id } = await logbook.create({ title: 'Quench', source: '- [ ] close valve 3' }, '', { as: admin });
    await logbook.post('/me/watches', { kind: 'replies' }, { as: admin });
    await logbook.create({ title: 'Closed' }, `?inReplyTo=${id}`);
  });
  afterAll(async () => logbook?.stop());

  test.each([
    ['removing a saved search', '/saved', /\/me\/searches\//, ['button: Remove Trips']],
    ['signing out', '/saved', /\/logout$/, ['button: Account of user', 'menuitem: Sign out']],
  ])('%s: the page says that the service cannot be reached', async (_, path, address, presses) => {
    await logbook.post('/me/searches', { name: 'Trips', query: 'text=trip', shared: false });
    const client = await browser.open(logbook.origin, { path });
    const { page } = client;
    client.expectConsole('net::ERR_');
    await page.route(address, (route) => route.abort('connectionreset'));
    for (const press of presses) {
      const [role, name] = press.split(': ') as ['button' | 'menuitem', string];
      await page.getByRole(role, { name }).first().click();
    }
    await shownMessage(page, /cannot be reached/);
    await page.getByRole('button', { name: 'Account of user' }).waitFor();
    expect(await page.getByRole('link', { name: 'Trips' }).count()).toBeGreaterThan(0);
    await client.expectClean();
    await client.close();
  });

  test.each<[string, string, RegExp, string, string[]?]>([
    ['reading the inbox', '/inbox', /\/me\/inbox/, 'button: als gelesen markieren'],
    ['choosing what the inbox gets', '/inbox', /\/me\/watches/, 'checkbox: Antworten'],
    ['saving a search', '/?query=trip', /\/me\/searches/, 'button: Diese Suche merken', ['T', 'Enter']],
    ['printing a search', '/?query=quench', /\/logs\/search/, 'heading: 1 Eintrag', ['Control+p']],
    ['ticking a task', '/entries/1', /\/logs\/1/, 'checkbox: close valve 3'],
    ['saving in the administration', '/administration/tags?item=alarm', /\/tags\//, 'button: Speichern'],
  ])(
    '%s, on a page in German: the page says in German that the service cannot be reached',
    async (_, path, address, control, keys = []) => {
      const client = await browser.open(logbook.origin, { path, locale: 'de-DE', as: admin });
      const { page } = client;
      client.expectConsole('net::ERR_');
      const [role, name = ''] = control.split(': ') as ['button' | 'checkbox' | 'heading', string];
      const target = page.getByRole(role, { name }).first();
      await target.waitFor();
      await page.route(address, (route) => route.abort('connectionreset'));
      await target.click();
      if (keys[0] === 'T') await page.getByLabel('Name').waitFor();
      for (const key of keys) await page.keyboard.press(key);
      const shown = () => page.evaluate<string>("[document.body.innerText, ...shownMessages].join('\\n')");
      await expect.poll(shown).toContain('Das Logbuch ist nicht zu erreichen.');
      expect(await shown()).not.toMatch(/cannot be reached|does not answer/);
      await client.expectClean();
      await client.close();
    },
  );
});
