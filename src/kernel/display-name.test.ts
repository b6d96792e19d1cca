import { expect, test } from 'vitest';
import { toDisplayName } from './display-name.js';

test('a display name is on one line, without characters that change its direction, and of limited length', () => {
  expect(toDisplayName(' Jane\n\tDoe\u202e ', 'jane')).toBe('Jane Doe');
  expect(toDisplayName('x'.repeat(300), 'jane')).toHaveLength(255);
  expect(toDisplayName(`${'x'.repeat(254)}😀`, 'jane')?.isWellFormed()).toBe(true);
});

test.each([undefined, null, 7, '', ' \n', 'JANE'])('%j is not used as the display name of jane', (told) => {
  expect(toDisplayName(told, 'jane')).toBeUndefined();
});
