import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deviceNamesIn, deviceWordsIn, looksLikeDevice, searchForNames } from './device-words.js';
import { parseWords } from './search-text.js';
import { namesOf } from './tokenize.js';
import { wildcardTest } from './wildcard.js';

const quad = 'SR:C03-MG:G02A{Quad:1}';

test.each([
  [`${quad}I-SP, ${quad}I. ${quad}: off`, [`${quad}I-SP`, `${quad}I`, quad]],
  [`“${quad}I” and ${quad}I’s ramp—${quad}…`, [`${quad}I`, `${quad}I`, quad]],
  [`**${quad}I** (${quad}), {SR:V5} _SR:V6_`, [`${quad}I`, quad, 'SR:V5', 'SR:V6']],
  [`${quad} 50%, ${quad}50%!`, [quad, `${quad}50%`]],
  ['SR:{a{b}} SR:{a}} SR:{a', ['SR:{a{b}}', 'SR:{a}', 'SR:{a']],
  ['See https://sr.example.org at 12:30: gone {x}', []],
])('names in %s', (text, names) => {
  expect(deviceNamesIn(text)).toEqual(names);
});

const run = fc.string({ unit: fc.constantFrom('S', 'R', 'c', '0', '3', 'é'), minLength: 1, maxLength: 4 });
const joined = fc
  .array(run, { minLength: 1, maxLength: 3 })
  .chain((runs) =>
    fc
      .array(fc.constantFrom(':', '-', '_', '.', '%', '/', '::'), { minLength: runs.length, maxLength: runs.length })
      .map((signs) => runs.map((one, at) => (at === 0 ? one : `${signs[at]}${one}`)).join('')),
  );
const closed = joined.map((inner) => `{${inner}}`);
const names = fc
  .tuple(fc.constantFrom('SR:', 'x{a}'), fc.array(fc.oneof(joined, closed), { minLength: 1, maxLength: 4 }))
  .map(([start, pieces]) => start + pieces.join(''));

test('a name is found whole, whatever the sentence around it', () => {
  const before = fc.constantFrom('', ' ', '(', '"', '“', '**', '{', ', ', '…', 'see=');
  const after = fc.constantFrom(
    '',
    ' ',
    '.',
    '...',
    '?!',
    '**',
    ')',
    ',x',
    '”',
    '’s',
    ': off',
    '…',
    ' 50%',
    ' – gone',
    '}',
  );
  fc.assert(
    fc.property(before, names, after, (opening, name, closing) => {
      const text = opening + name + closing;
      expect(Array.from(deviceWordsIn(text), ({ word }) => word)).toContain(name);
      for (const { word, start } of deviceWordsIn(text)) expect(text.slice(start, start + word.length)).toBe(word);
    }),
  );
});

test('the search for the beginning of a name finds it in the index, at every character that is typed', () => {
  fc.assert(
    fc.property(names, fc.nat(), (name, length) => {
      const start = name.slice(0, 1 + (length % name.length));
      if (!looksLikeDevice(start)) return;
      const [match, ...others] = parseWords(searchForNames(start), false);
      expect(others).toEqual([]);
      expect(match?.kind).toBe('wildcard');
      if (match?.kind === 'wildcard') expect(namesOf(name).filter(wildcardTest(match.pattern))).not.toEqual([]);
    }),
    {
      numRuns: 1_000,
      examples: [
        [`${quad}I-SP`, quad.length],
        [`${quad}50%`, quad.length + 2],
      ],
    },
  );
});

test('a text of braces is scanned once', () => {
  const braces = '}'.repeat(1_000_000);
  expect(Array.from(deviceWordsIn(`a{${braces}`), ({ word }) => word)).toEqual(['a{}']);
});
