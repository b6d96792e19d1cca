import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePartNames } from './content-disposition.js';

/** A header as it arrives: one character per byte. */
const received = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('latin1');
const filenameOf = (parameters: string, encoding: BufferEncoding = 'utf8') =>
  parsePartNames(received(`form-data; name="files"; ${parameters}`, encoding))?.filename;

describe('the file name of', () => {
  test.each<[string, string, string | undefined, BufferEncoding?]>([
    ['UTF-8', 'filename="Prüfung µ.txt"', 'Prüfung µ.txt'],
    ['Latin-1', 'filename="Prüfung µ.txt"', 'Prüfung µ.txt', 'latin1'],
    ['a token with spaces', 'filename=my file.txt ', 'my file.txt'],
    ['no parameter', '', undefined],
    ['an empty name', 'filename=""', ''],
    ['filename* behind, unquoted', `filename="a.txt"; filename*=utf-8''%C3%BC.txt`, 'ü.txt'],
    ['filename* behind, quoted', `filename="a.txt"; filename*="utf-8''%C3%BC.txt"`, 'ü.txt'],
    ['filename* before, unquoted', `filename*=UTF-8'de'%c3%bc.txt; filename=a.txt`, 'ü.txt'],
    ['filename* before, quoted', `FileName*="UTF-8''%C3%BC.txt"; FILENAME="a.txt"`, 'ü.txt'],
    ['filename* without a character set', 'filename*=%C3%BC.txt', 'ü.txt'],
    ['filename* in Latin-1', `filename*=iso-8859-1''%FC.txt`, 'ü.txt'],
    ['filename* in Latin-1 that is called UTF-8', `filename*=utf-8''%FC.txt`, 'ü.txt'],
    ['filename* in an unknown character set', `filename*=x-no''%FC.txt; filename="a.txt"`, 'a.txt'],
    ['nothing but filename* in an unknown character set', `filename*=x-no''%FC.txt`, `x-no''%FC.txt`],
    ['an empty filename*', `filename*=utf-8''; filename="a.txt"`, 'a.txt'],
    ['nothing but an empty filename*', `filename*=utf-8''`, ''],
    ['filename* with an invalid escape', `filename="a.txt"; filename*=utf-8''%ZZ%.txt`, 'a.txt'],
    ['nothing but filename* with an invalid escape', `filename*=utf-8''50%.txt`, '50%.txt'],
    ['filename* with a semicolon in quotation marks', `filename*="utf-8''a;b.txt"`, 'a;b.txt'],
    ['filename* in parts', `filename*0*=utf-8''%C3; filename*1*=%BCa; filename*2=" %41.txt"`, 'üa %41.txt'],
    ['filename* in plain parts', 'filename*0="it\'s"; filename*1=".txt"', "it's.txt"],
    ['.NET', `filename="=?utf-8?B?w7wudHh0?="; filename*=utf-8''%C3%BC.txt`, 'ü.txt'],
    ['PowerShell', 'filename="=?utf-8?B?w7wudHh0?="', 'ü.txt'],
    ['a browser', 'filename="a%22b.txt"', 'a"b.txt'],
    ['old curl', String.raw`filename="a\"b\\c.txt"`, String.raw`a"b\c.txt`],
    ['no escaping', 'filename="a"b".txt"', 'a"b".txt'],
    ['a path of Windows', String.raw`filename="C:\fakepath\x.png"`, String.raw`C:\fakepath\x.png`],
    ['an unfinished quotation', 'filename="a.txt', 'a.txt'],
    ['a quoted name with a semicolon', 'filename="a;filename=b.txt"', 'a;filename=b.txt'],
  ])('%s', (_case, parameters, filename, encoding) => {
    expect(filenameOf(parameters, encoding)).toBe(filename);
  });
});

test('a part that is not form-data has no names; form-data may lack a name or a file name', () => {
  expect(parsePartNames('attachment; name="a"')).toBeUndefined();
  expect(parsePartNames('')).toBeUndefined();
  expect(parsePartNames('form-data; filename="a"')).toEqual({ name: undefined, filename: 'a' });
  expect(parsePartNames('Form-Data; flag; name = files')).toEqual({ name: 'files', filename: undefined });
});

test('any name survives the encodings of browsers, curl and RFC 8187', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !/%(?:22|0[da])|=\?|\\/i.test(text) && text.isWellFormed());
  fc.assert(
    fc.property(name, (text) => {
      const inForm = text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
      const encoded = encodeURIComponent(text).replaceAll("'", '%27');
      expect(filenameOf(`filename="${inForm}"`)).toBe(text);
      expect(filenameOf(`filename="${text.replaceAll('"', '\\"')}"`)).toBe(text);
      expect(filenameOf(`filename="x"; filename*="utf-8''${encoded}"`)).toBe(text);
    }),
  );
});

test('no header makes the parser throw or take long, and no byte becomes U+FFFD', () => {
  const piece = fc.constantFrom(
    '"',
    '\\',
    ';',
    '=',
    '*',
    "'",
    '%',
    '=?',
    '?=',
    'utf-8',
    'filename',
    'ü',
    ' ',
    'b',
    '0',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.constantFrom('utf8' as const, 'latin1' as const),
      (pieces, encoding) => {
        expect(filenameOf(pieces.join(''), encoding) ?? '').not.toContain('\ufffd');
      },
    ),
  );
  for (const long of ['=?', '"', '\\', "filename*0='", '=?a?b?', ';', ' '])
    filenameOf(`filename="${long.repeat(30_000)}`);
});
