import { expect, test } from 'vitest';
import { framePage, pageMargin } from './page-frame.js';

const array = '[{"id":1},{"id":2}]';

function withMargins(): Uint8Array {
  const bytes = new Uint8Array(array.length + 2 * pageMargin).fill(0x20);
  bytes.set(Buffer.from(array), pageMargin);
  return bytes.subarray(pageMargin, pageMargin + array.length);
}

test('a page with margins is framed in its own buffer', () => {
  const page = withMargins();
  const framed = framePage(page, '{"hitCount":2,"logs":', '}');
  expect(framed.toString()).toBe(`{"hitCount":2,"logs":${array}}`);
  expect(framed.buffer).toBe(page.buffer);
});

test('what does not fit into the margins is framed in a new buffer', () => {
  const long = ' '.repeat(pageMargin + 1);
  expect(framePage(withMargins(), long, '').toString()).toBe(`${long}${array}`);
  expect(framePage(withMargins(), '', long).toString()).toBe(`${array}${long}`);
});

test('a page without margins, or within a larger buffer, is framed in a new buffer', () => {
  const alone = Uint8Array.from(Buffer.from(array));
  expect(framePage(alone, '<', '>').toString()).toBe(`<${array}>`);
  const pooled = new Uint8Array(1_000);
  pooled.set(Buffer.from(array), pageMargin);
  expect(framePage(pooled.subarray(pageMargin, pageMargin + array.length), '<', '>').toString()).toBe(`<${array}>`);
});

test('a page that other answers contain too stays as it is', () => {
  const page = withMargins();
  const first = framePage(page, '<', '>');
  expect(framePage(page, '{"logs":', '}', true).toString()).toBe(`{"logs":${array}}`);
  expect(first.toString()).toBe(`<${array}>`);
});
