import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type DrivenPage, useDrivenBrowser } from '../fixtures/driven-page.js';
import { Firefox, withoutFirefox } from '../fixtures/firefox.js';
import { FirefoxPushService } from '../fixtures/firefox-push.js';
import { PushServer } from '../fixtures/push-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const choice = 'Show new ones as notifications of this browser';
const isChosen = `[...document.querySelectorAll('.inbox-choice')]
  .find((label) => label.textContent === '${choice}')?.control.checked`;

/** Titles and texts of the notifications that the browser shows. */
const notifications = `navigator.serviceWorker.ready.then((it) => it.getNotifications())
  .then((all) => JSON.stringify(all.map(({ title, body }) => title + ': ' + body)))`;

describe.skipIf(withoutFirefox)('notifications of Firefox, which subscribes and decrypts', () => {
  let dir: string;
  let senders: PushServer;
  let push: FirefoxPushService;
  let logbook: TestService;
  beforeAll(async () => {
    dir = await makeTempDir();
    senders = await PushServer.start(dir);
    push = await FirefoxPushService.start(senders);
    logbook = await TestService.start(senders.settings);
    await logbook.post('/me/watches', { kind: 'mentions' });
  });
  const browser = useDrivenBrowser(withoutFirefox, () => Firefox.start(push.preferences));
  afterAll(async () => {
    await logbook?.stop();
    await push?.stop();
    await senders?.stop();
    if (dir) await rm(dir, { recursive: true });
  });

  /** Names of the browsers that the service sends to. */
  const browsers = async (): Promise<string[]> => {
    const { body } = await logbook.get('/me/delivery');
    return body.browsers.map(({ name }: { name: string }) => name);
  };
  const endpoints = () => [...push.endpoints.values()];
  const create = (title: string) => logbook.create({ title }, '', { as: 'admin:adminPass' });
  const shows = (page: DrivenPage, ...expected: readonly string[]) =>
    expect.poll(async () => JSON.parse(await page.evaluate<string>(notifications))).toEqual(expected);
  /** Opens the inbox, and chooses notifications. */
  const choose = async (): Promise<DrivenPage> => {
    const page = await browser.open(`${logbook.origin}/sign-in`);
    await page.signIn('user', 'userPass');
    await page.goto(`${logbook.origin}/inbox`);
    await page.click('checkbox', choice);
    await expect.poll(browsers).toEqual(['Firefox, Linux']);
    await expect.poll(() => page.evaluate(isChosen)).toBe(true);
    return page;
  };
  const signOut = async (page: DrivenPage) => {
    await page.click('button', 'Account of user');
    await page.click('menuitem', 'Sign out user');
  };
  /** Lets the push service forget the browser. Returns a function that lets the browser renew its subscription. */
  const holdRenewal = async (): Promise<() => void> => {
    let endRenewal: (() => void) | undefined;
    push.answering = () => new Promise((resolve) => (endRenewal = resolve));
    onTestFinished(() => {
      push.answering = undefined;
      endRenewal?.();
    });
    push.forget();
    await expect.poll(() => endRenewal).toBeDefined();
    return () => endRenewal?.();
  };
  afterEach(async () => {
    const { body } = await logbook.get('/me/delivery');
    for (const { id } of body.browsers) await logbook.call(`/me/browsers/${id}`, { method: 'DELETE' });
  });

  test('chosen in the inbox, shown, opened by a press, and switched off', async () => {
    const page = await choose();
    const { id } = await create('Beam lost, @user');
    await shows(page, 'Beam lost, @user: admin');
    await browser.started().pressNotification();
    await expect.poll(() => browser.started().addresses()).toContain(`${logbook.origin}/entries/${id}`);
    await shows(page);
    expect(push.reports).toEqual(['ack 100']);
    await page.click('checkbox', choice);
    await expect.poll(browsers).toEqual([]);
    expect(endpoints()).toEqual([]);
    await expect.poll(() => page.evaluate(isChosen)).toBe(false);
    await page.expectClean();
  });

  test('a sign-out ends them: the push service refuses the next message, and the service removes the browser', async () => {
    const page = await choose();
    await signOut(page);
    await expect.poll(endpoints).toEqual([]);
    expect(await browsers()).toEqual(['Firefox, Linux']);
    await create('After the sign-out, @user');
    await expect.poll(browsers).toEqual([]);
    expect(push.gone).toBe(1);
    await page.expectClean();
  });

  test('a subscription that the push service has forgotten is replaced, and what was refused in between arrives', async () => {
    const page = await choose();
    const [former] = endpoints();
    const endRenewal = await holdRenewal();
    await create('Beam is back, @user');
    await expect.poll(browsers).toEqual([]);
    endRenewal();
    await shows(page, 'Beam is back, @user: admin');
    expect(endpoints()).toEqual([expect.not.stringMatching(former ?? '')]);
    expect(await browsers()).toEqual(['Firefox, Linux']);
    await page.reload();
    await expect.poll(() => page.evaluate(isChosen)).toBe(true);
    await signOut(page);
    await expect.poll(endpoints).toEqual([]);
    await create('After the renewal, @user');
    await expect.poll(browsers).toEqual([]);
    await page.expectClean();
  });

  test.each(['after', 'during'])(
    'a page opened while a subscription is renewed, and a sign-out %s it: nothing is left',
    async (when) => {
      const page = await choose();
      const [former] = endpoints();
      const endRenewal = await holdRenewal();
      await page.goto(`${logbook.origin}/`);
      await page.shows('Account of user');
      if (when === 'during') await signOut(page);
      endRenewal();
      if (when === 'after') {
        await expect.poll(endpoints).toEqual([expect.not.stringMatching(former ?? '')]);
        await signOut(page);
      }
      await expect.poll(() => page.text()).not.toMatch('Account of user');
      await expect.poll(endpoints).toEqual([]);
      await create('After the sign-out, @user');
      await expect.poll(browsers).toEqual([]);
      await page.expectClean();
    },
  );
});
