import fc from 'fast-check';
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

test('a page with margins that are too small for the text is framed in a new buffer', () => {
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

test('answers that contain the same page do not change each other', () => {
  const frames = ['', '{', '<', '{"logs":', '{"hitCount":2,"logs":'];
  const ends = ['', '}', '>', '}}'];
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...frames), fc.constantFrom(...ends)), { maxLength: 10 }), (all) => {
      const page = withMargins();
      const answers = all.map(([before, after]) => framePage(page, before, after));
      expect(answers.map(String)).toEqual(all.map(([before, after]) => `${before}${array}${after}`));
    }),
  );
});

test('answers with the same page and the same text around it share one buffer', () => {
  const page = withMargins();
  const answers = [1, 2].map(() => framePage(page, '{"logs":', '}'));
  expect(answers.map(({ buffer }) => buffer)).toEqual([page.buffer, page.buffer]);
  expect(answers.map(String)).toEqual([`{"logs":${array}}`, `{"logs":${array}}`]);
});
