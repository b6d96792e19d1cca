import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText } from '../kernel/text-encoding.js';
import { headBytes } from './blob-store.port.js';
import { detectEncoding, encodingOf } from './detect-encoding.js';

const table = 'Zeit;Strom µA;Temp. °C;Zähler\r\n03:12;1,5;21;4\r\n';
const utf16 = (text: string, isBig = false) => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

describe('is text', () => {
  test.each<[string, Buffer, string]>([
    ['UTF-8', Buffer.from(table), 'utf-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${table}`), 'utf-8'],
    ['a log with colours of a terminal', Buffer.from('\x1b[31mtrip\x1b[0m\x07 at 03:12\r\n'), 'utf-8'],
    ['lines of an instrument', Buffer.from('\x02+1.25\x03\r\n\x02+1.26\x03\r\n'), 'utf-8'],
    ['Latin-1', Buffer.from(table, 'latin1'), 'windows-1252'],
    ['one Latin-1 byte', Buffer.from('Source,CH1\nUnits,\xb5s\n0,1\n', 'latin1'), 'windows-1252'],
    ['an accent at the end', Buffer.from('Volt\xe4', 'latin1'), 'windows-1252'],
    ['quotation marks of Windows', Buffer.from('the \x93kicker\x94 \x96 5 \x80', 'latin1'), 'windows-1252'],
    ['UTF-16 LE', utf16(`\ufeff${table}`), 'utf-16le'],
    ['UTF-16 BE', utf16(`\ufeff${table}`, true), 'utf-16be'],
    ['UTF-16 LE without a byte order mark', utf16(table), 'utf-16le'],
    ['UTF-16 BE without a byte order mark', utf16(table, true), 'utf-16be'],
    ['UTF-16 in Japanese', utf16('\ufeff時間,電流,温度\r\n'), 'utf-16le'],
    ['Shift_JIS', Buffer.from('8e9e8ad42c93647 22c89b793780a312c32'.replaceAll(' ', ''), 'hex'), 'shift_jis'],
    ['EUC-JP', Buffer.from('bbfeb4d6a4c8a5c7a1bca5bf2c31', 'hex'), 'euc-jp'],
  ])('%s', (_case, bytes, encoding) => {
    expect(detectEncoding(bytes, false)).toBe(encoding);
  });

  test('in another alphabet of one byte, when its name says so', () => {
    const russian = Buffer.from('c2f0e5ecff2c20f2eeea0d0a', 'hex');
    expect(detectEncoding(russian, false)).toBeUndefined();
    expect(detectEncoding(russian, true)).toBe('windows-1252');
  });

  test('with a character cut off at the end of what is looked at', () => {
    const long = Buffer.from('a'.repeat(headBytes - 1) + 'µ'.repeat(10));
    expect(detectEncoding(long.subarray(0, headBytes), false)).toBe('utf-8');
  });
});

describe('is not text', () => {
  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(100)],
    ['numbers of 16 bits', Buffer.from(Int16Array.from({ length: 500 }, (_, at) => at * 3).buffer)],
    ['floating-point numbers', Buffer.from(Float64Array.from({ length: 500 }, (_, at) => at / 3).buffer)],
    ['random numbers behind the mark of UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), randomBytes(400)])],
    ['control characters', Buffer.from('\x01\x02\x03\x04')],
  ])('%s', (_case, bytes) => {
    expect(detectEncoding(bytes, true)).toBeUndefined();
  });

  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 200, maxLength: 2_000 }), fc.boolean(), (_shape, isNamedText) => {
        expect(detectEncoding(randomBytes(200), isNamedText)).toBeUndefined();
      }),
    );
  });
});

test('any western text in windows-1252 is read as it was written', () => {
  const western = Array.from({ length: 0x60 }, (_, at) => String.fromCharCode(0xa0 + at));
  const word = fc
    .tuple(fc.constantFrom(...western), fc.stringMatching(/^[a-z]{1,9}$/))
    .map(([accent, rest]) => `${rest}${accent} ${rest}`);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
      const text = words.join(', ');
      const bytes = Buffer.from(text, 'latin1');
      expect(decodeText(bytes, encodingOf(bytes))).toBe(text);
    }),
  );
});

test('a text whose first byte that is not UTF-8 comes late is windows-1252', () => {
  expect(encodingOf(Buffer.from(`${'a'.repeat(2 * headBytes)}\xb5`, 'latin1'))).toBe('windows-1252');
});
