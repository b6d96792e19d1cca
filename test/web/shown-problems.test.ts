import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('actions that need the service', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
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
});
