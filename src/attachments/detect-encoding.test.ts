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

/** Texts in other scripts, by their bytes. */
const eastern: readonly (readonly [name: string, hex: string, encoding: string])[] = [
  [
    'GB18030',
    'cab1bce42cb5e7c1f72cb5e7d1b90a323032362d31312d32362030333a31322c312e352c32310ab4c5ccfaccf8d5a22ccaf8c1f7b6aacaa7a1a30a',
    'gb18030',
  ],
  ['two words of GB18030', '536f757263652c4348310acda8b5c02cb5e7d1b92856290a302c310a', 'gb18030'],
  ['one word of GB18030', 'b5e7c1f7', 'gb18030'],
  [
    'Big5',
    'aec9b6a12cb971ac792cb971c0a30a323032362d31312d32362030333a31322c312e352c32310abacfc54bb8f5b2e62ca7f4ac79aef8a5a2a1430a',
    'big5',
  ],
  ['two words of Big5', 'aec9b6a12cb971ac790a312c320a', 'big5'],
  ['EUC-KR', 'bdc3b0a32cc0fcb7f92cc0fcbed00a312e352c32310ac0dabcae20c0fcbff8c0cc20b2a8c1b3bdc0b4cfb4d92e0a', 'euc-kr'],
  ['two words of EUC-KR', 'bdc3b0a32cc0fcb7f90a312c320a', 'euc-kr'],
  ['Chinese characters in Shift_JIS', '8e9e8ad42c936497ac0a312c320a', 'shift_jis'],
  [
    'one status of gb18030 in many lines',
    '302cb5e7d4b4b9cad5cf2c310a312cb5e7d4b4b9cad5cf2c310a322cb5e7d4b4b9cad5cf2c310a332cb5e7d4b4b9cad5cf2c310a342cb5e7d4b4b9cad5cf2c310a352cb5e7d4b4b9cad5cf2c310a362cb5e7d4b4b9cad5cf2c310a372cb5e7d4b4b9cad5cf2c310a382cb5e7d4b4b9cad5cf2c310a392cb5e7d4b4b9cad5cf2c31',
    'gb18030',
  ],
  [
    'one status of euc-kr in many lines',
    '302cc0fcbff820b0edc0e52c310a312cc0fcbff820b0edc0e52c310a322cc0fcbff820b0edc0e52c310a332cc0fcbff820b0edc0e52c310a342cc0fcbff820b0edc0e52c310a352cc0fcbff820b0edc0e52c310a362cc0fcbff820b0edc0e52c310a372cc0fcbff820b0edc0e52c310a382cc0fcbff820b0edc0e52c310a392cc0fcbff820b0edc0e52c31',
    'euc-kr',
  ],
  [
    'one status of big5 in many lines',
    '302cb971b7bdac47bbd92c310a312cb971b7bdac47bbd92c310a322cb971b7bdac47bbd92c310a332cb971b7bdac47bbd92c310a342cb971b7bdac47bbd92c310a352cb971b7bdac47bbd92c310a362cb971b7bdac47bbd92c310a372cb971b7bdac47bbd92c310a382cb971b7bdac47bbd92c310a392cb971b7bdac47bbd92c31',
    'big5',
  ],
  [
    'windows-1251',
    'c2f0e5ecff3bd2eeea20eceac03bd2e5ecef2e20b0430d0a30333a31323b312c353b32310d0ad1f0e0e1eef2e0ebe020e7e0f9e8f2e020ece0e3ede8f2e00d0a',
    'windows-1251',
  ],
  ['two words of windows-1251', 'c2f0e5ecff2c20f2eeea0d0a', 'windows-1251'],
  ['capitals of windows-1251', 'c2d0c5ccdf3bd2ceca3bcdc0cfd0dfc6c5cdc8c50a', 'windows-1251'],
  [
    'KOI8-R',
    'f7d2c5cdd13bf4cfcb20cdcbe13bf4c5cdd02e209c430d0a30333a31323b312c353b32310d0af3d2c1c2cfd4c1ccc120dac1ddc9d4c120cdc1c7cec9d4c10d0a',
    'koi8-r',
  ],
  ['two words of KOI8-R', 'cdc1c7cec9d420cfd4cbccc0dea3ce', 'koi8-r'],
  ['capitals of KOI8-R', 'f7f2e5edf13bf4efeb3beee1f0f2f1f6e5eee9e50a', 'koi8-r'],
  ['windows-1255', 'e4eef9e0e1e420f0f2f6f8e420e1f9f2e420f9ece5f92e2031322e35206b56', 'windows-1255'],
  ['three words of windows-1255', 'e3ece9f4fa20eee9ed20f7e8f0e4', 'windows-1255'],
  [
    'windows-1253',
    'c720eafdf1e9e120e1edf4ebdfe120f3f4e1ecdcf4e7f3e520f3f4e9f220f4f1e5e9f22e0a31322e35206b56',
    'windows-1253',
  ],
  ['three words of windows-1253', 'cce9eaf1de20e4e9e1f1f1efde20ede5f1effd', 'windows-1253'],
  ['windows-1256', 'c7e4ceddd620c7e1d6dbd820dded20dbd1ddc920c7e1caddd1eddba12031322e35206b56', 'windows-1256'],
  ['three words of windows-1256', 'dac7cf20c7e1e3d3d1da20c5e1ec20c7e1dae3e1', 'windows-1256'],
  [
    'windows-874',
    'bbd1eac1cad8adadd2a1d2c8cbc2d8b4b7d3a7d2b9e0c1d7e8cde0c7c5d2b5d5cad2c12031322e35206b56',
    'windows-874',
  ],
  ['two words of windows-874', 'b9e9d3c3d1e8c7e0c5e7a1b9e9cdc220e1c3a7b4d1b9cad9a7', 'windows-874'],
  [
    'signs before letters in Latin-1',
    '4920b5413b5420b0433b5520b1353b4772f6df653b48e4756669676b6569743b72e9676ce920e02035b00a',
    'windows-1252',
  ],
];

