import { describe, expect, test } from 'vitest';
import { useEtchStation } from '../fixtures/etch-station.js';
import { expectFocus } from '../fixtures/focused.js';
import { useBrowser, type WebClientPage, withoutBrowser } from '../fixtures/web-client.js';

describe.skipIf(withoutBrowser)('the search box', () => {
  const browser = useBrowser();
  const station = useEtchStation();

  const boxOf = ({ page }: WebClientPage) => page.getByRole('combobox', { name: 'Search' });
  const queryOf = ({ page }: WebClientPage) => new URL(page.url()).searchParams.get('query');

  test('what is typed but not searched for can be cleared, as a whole and by block', async () => {
    const client = await browser.open(station.logbook.origin);
    const { page } = client;
    const box = boxOf(client);
    const clear = page.getByRole('button', { name: 'Clear the search' });
    await box.fill('abc');
    await clear.click();
    await expect.poll(() => box.inputValue()).toBe('');
    await clear.waitFor({ state: 'detached' });
    await expectFocus(page, 'Search');
    await box.pressSequentially('level=Urgent etch');
    await page.getByRole('button', { name: 'Remove level=Urgent' }).click();
    await page.getByRole('button', { name: 'Remove level=Urgent' }).waitFor({ state: 'detached' });
    await expect.poll(() => queryOf(client)).toBe('etch');
    await expectFocus(page, 'Search');
    expect(await box.inputValue()).toBe('etch');
    await client.expectClean();
    await client.close();
  });

  test('after an invalid time, the box can be cleared, and takes a time of several words', async () => {
    const client = await browser.open(station.logbook.origin);
    const { page } = client;
    const box = boxOf(client);
    await box.pressSequentially('start=1 Marhc etch ');
    await box.press('Enter');
    await page.getByText('“1” is not a time.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByText('“1” is not a time.').waitFor({ state: 'detached' });
    expect(await box.inputValue()).toBe('');
    await box.pressSequentially('start=1 March 2025 etch');
    await box.press('Enter');
    await expect.poll(() => queryOf(client)).toBe('start=2025-03-01 etch');
    await page.getByRole('button', { name: 'Remove start=2025-03-01' }).waitFor();
    await client.close();
  });

  test('a block of an invalid time can be removed, and so can another one next to it', async () => {
    const client = await browser.open(station.logbook.origin);
    const { page } = client;
    const remove = (name: string) => page.getByRole('button', { name: `Remove ${name}` });
    await boxOf(client).pressSequentially('start="1 Marhc" level=Urgent ');
    await remove('level=Urgent').click();
    await remove('level=Urgent').waitFor({ state: 'detached' });
    await page.getByText('“1 Marhc” is not a time.').waitFor();
    await remove('start="1 Marhc"').click();
    await remove('start="1 Marhc"').waitFor({ state: 'detached' });
    expect(queryOf(client)).toBe(null);
    await client.close();
  });

  test('on a phone, a search is watched and saved among its filters', async () => {
    const path = '/?query=etch';
    const client = await browser.open(station.logbook.origin, { path, width: 390, height: 844 });
    const { page } = client;
    await page.getByRole('button', { name: 'Filters' }).click();
    const filters = page.getByRole('dialog', { name: 'Filters' });
    const watch = filters.getByRole('button', { name: 'Watch this search' });
    await watch.click();
    await expect.poll(() => watch.getAttribute('aria-pressed')).toBe('true');
    await client.screenshot('phone-filters');
    await client.expectAccessible();
    await filters.getByRole('button', { name: 'Save this search' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Etching');
    await page.getByRole('textbox', { name: 'Name' }).press('Enter');
    await filters.getByRole('link', { name: 'Etching' }).waitFor();
    await client.expectClean();
    await client.close();
  });
});
