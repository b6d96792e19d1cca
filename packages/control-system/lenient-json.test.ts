import { expect, test } from 'vitest';
import { parseLenient } from './lenient-json.js';

test('numbers that are not finite become texts, and texts stay as they are', () => {
  expect(parseLenient('[NaN, -Infinity, "NaN", "a \\" NaN\\\\", 1]')).toEqual([
    'NaN',
    '-Infinity',
    'NaN',
    'a " NaN\\',
    1,
  ]);
});

test.each(['"', '\\', '\\"', '"\\', '-', '[', 'NaN', '"a",'])('many of %s take linear time', (part) => {
  for (const start of ['', '"']) expect(() => parseLenient(`${start}${part.repeat(250_000)}\\\n`)).toThrow(SyntaxError);
});
