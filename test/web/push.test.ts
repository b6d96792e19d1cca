import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PushServer, type SubscribedBrowser } from '../fixtures/push-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

/** Stands for the push service of the browser's maker, which cannot be reached from everywhere. */
const subscribeAt = ({ endpoint, publicKey, secret }: SubscribedBrowser['subscription']) => `{
  let current = null;
  const subscription = {
    toJSON: () => (${JSON.stringify({ endpoint, keys: { p256dh: publicKey, auth: secret } })}),
    unsubscribe: async () => { current = null; document.documentElement.dataset.push = 'off'; return true; },
  };
  PushManager.prototype.getSubscription = async () => current;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    document.documentElement.dataset.push = applicationServerKey;
    return (current = subscription);
  };
}`;

describe.skipIf(withoutBrowser)('notifications of the browser', () => {
  const browser = useBrowser({ isWhole: true });
  let dir: string;
  let server: PushServer;
  let logbook: TestService;
  beforeAll(async () => {
    dir = await makeTempDir();
    server = await PushServer.start(dir);
    logbook = await TestService.start(server.settings);
  });
  afterAll(async () => {
    await logbook?.stop();
    await server?.stop();
    if (dir) await rm(dir, { recursive: true });
  });

  test('chosen in the inbox; shown once while no page is open, and opened by a press; a sign-out ends them', async () => {
    const subscribed = server.subscribe();
    await logbook.post('/me/watches', { kind: 'mentions' });
    const client = await browser.open(logbook.origin, {
      ...{ path: '/inbox', hasWorker: true, context: { permissions: ['notifications'] } },
    });
    const { page, context } = client;
    const session = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
        if (first) resolve(first.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    await page.evaluate(subscribeAt(subscribed.subscription));
    const choice = page.getByRole('checkbox', { name: 'Show new ones as notifications of this browser' });
    await choice.click();
    // Only what the service offers is shown.
    expect(await page.getByRole('checkbox', { name: /chat/ }).count()).toBe(0);
    await page.getByRole('checkbox', { name: /^Quiet hours/ }).waitFor();
    expect(await choice.isChecked()).toBe(true);
    const { pushKey, browsers } = (await logbook.get('/me/delivery')).body;
    expect([browsers, await page.locator('html').getAttribute('data-push')]).toEqual([
      [{ id: expect.any(String), name: 'Chrome, Linux' }],
      pushKey,
    ]);
    await client.expectAccessible();
    await client.screenshot('inbox-notifications');

    const { id } = await logbook.create({ title: 'Beam lost, @user' }, '', { as: 'admin:adminPass' });
    await server.until(() => subscribed.received.length > 0);
    const registrationId = await registered;
    const message = { origin: logbook.origin, registrationId, data: subscribed.received[0]?.text ?? '' };
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(`{
      const show = registration.showNotification.bind(registration);
      self.shownPushes = 0;
      registration.showNotification = (...args) => show(...args).then(() => (self.shownPushes += 1));
    }`);
    // The second as if the service had sent it again after a crash.
    for (const _ of [1, 2]) await session.send('ServiceWorker.deliverPushMessage', message);
    await expect.poll(() => worker?.evaluate('self.shownPushes')).toBe(2);
    const shown = () =>
      page.evaluate<string[]>(
        'navigator.serviceWorker.ready.then((it) => it.getNotifications()).then((all) => all.map(({ title }) => title))',
      );
    await expect.poll(shown).toEqual(['Beam lost, @user']);
    const opened = await worker?.evaluate<string>(`new Promise((resolve) => {
      clients.openWindow = async (path) => resolve(path);
      registration.getNotifications().then(([notification]) =>
        dispatchEvent(new NotificationEvent('notificationclick', { notification })));
    })`);
    expect(opened).toBe(`/entries/${id}`);
    await expect.poll(shown).toEqual([]);

    await page.getByRole('button', { name: 'Account of user' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.locator('html[data-push=off]').waitFor();
    await client.expectClean();
    await client.close();
  });

  test('a browser that is switched off in the inbox gets no more', async () => {
    const subscribed = server.subscribe();
    await logbook.put(
      '/me/browsers',
      { ...subscribed.subscription, name: 'Firefox, Windows' },
      { as: 'admin:adminPass' },
    );
    const client = await browser.open(logbook.origin, {
      ...{ path: '/inbox', as: 'admin:adminPass', locale: 'de-DE', theme: 'dark', width: 360, height: 740 },
    });
    const other = client.page.getByRole('checkbox', { name: 'Neues als Benachrichtigung von Firefox, Windows zeigen' });
    await other.waitFor();
    await client.expectAccessible();
    await client.screenshot('inbox-notifications-phone-german');
    await other.click();
    await other.waitFor({ state: 'detached' });
    expect((await logbook.get('/me/delivery', { as: 'admin:adminPass' })).body.browsers).toEqual([]);
    await client.expectClean();
    await client.close();
  });
});
