import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

/** Pastes as the browser does with this content of the clipboard. */
async function paste(page: Page, content: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    for (const [type, text] of Object.entries(${JSON.stringify(content)})) clipboardData.setData(type, text);
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
}

const report = `<meta charset="utf-8"><b style="font-weight:normal"><h2>Trips</h2><p>See the <a href="https://a.example/x">report</a>
of <i>sector 3</i>:</p><ul><li>RF <code>SR:RF{Cav:2}</code></li></ul></b>`;
const plainReport = 'Trips\nSee the report of sector 3:\nRF SR:RF{Cav:2}';

describe.skipIf(withoutBrowser)('pasting into the text', () => {
  const browser = useBrowser();
  let logbook: TestService;

  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  async function open() {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const draft = new DraftPage(client.page);
    await draft.text.click();
    const lines = () => client.page.locator('.cm-line').allInnerTexts();
    const text = async () => (await lines()).map((line) => line.replace(/\n$/, '')).join('\n');
    return { client, page: client.page, draft, text };
  }

  test('copied cells become a table, and one undo brings the copied text back', async () => {
    const { client, page, text } = await open();
    await page.keyboard.type('Readings:');
    await paste(page, { 'text/plain': 'PV\tValue\nSR:RF{Cav:2}\t9.8 kW\n' });
    const table = 'Readings:\n\n| PV | Value |\n| --- | --- |\n| SR:RF{Cav:2} | 9.8 kW |\n\n';
    await expect.poll(text).toBe(table);
    await page.getByRole('cell', { name: '9.8 kW' }).waitFor();
    await page.keyboard.press('Control+z');
    await expect.poll(text).toBe('Readings:PV\tValue\nSR:RF{Cav:2}\t9.8 kW\n');
    await page.keyboard.press('Control+z');
    await expect.poll(text).toBe('Readings:');
    await page.keyboard.press('Control+y');
    await page.keyboard.press('Control+y');
    await expect.poll(text).toBe(table);
    // A sentence is not another row.
    await page.keyboard.type('Then the pump was reset.');
    await page.locator('.preview-scroll p', { hasText: 'Then the pump was reset.' }).waitFor();
    await client.expectClean();
    await client.close();
  });

  test('formatted text keeps its headings, links, lists, emphasis and code', async () => {
    const { client, page, text } = await open();
    await paste(page, { 'text/html': report, 'text/plain': plainReport });
    const markdown = '## Trips\n\nSee the [report](https://a.example/x) of *sector 3*:\n\n- RF `SR:RF{Cav:2}`\n\n';
    await expect.poll(text).toBe(markdown);
    await page.keyboard.type('after');
    await page.getByText('after', { exact: true }).and(page.locator('.preview-scroll p')).waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(text).toBe(plainReport);
    await client.expectClean();
    await client.close();
  });

  test('text without formatting, and all text in code, is pasted as it is', async () => {
    const { client, page, text } = await open();
    await paste(page, { 'text/html': '<p style="color:red">2*3</p>', 'text/plain': '2*3' });
    await expect.poll(text).toBe('2*3');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('```\n');
    await paste(page, { 'text/html': report, 'text/plain': plainReport });
    // The converter is loaded by now: a conversion would be there with the next frame.
    await page.keyboard.type('.');
    await client.drawn();
    expect(await text()).toBe(`\`\`\`\n${plainReport}.`);
    await client.expectClean();
    await client.close();
  });
});
