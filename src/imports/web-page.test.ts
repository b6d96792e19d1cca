import { expect, test } from 'vitest';
import { isWebPageInstead } from './web-page.js';

const file = {
  id: undefined,
  filename: 'trace.csv',
  fileMetadataDescription: undefined,
  size: undefined,
  checksum: undefined,
  open: async () => undefined,
};
const page = Buffer.from('<!DOCTYPE html><html><body>Sign in</body></html>');

const isInstead = (some: object, head: Buffer = page, mediaType = 'text/html; charset=utf-8') =>
  isWebPageInstead({ ...file, ...some }, mediaType, { head, size: head.length });

test('a page that was sent as HTML in place of a file of another kind counts as a web page', async () => {
  expect(await isInstead({})).toBe(true);
  expect(await isInstead({ filename: 'trace' })).toBe(true);
  expect(await isInstead({}, Buffer.from('\ufeff <!-- a --> <!-- b -->\n<html lang="en">'))).toBe(true);
  expect(await isInstead({ size: page.length + 1 })).toBe(true);
});

test('a file whose name, description, size, checksum, content or media type says so is not a web page', async () => {
  for (const filename of ['report.html', 'a.xhtml', 'a.svg', 'a.mht', 'a.mhtml', 'mail.eml', 'a.php', 'a.ASP']) {
    expect(await isInstead({ filename }), filename).toBe(false);
  }
  expect(await isInstead({ fileMetadataDescription: 'text/html' })).toBe(false);
  expect(await isInstead({ size: page.length })).toBe(false);
  expect(await isInstead({ checksum: 'a'.repeat(64) })).toBe(false);
  expect(await isInstead({}, Buffer.from('a,b\n1,2\n'))).toBe(false);
  expect(await isInstead({}, page, 'text/csv')).toBe(false);
});

test('comments that fill the beginning are read in bounded time', async () => {
  expect(await isInstead({}, Buffer.from(`${'<!---->'.repeat(146)}<p>`))).toBe(false);
});
