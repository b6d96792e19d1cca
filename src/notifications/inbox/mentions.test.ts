import { expect, test } from 'vitest';
import { mentionsOf } from './mentions.js';

const namesIn = (description: string) => [...mentionsOf({ title: '', description })];

test.each([
  ['Ask @Jane.', ['jane']],
  ['(@jane), @bob-2: @Jürgen_K!', ['jane', 'bob-2', 'jürgen_k']],
  ['Ask @jane.doe+ops@lab.org, please', ['jane.doe+ops@lab.org']],
  ['mail jane@lab.org, x.@bob, @@ann and @', []],
  ['@-', []],
])('mentions in “%s”', (text, names) => {
  expect(namesIn(text)).toEqual(names);
});

test('the title counts, too', () => {
  expect([...mentionsOf({ title: '@bob', description: '@ann' })]).toEqual(['bob', 'ann']);
});

test('only the first thousand mentions in a text are examined', () => {
  const text = Array.from({ length: 100_000 }, (_, at) => `@n${at}`).join(' ');
  expect(namesIn(text)).toHaveLength(1_000);
});
