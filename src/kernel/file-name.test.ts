import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeFileName } from './file-name.js';

const base64 = (text: string, from: BufferEncoding = 'utf8') => Buffer.from(text, from).toString('base64');

describe('a file name is decoded:', () => {
  test.each([
    [`=?utf-8?B?${base64('Prüfung µ.txt')}?=`, 'Prüfung µ.txt'],
    ['=?UTF-8?Q?Pr=C3=BCfung_=C2=B5.txt?=', 'Prüfung µ.txt'],
    ['=?iso-8859-1?q?Pr=FCfung?=.txt', 'Prüfung.txt'],
    ['=?windows-1252?Q?5_=80.txt?=', '5 €.txt'],
    ['=?shift_jis?B?kaqS6A==?=.csv', '測定.csv'],
    ['=?utf-8*de?Q?=C3=BC?=.txt', 'ü.txt'],
    // Divided within a character, and with white space between the words.
    ['=?utf-8?Q?a=C3?= =?utf-8?Q?=BC?=.txt', 'aü.txt'],
    ['=?utf-8?Q?a?= \t =?iso-8859-1?Q?=FC?= b.txt', 'aü b.txt'],
    // Latin-1 that is labelled UTF-8.
    ['=?utf-8?Q?=FC.txt?=', 'ü.txt'],
    ['a%22b%0d%0A.txt', 'a"b\r\n.txt'],
  ])('%s', (name, decoded) => {
    expect(decodeFileName(name)).toBe(decoded);
  });

  test.each([
    'trip.csv',
    '100%.txt',
    'a%41%2F.txt',
    'a=?b.txt',
    '=?utf-8?B?',
    '=?utf-8?B?!!?=',
    // Unknown encodings, or bytes without a character.
    '=?x-unknown?B?YQ==?=.txt',
    '=?shift_jis?Q?=FF=FF?=.txt',
    '=?utf-8?Q?a?==?x-unknown?Q?b?=',
  ])('or stays unchanged: %s', (name) => {
    expect(decodeFileName(name)).toBe(name);
  });
});

test('any name comes back from encoded words of any length', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/%(?:22|0[da])/i.test(text));
  fc.assert(
    fc.property(name, fc.integer({ min: 1, max: 40 }), fc.boolean(), (text, length, isQuoted) => {
      const bytes = Buffer.from(text);
      const words: string[] = [];
      for (let at = 0; at < bytes.length; at += length) {
        const part = bytes.subarray(at, at + length);
        const quoted = [...part].map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
        words.push(isQuoted ? `=?utf-8?Q?${quoted}?=` : `=?utf-8?B?${part.toString('base64')}?=`);
      }
      expect(decodeFileName(words.join(' '))).toBe(text);
    }),
  );
});
