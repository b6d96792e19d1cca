import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../fixtures/free-port.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

const wall = { path: '/wall', width: 1920, height: 1080, theme: 'dark' } as const;

describe.skipIf(withoutBrowser)('the wall', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start();
    const text = 'Quadrupole supply fell from 182.4 A to zero in 40 ms; the fast interlock dumped the beam.';
    const urgent = await logbook.create({
      title: 'Beam lost: SR:C03-MG:G02A{Quad:1} tripped',
      level: 'Urgent',
      description: text,
    });
    await logbook.create({ title: 'Water', description: 'Water flow is fine' }, `?inReplyTo=${urgent.id}`);
    for (const [level, title] of [
      ['Problem', 'RF cavity 2: reflected power rises with beam current'],
      ['Info', 'Orbit correction, beam within 5 µm RMS'],
      ['Request', 'Please raise the threshold at BLM 14'],
      ['Suggestion', 'Show the beam lifetime on the wall'],
    ]) {
      await logbook.create({ title, level, description: 'two correctors near limit' });
    }
  });
  afterAll(async () => logbook?.stop());

  test('it shows the gravest entry of the shift large: a new one only if that is not Urgent', async () => {
    const client = await browser.open(logbook.origin, { ...wall, as: null });
    const { page } = client;
    await page.getByRole('heading', { name: /Beam lost/ }).waitFor();
    await page.getByText('following').waitFor();
    await page.getByText('Water flow is fine').first().waitFor();
    await client.expectAccessible();
    await client.screenshot('wall-dark');
    await logbook.create({ title: 'Vacuum burst in cell 7', level: 'Info' });
    await page.locator('.wall-list').getByText('Vacuum burst in cell 7').waitFor();
    await page.getByRole('heading', { name: /Beam lost/ }).waitFor();
    // An Urgent entry stays, however many entries come after it.
    for (let at = 1; at <= 31; at += 1) await logbook.create({ title: `Note ${at}` });
    await page.locator('.wall-list').getByText('Note 31').waitFor();
    await page.getByRole('heading', { name: /Beam lost/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /Beam lost/ }).waitFor();
    await logbook.create({ title: 'Fire alarm in hall 2', level: 'Urgent' });
    await page.getByRole('heading', { name: 'Fire alarm in hall 2' }).waitFor();
    await expect.poll(() => page.getByRole('button').count()).toBe(0);
    await expect.poll(() => page.locator('html.no-cursor').count()).toBe(1);
    await client.expectClean();
    await client.close();
  });

  test('many entries at a time are read together, and a wrong clock does not hide a new one', async () => {
    const client = await browser.open(logbook.origin, { ...wall, path: '/sign-in', as: null });
    const { page } = client;
    await page.addInitScript('{ const { now } = Date; Date.now = () => now() - 3_600_000; }');
    await page.goto(`${logbook.origin}/wall`);
    await page.getByText('following').waitFor();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    client.takeApiRequests();
    const begunMs = performance.now();
    for (let at = 1; at <= 15; at += 1) await logbook.create({ title: `Alarm ${at}` });
    await logbook.create({ title: 'The last of many', level: 'Urgent' });
    await page.getByRole('heading', { name: 'The last of many' }).waitFor();
    const readings = client.takeApiRequests().filter((url) => url.includes('size=30'));
    expect(readings.length).toBeLessThanOrEqual(2 + (performance.now() - begunMs) / 2_000);
    await client.close();
  });

  test('/?wall leads there, with the search', async () => {
    const client = await browser.open(logbook.origin, {
      ...wall,
      path: '/?wall&query=level%3DRequest',
      theme: 'night',
    });
    await client.page.waitForURL(/\/wall\?query=level/);
    await client.page.getByRole('heading', { name: 'Please raise the threshold at BLM 14' }).waitFor();
    await client.expectAccessible();
    await client.screenshot('wall-night');
    await client.close();
  });

  test('on a small screen, in German, in the light', async () => {
    const options = { ...wall, width: 360, height: 740, theme: 'light', locale: 'de-DE' } as const;
    const client = await browser.open(logbook.origin, options);
    await client.page.getByText('folgt').waitFor();
    await client.expectAccessible();
    await client.screenshot('wall-phone');
    await client.close();
  });

  test('it says when it is not live, reconnects automatically, and shows what it missed', async () => {
    const port = String(await freePort());
    const own = await TestService.start({ httpPort: port });
    await own.create({ title: 'Before' });
    const client = await browser.open(own.origin, { ...wall, as: null });
    const { page } = client;
    for (const text of ['ERR_CONNECTION_REFUSED', 'WebSocket', 'Failed to load']) client.expectConsole(text);
    await page.getByText('following').waitFor();
    await own.stop({ keepData: true });
    await page.getByText(/not live since/).waitFor();
    await client.screenshot('wall-not-live');
    const again = await TestService.start({ httpPort: port }, own.dataDir);
    await again.create({ title: 'Missed' });
    await page.getByRole('heading', { name: 'Missed' }).waitFor();
    await page.getByText('following').waitFor();
    await client.expectClean();
    await client.close();
    await again.stop();
  });
});
