import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withoutTimers } from '../fixtures/held-timers.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { TestService } from '../fixtures/service.js';
import { shownMessage } from '../fixtures/shown-messages.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

const admin = 'admin:adminPass';

describe.skipIf(withoutBrowser)('the administration of the logbook', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    logbook = await TestService.start({ permissions: 'roles' });
    await logbook.put('/logbooks/Magnets', { owner: 'magnets' }, { as: admin });
    await logbook.create({ title: 'Quadrupole tripped', level: 'Urgent' }, '', { as: admin });
  });
  afterAll(async () => logbook?.stop());

  const open = (section: string, options = {}) =>
    browser.open(logbook.origin, { as: admin, path: `/administration/${section}`, ...options });
  const form = ({ page }: WebClientPage) => page.locator('.side-form');

  test('a logbook is made, made inactive, undone, and brought back', async () => {
    const client = await open('logbooks');
    const { page } = client;
    await page.getByRole('link', { name: 'New logbook' }).click();
    await form(client).getByLabel('Name').fill('Vacuum');
    await form(client).getByLabel('Owner').fill('vacuum group');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).press('Enter');
    expect(await form(client).getByLabel('Owner').inputValue()).toBe('vacuum group');
    await client.expectAccessible();
    await form(client).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Vacuum' }).click();
    await client.screenshot('administration-logbooks');
    await withoutTimers(page, async () => {
      await form(client).getByRole('button', { name: 'Make inactive' }).click();
      await page.getByText('Vacuum is inactive now.').waitFor();
      expect((await logbook.get('/logbooks/Vacuum')).status).toBe(404);
      await page.getByRole('button', { name: 'Undo' }).click();
    });
    await page.getByText('4 active', { exact: true }).waitFor();
    expect((await logbook.get('/logbooks/Vacuum')).body).toMatchObject({ owner: 'vacuum group', state: 'Active' });
    await page.getByRole('link', { name: 'Vacuum' }).click();
    await form(client).getByRole('button', { name: 'Make inactive' }).click();
    await page
      .getByRole('row', { name: /Vacuum/ })
      .getByRole('button', { name: 'Bring back' })
      .click();
    await page.getByText('4 active', { exact: true }).waitFor();
    await expect.poll(async () => (await logbook.get('/logbooks/Vacuum')).body.owner).toBe('vacuum group');
    await client.expectClean();
    await client.close();
  });

  test('a changed form asks before Back, another item and another page; discarding goes there', async () => {
    const client = await open('logbooks');
    const { page } = client;
    await page.getByRole('link', { name: 'Magnets' }).click();
    const owner = form(client).getByLabel('Owner');
    const change = () => owner.fill('changed');
    const leave = {
      back: () => page.goBack({ waitUntil: 'commit' }),
      other: () => page.getByRole('link', { name: 'operations' }).click(),
      page: () => page.getByRole('link', { name: 'Tags' }).click(),
    };
    const question = page.getByRole('dialog');
    await change();
    for (const step of [leave.other, leave.page, leave.back]) {
      await step();
      await question.getByRole('button', { name: 'Keep' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await owner.inputValue()).toBe('changed');
    }
    await leave.other();
    await question.getByRole('button', { name: 'Discard' }).click();
    await form(client).getByRole('heading', { name: 'operations' }).waitFor();
    await change();
    await leave.back();
    await question.getByRole('button', { name: 'Discard' }).click();
    await form(client).getByRole('heading', { name: 'Magnets' }).waitFor();
    expect(await owner.inputValue()).toBe('magnets');
    await leave.page();
    await page.getByRole('heading', { name: 'Tags' }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test.each([
    ['an attribute that is added', 'properties', 'Shift', [], 'Add an attribute'],
    ['an attribute that is removed', 'properties', 'Shift', [], 'Remove attribute crew'],
    ['a property that is added', 'templates', 'Trip', ['Shift'], 'Add a property'],
    ['a property that is removed', 'templates', 'Trip', [], 'Remove property Crew'],
  ])('%s is a change of the form, which asks before it is left', async (_case, section, item, then, button) => {
    for (const name of ['Shift', 'Crew']) {
      const property = { name, owner: 'x', attributes: [{ name: 'crew' }, { name: 'leader' }] };
      await logbook.put(`/properties/${name}`, property, { as: admin });
    }
    const crew = { name: 'Crew', attributes: [{ name: 'crew', value: 'B' }] };
    await logbook.put('/templates', { name: 'Trip', title: 'Trip', properties: [crew] }, { as: admin });
    const client = await open(section);
    const { page } = client;
    await page.getByRole('link', { name: item, exact: true }).click();
    // A press of a button that changes nothing is not a change.
    const heading = form(client).getByRole('heading', { name: item });
    await heading.click();
    await form(client).getByRole('button', { name: 'Cancel' }).click();
    await form(client).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: item, exact: true }).click();
    await form(client).getByRole('button', { name: button }).press('Enter');
    for (const one of then) await page.getByRole('menuitem', { name: one }).press('Enter');
    await page.goBack({ waitUntil: 'commit' });
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).press('Enter');
    await heading.waitFor();
    await form(client).getByRole('button', { name: 'Save' }).click();
    await shownMessage(page, new RegExp(`${item} saved`));
    await form(client).waitFor({ state: 'detached' });
    await client.expectClean();
    await client.close();
  });

  test('the devices of a logbook are shown, changed and corrected where the service reads values', async () => {
    const pvws = await PvwsServer.start();
    const connected = await TestService.start({ permissions: 'roles', deviceNames: 'SR:*', pvwsUrl: pvws.url });
    await connected.put('/logbooks/Magnets', { owner: 'magnets', devices: ['SR:V1', 'SR:V2'] }, { as: admin });
    const path = '/administration/logbooks?item=Magnets';
    const client = await browser.open(connected.origin, { as: admin, path });
    const field = form(client).getByLabel('Devices');
    expect(await field.inputValue()).toBe('SR:V1\nSR:V2');
    await client.expectAccessible();
    await client.screenshot('administration-logbook-devices');
    const save = form(client).getByRole('button', { name: 'Save' });
    await field.fill('SR:V1\nBR:V3');
    await save.click();
    await form(client).getByText('“BR:V3” is not recognised as a device.').waitFor();
    await field.fill('SR:V1\nSR:V3\n');
    await save.click();
    await shownMessage(client.page, /Magnets saved/);
    expect((await connected.get('/logbooks/Magnets')).body).toMatchObject({
      owner: 'magnets',
      devices: ['SR:V1', 'SR:V3'],
    });
    await client.close();
    const plain = await open('logbooks?item=Magnets');
    await form(plain).getByLabel('Owner').waitFor();
    expect(await form(plain).getByLabel('Devices').count()).toBe(0);
    await plain.close();
    await connected.stop();
    await pvws.stop();
  });

  test('a name that exists is not overwritten by a new one', async () => {
    const client = await open('tags?new=yes');
    await form(client).getByLabel('Name').fill('alarm');
    await form(client).getByRole('button', { name: 'Save' }).click();
    await client.page.getByText('alarm exists already.').waitFor();
    await client.close();
  });

  test('a form that is opened while another one is saved stays open', async () => {
    const client = await open('tags?new=yes');
    const { page } = client;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/logbook\/tags\/Slow/, async (route) => {
      await held;
      await route.continue();
    });
    await form(client).getByLabel('Name').fill('Slow');
    await form(client).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'alarm' }).click();
    await form(client).getByRole('heading', { name: 'alarm' }).waitFor();
    release();
    await shownMessage(page, /Slow saved/);
    await form(client).getByRole('heading', { name: 'alarm' }).waitFor();
    await form(client).getByRole('button', { name: 'Cancel' }).click();
    await form(client).waitFor({ state: 'detached' });
    await client.close();
  });

  test('another level becomes the default; a removed one comes back by undo', async () => {
    const client = await open('levels?item=Problem');
    const { page } = client;
    await form(client).getByLabel('The level of entries that name none').check();
    await form(client).getByRole('button', { name: 'Save' }).click();
    await shownMessage(page, /Problem saved/);
    const defaults = async () =>
      (await logbook.get('/levels')).body.filter((one: { defaultLevel: boolean }) => one.defaultLevel);
    expect(await defaults()).toEqual([{ name: 'Problem', defaultLevel: true }]);
    await page.getByRole('link', { name: 'Suggestion' }).click();
    await withoutTimers(page, async () => {
      await form(client).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
    });
    const names = async () => (await logbook.get('/levels')).body.map((one: { name: string }) => one.name);
    await expect.poll(names).toContain('Suggestion');
    await page.getByRole('link', { name: 'Suggestion' }).waitFor();
    await client.expectAccessible();
    await client.expectClean();
    await client.close();
  });

  test('a property gets attributes, and those taken out become inactive', async () => {
    const client = await open('properties?new=yes');
    const { page } = client;
    await form(client).getByLabel('Name', { exact: true }).fill('Device');
    await form(client).getByLabel('Name of attribute 1').fill('name');
    await form(client).getByRole('button', { name: 'Add an attribute' }).click();
    await form(client).getByLabel('Name of attribute 2').fill('cell');
    await form(client).getByLabel('Proposed value of attribute 2').fill('3');
    await form(client).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Device' }).click();
    await client.expectAccessible();
    await client.screenshot('administration-properties');
    await form(client).getByRole('button', { name: 'Remove attribute name' }).click();
    await form(client).getByRole('button', { name: 'Save' }).click();
    const attributes = async () => (await logbook.get('/properties/Device')).body.attributes;
    await expect.poll(attributes).toEqual([
      { name: 'cell', value: '3', state: 'Active' },
      { name: 'name', value: null, state: 'Inactive' },
    ]);
    await client.close();
  });

  test('a template is made and changed, with its properties', async () => {
    const attributes = ['name', 'file'].map((name) => ({ name }));
    for (const name of ['resource', 'Shutter', 'Ticket']) {
      await logbook.put(`/properties/${name}`, { name, owner: 'x', attributes }, { as: admin });
    }
    const properties = ['resource', 'Shutter'].map((name) => ({ name, attributes: [{ name: 'name', value: 'x' }] }));
    const template = { name: 'RF trip', title: 'RF trip: ', properties, logbooks: [{ name: 'operations' }] };
    await logbook.put('/templates', template, { as: admin });
    const client = await open('templates');
    const { page } = client;
    await page.getByRole('link', { name: 'RF trip' }).click();
    await form(client).getByLabel('Level').selectOption('Urgent');
    await form(client).getByLabel('Magnets').check();
    await form(client).getByLabel('Text').fill('| Time | Power |');
    await form(client).getByRole('group', { name: 'resource' }).getByLabel('file').fill('plot.png');
    await form(client).getByRole('button', { name: 'Remove property Shutter' }).click();
    await form(client).getByRole('button', { name: 'Add a property' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Ticket' }).press('Enter');
    await form(client).getByRole('group', { name: 'Ticket' }).getByLabel('name').fill('MAG-1');
    await client.expectAccessible();
    await client.screenshot('administration-templates');
    await form(client).getByRole('button', { name: 'Save' }).click();
    await shownMessage(page, /RF trip saved/);
    const [stored] = (await logbook.get('/templates')).body;
    expect(stored).toMatchObject({ level: 'Urgent', source: '| Time | Power |', title: 'RF trip:' });
    const values = stored.properties.map((one: { name: string; attributes: { name: string; value: string }[] }) => [
      one.name,
      ...one.attributes.filter(({ value }) => value !== '').map(({ name, value }) => `${name}=${value}`),
    ]);
    expect(values).toEqual([
      ['resource', 'name=x', 'file=plot.png'],
      ['Ticket', 'name=MAG-1'],
    ]);
    expect(stored.logbooks.map(({ name }: { name: string }) => name).sort()).toEqual(['Magnets', 'operations']);
    await client.close();
  });

  test('access is shown, and the audit log is filtered', async () => {
    const client = await open('access');
    const { page } = client;
    await page.getByRole('cell', { name: 'everyone with the role LOG' }).first().waitFor();
    await client.expectAccessible();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'PUT /logs', exact: true }).first().waitFor();
    await client.expectAccessible();
    await client.screenshot('administration-audit');
    await page.getByLabel('Action').fill('no such action');
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No record matches.').waitFor();
    expect(new URL(page.url()).search).toBe('?action=no+such+action&outcome=failed');
    await client.expectClean();
    await client.close();
  });

  test('a user without rights sees only sessions and tokens', async () => {
    const client = await browser.open(logbook.origin, { path: '/administration' });
    const { page } = client;
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    const links = await page.getByRole('navigation', { name: 'Administration' }).getByRole('link').allTextContents();
    expect(links).toEqual(['Sessions', 'Tokens']);
    // The former address, as bookmarks have it.
    await page.goto(`${logbook.origin}/look-after/audit?outcome=failed`);
    await page.getByText('You may not change this: Audit log.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/administration/audit');
    await client.close();
  });

  test('a token shows its secret once, works, and is revoked', async () => {
    const client = await open('tokens?new=yes');
    const { page } = client;
    await form(client).getByLabel('Name').fill('shift summary');
    await form(client).getByLabel('write entries').check();
    await form(client).getByLabel('Written by a program').check();
    await form(client).getByRole('button', { name: 'Create' }).click();
    const secret = await page.getByRole('textbox', { name: 'Token' }).inputValue();
    await client.expectAccessible();
    await client.screenshot('administration-tokens');
    const bearer = { as: null, headers: { authorization: `Bearer ${secret}` } };
    expect((await logbook.get('/user', bearer)).body.userName).toBe('admin');
    expect((await logbook.create({ title: 'Logged' }, '', bearer)).automatic).toBe(true);
    await page.reload();
    await page.getByRole('button', { name: 'Revoke shift summary' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Revoke shift summary' }).click();
    await page.getByText('shift summary is revoked.').waitFor();
    expect((await logbook.get('/me', bearer)).status).toBe(401);
    await client.expectClean();
    await client.close();
  });

  test('another session is ended, and has ended', async () => {
    // Sessions of the pages before.
    for (const { id } of (await logbook.get('/sessions', { as: admin })).body) {
      await logbook.call(`/sessions/${id}`, { method: 'DELETE', as: admin });
    }
    const cookie = (await logbook.post('/login', { username: 'admin', password: 'adminPass' }, { as: null })).headers
      .getSetCookie()[0]
      ?.split(';')[0];
    const other = { as: null, headers: { cookie: cookie ?? '' } };
    expect((await logbook.get('/user', other)).status).toBe(200);
    const client = await open('sessions');
    const ends = client.page.getByRole('button', { name: /^End the session of/ });
    await expect.poll(() => ends.count()).toBe(2);
    await client.expectAccessible();
    await client.screenshot('administration-sessions');
    // The newest one, that of this page, comes first.
    await ends.last().click();
    await client.page.getByText('The session has ended.').waitFor();
    expect((await logbook.get('/user', other)).status).toBe(404);
    await expect.poll(() => ends.count()).toBe(1);
    await client.close();
  });

  test('on a phone, in German and in the dark', async () => {
    const client = await open('logbooks', { width: 360, height: 740, locale: 'de-DE', theme: 'dark' });
    await client.page.getByRole('heading', { name: 'Logbücher' }).waitFor();
    await client.expectAccessible();
    await client.screenshot('administration-phone-german-dark');
    await client.page.getByRole('link', { name: 'Magnets' }).click();
    await form(client).getByLabel('Besitzer').waitFor();
    await client.expectAccessible();
    await client.screenshot('administration-phone-form');
    const width = await client.page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBe(360);
    await client.expectClean();
    await client.close();
  });
});