describe('is text', () => {
  test.each<[string, Buffer, string]>([
    ['UTF-8', Buffer.from(table), 'utf-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${table}`), 'utf-8'],
    ['a log with colours of a terminal', Buffer.from('\x1b[31mtrip\x1b[0m\x07 at 03:12\r\n'), 'utf-8'],
    ['lines of an instrument', Buffer.from('\x02+1.25\x03\r\n\x02+1.26\x03\r\n'), 'utf-8'],
    ['Latin-1', Buffer.from(table, 'latin1'), 'windows-1252'],
    ['one Latin-1 byte', Buffer.from('Source,CH1\nUnits,\xb5s\n0,1\n', 'latin1'), 'windows-1252'],
    ['an accent at the end', Buffer.from('Volt\xe4', 'latin1'), 'windows-1252'],
    ['a word of accents', Buffer.from('Test mit Umlauten: äöüß', 'latin1'), 'windows-1252'],
    ['quotation marks of Windows', Buffer.from('the \x93kicker\x94 \x96 5 \x80', 'latin1'), 'windows-1252'],
    ['UTF-16 LE', utf16(`\ufeff${table}`), 'utf-16le'],
    ['UTF-16 BE', utf16(`\ufeff${table}`, true), 'utf-16be'],
    ['UTF-16 LE without a byte order mark', utf16(table), 'utf-16le'],
    ['UTF-16 BE without a byte order mark', utf16(table, true), 'utf-16be'],
    ['UTF-16 whose last character is cut off', utf16(`\ufeff${table}`).subarray(0, -1), 'utf-16le'],
    [
      'UTF-16 with a damaged character',
      Buffer.concat([utf16(`\ufeff${table.repeat(5)}`), Buffer.from([0x3d, 0xd8])]),
      'utf-16le',
    ],
    ['UTF-16 in Japanese', utf16('\ufeff時間,電流,温度\r\n'), 'utf-16le'],
    ['Shift_JIS', Buffer.from('8e9e8ad42c93647 22c89b793780a312c32'.replaceAll(' ', ''), 'hex'), 'shift_jis'],
    ['EUC-JP', Buffer.from('bbfeb4d6a4c8a5c7a1bca5bf2c31', 'hex'), 'euc-jp'],
    ...eastern.map(([name, hex, encoding]): [string, Buffer, string] => [name, Buffer.from(hex, 'hex'), encoding]),
  ])('%s', (_case, bytes, encoding) => {
    expect(detectEncoding(bytes, false)).toBe(encoding);
  });

  test.each(['äöüÄÖÜß', 'æøå ÆØÅ', 'Accents: éèêëàâùûüôöîïç', 'Año, señal, corrupción áéíóúñ'])(
    'in a western language, with hardly anything but accents, when its name says so: %s',
    (text) => {
      expect(detectEncoding(Buffer.from(text, 'latin1'), true)).toBe('windows-1252');
    },
  );

  test('with lines and bars of code page 437, when its name says so', () => {
    for (const text of [
      `\xc9${'\xcd'.repeat(9)}\xbb\r\n\xba ${'\xdb'.repeat(5)}\xb1\xba`,
      '\xc4\xc4\xc4 \xc4\xc4\xc4',
    ]) {
      expect(detectEncoding(Buffer.from(text, 'latin1'), true)).toBe('windows-1252');
    }
  });

  test('in an unknown single-byte alphabet, when its name says so', () => {
    const bytes = Buffer.from('80818d8f909d20534f55524345', 'hex');
    expect(detectEncoding(bytes, false)).toBeUndefined();
    expect(decodeText(bytes, detectEncoding(bytes, true) ?? 'utf-8')).toContain(' SOURCE');
  });

  test('with a character cut off at the end of the examined bytes', () => {
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

test.each([
  ['Hebrew (windows-1255)', 'e6eeef20e6f8ed20e8eef4f8e8e5f8e420e4e0ece5eee420e0e1e3e420e4eee2f0e820f0f4ec'],
  ['Greek (windows-1253)', 'd7f1fcedeff220d1e5fdece120c8e5f1ecefeaf1e1f3dfe120e4ddf3ece720f7dce8e7eae520d1c5d5ccc1'],
  [
    'Korean (CP949)',
    'bdc3b0a320c0fcb7f920c0fcbed020baf6c0cc20b2f7b0e5bdc0b4cfb4d9208c63b9e6b0a2c7cf20bc84bdc3c4ddb6f3',
  ],
  ['Thai (windows-874)', 'e0c7c5d220a1c3d0e1ca20cdd8b3cbc0d9c1d420c5d3e1caa7cbd2c2e4bb20a1c3d0e1cae4bfbfe9d2'],
  [
    'Turkish (windows-1254)',
    '416bfd6d2053fd63616b6cfd6b2049fefd6e206dfd6b6e6174fd732064fcfe74fc2067fce720ddde2047dc56454e4cddd0dd',
  ],
  ['Polish (windows-1250)', '5a61bff3b3e62067ea9c6cb9206a619ff1207769b97a6b61'],
  ['Arabic (windows-1256)', 'c7e1d2e3e420c7e1caedc7d120c7e1cdd1c7d1c920d6c7da20c7e1d4dac7da'],
  ['Russian (CP866)', '82e0a5acef2092aeaa208fe3e7aeaa20afaee2a5e0efad20e1e0a0a1aee2a0aba020a7a0e9a8e2a0'],
])('ASCII words next to words in %s survive, and no character is replaced', (_script, hex) => {
  const foreign = Buffer.from(hex, 'hex').toString('latin1').split(' ');
  const ascii = ['Source', 'kicker', 'Zeta', 'trip', 'mA', '12.5', 'CH1'];
  const separator = fc.constantFrom(' ', ',', ';', '\n', '\r\n');
  const words = fc.array(fc.tuple(fc.constantFrom(...foreign, ...ascii), separator), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(words, (typed) => {
      const bytes = Buffer.from(typed.flat().join(''), 'latin1');
      const text = decodeText(bytes, encodingOf(bytes));
      expect(text).not.toContain('\ufffd');
      expect(text.match(/[\w.]+/g) ?? []).toEqual(
        expect.arrayContaining(typed.map(([word]) => word).filter((word) => ascii.includes(word))),
      );
    }),
  );
});

test('a byte that is not UTF-8, after the first examined bytes: the bytes from there on determine the encoding', () => {
  const ascii = 'a'.repeat(2 * headBytes);
  expect(encodingOf(Buffer.from(`${ascii}\xb5`, 'latin1'))).toBe('windows-1252');
  for (const [, hex, encoding] of eastern) {
    expect(encodingOf(Buffer.concat([Buffer.from(ascii), Buffer.from(hex, 'hex')]))).toBe(encoding);
  }
});
