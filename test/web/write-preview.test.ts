import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DraftPage } from '../fixtures/draft-page.js';
import { pasteImage } from '../fixtures/paste-image.js';
import { TestService } from '../fixtures/service.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';

/** Records the object URLs that are not released yet, and the files of drafts that the page reads from the server. */
const recordUrls = `(() => {
  const { createObjectURL, revokeObjectURL } = URL;
  const { blob } = Response.prototype;
  window.openUrls = new Set();
  window.reads = [];
  URL.createObjectURL = (file) => {
    const url = createObjectURL.call(URL, file);
    openUrls.add(url);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    openUrls.delete(url);
    revokeObjectURL.call(URL, url);
  };
  Response.prototype.blob = function () {
    const read = blob.call(this);
    if (this.url.endsWith('/content')) reads.push(read);
    return read;
  };
})()`;

const forgetFiles = `new Promise((done, fail) => {
  const opening = indexedDB.open('logbook');
  opening.onerror = fail;
  opening.onsuccess = () => {
    const forgetting = opening.result.transaction('files', 'readwrite');
    forgetting.objectStore('files').clear();
    forgetting.oncomplete = done;
    forgetting.onerror = fail;
  };
})`;

describe.skipIf(withoutBrowser)('the preview of a text', () => {
  const browser = useBrowser();
  let logbook: TestService;
  beforeAll(async () => {
    if (!withoutBrowser) logbook = await TestService.start();
  });
  afterAll(async () => logbook?.stop());

  test('that closes before an image has been read does not keep the image in memory', async () => {
    const client = await browser.open(logbook.origin, { path: '/write' });
    const { page } = client;
    // The preview requests the image as if the entry were sent, until the image is read.
    client.expectConsole('404 (Not Found)');
    const draft = new DraftPage(page);
    await draft.text.click();
    await pasteImage(page);
    await page.getByText('ready').waitFor();
    await draft.light();
    await page.evaluate(forgetFiles);
    await page.addInitScript(recordUrls);
    let answer = () => {};
    const closed = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let held = 0;
    await page.route('**/content', async (route) => {
      held += 1;
      await closed;
      return route.continue();
    });
    await page.reload();
    // The preview and the list of files each read the image.
    await expect.poll(() => held).toBe(2);
    await page.getByRole('button', { name: 'Back to the entries' }).click();
    await page.locator('.write-page').waitFor({ state: 'detached' });
    answer();
    await expect.poll(() => page.evaluate('reads.length')).toBe(2);
    await page.evaluate('Promise.all(reads).then(() => new Promise((done) => setTimeout(done)))');
    expect(await page.evaluate('openUrls.size')).toBe(0);
    await client.expectClean();
    await client.close();
  });
});
