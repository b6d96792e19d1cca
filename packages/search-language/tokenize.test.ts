import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunksOf, fold, forEachSlice, maxWordLength, namesOf, partsOf, termsOf } from './tokenize.js';

describe('words', () => {
  test('punctuation around a word is not part of it', () => {
    expect(partsOf('Beam (finally) tripped. “Again”, they said!')).toEqual([
      'beam',
      'finally',
      'tripped',
      'again',
      'they',
      'said',
    ]);
  });

  test('a device name is split into parts and is also one name', () => {
    const text = 'Trip of SR:C03-MG:G02A{Quad:1}.';
    expect(partsOf(text)).toEqual(['trip', 'of', 'sr', 'c03', 'mg', 'g02a', 'quad', '1']);
    expect(namesOf(text)).toEqual(['sr:c03-mg:g02a{quad:1']);
  });

  test.each([
    ['Ångström café naïve', ['angstrom', 'cafe', 'naive']],
    ['ΟΔΟΣ', ['οδοσ']],
    ['ﬁeld 10µA', ['field', '10μa']],
    ['ＡＢＣ１２', ['abc12']],
    ['Øre Straße', ['øre', 'straße']],
    ['İstanbul', ['istanbul']],
  ])('%s folds to %j', (text, parts) => {
    expect(partsOf(text)).toEqual(parts);
  });

  test('characters of scripts without spaces are separate parts and keep their marks', () => {
    expect(partsOf('加速器とビム')).toEqual(['加', '速', '器', 'と', 'ビ', 'ム']);
    expect(namesOf('加速器')).toEqual(['加速器']);
  });

  test('emoji are words, and invisible characters do not split words', () => {
    expect(partsOf('done👍 co\u00adoperate')).toEqual(['done', '👍', 'cooperate']);
  });

  test('emoji, kana and marks are not joined to the following word', () => {
    expect(partsOf('⚠️Beam 1️⃣step')).toEqual(['⚠', 'beam', '1step']);
    expect(partsOf('センサーBPM01')).toEqual(['セ', 'ン', 'サ', 'ー', 'bpm01']);
    expect(namesOf('A束')).toEqual(['a束']);
  });

  test('raised symbols after a word are not part of it, but raised digits are', () => {
    expect(partsOf('LabVIEW™ at 25ºC, 3 m²')).toEqual(['labview', 'at', '25', 'c', '3', 'm2']);
  });

  test('Latin words and numbers are separate from the Korean particles after them', () => {
    expect(partsOf('SR에서 BPM01이 3번 RF와의')).toEqual(['sr', '에서', 'bpm01', '이', '3', '번', 'rf', '와의']);
    expect(namesOf('SR에서 빔이')).toEqual(['sr에서']);
  });

  test('words, including Hangul, are not split', () => {
    expect(partsOf('빔 손실 потеря пучка')).toEqual(['빔', '손실', 'потеря', 'пучка']);
  });

  test('brackets, quotes, commas and equal signs end a name', () => {
    expect(namesOf('pv=SR:C03,(a-b) "x.y" <p/q>')).toEqual(['sr:c03', 'a-b', 'x.y', 'p/q']);
  });

  test('a million punctuation marks are scanned once', () => {
    const dashes = '-'.repeat(1_000_000);
    expect(chunksOf(`a${dashes}b`)).toHaveLength(1);
    expect(chunksOf(`${dashes}a${dashes}`)).toEqual(['a']);
    expect(chunksOf('«𝒳»')).toEqual(['𝒳'.normalize('NFKD').toLowerCase()]);
    expect(chunksOf('…𐐨…')).toEqual(['𐐨']);
  });

  test('chunks contain wildcards', () => {
    expect(chunksOf('SR:*{Quad:?}, *pole.')).toEqual(['sr:*{quad:?', '*pole']);
  });

  test('a chunk without wildcards is found in its own text, in any script', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('ที่', 'ि', 'की', '⚠️', '束', 'ー', 'ß', 'é', 'a', '1', '.', ' ', '‌', '🇩') }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const words = ` ${partsOf(text).join(' ')} `;
        for (const chunk of chunksOf(text.replaceAll(/[*?]/g, ''))) {
          const parts = partsOf(chunk);
          if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(chunk)) expect(parts).not.toEqual([]);
          expect(words).toContain(parts.length === 0 ? ' ' : ` ${parts.join(' ')} `);
        }
      }),
      { numRuns: 1_000, examples: [['बिजली चली'], ['ที่นี่'], ['שָׁלוֹם'], ['❤️']] },
    );
  });

  test('a Latin word is a part whatever surrounds it, except letters, digits and marks', () => {
    const around = fc.string({ unit: 'binary-ascii' }).map((text) => text.replaceAll(/[a-z0-9]/gi, ''));
    const other = fc.constantFrom('⚠️', '✅', '束', 'ー', 'モーター', '™', '…', '°', '、', '“', '–', '​ ');
    const piece = fc.oneof(around, other).filter((text) => text !== '');
    fc.assert(
      fc.property(piece, piece, (before, after) => {
        expect(partsOf(`${before}beam${after}`)).toContain('beam');
      }),
    );
  });

  test('no text gives a word that is empty, too long, or contains spaces or quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        for (const term of [...partsOf(text), ...namesOf(text)]) {
          expect(term).not.toMatch(/[\s"|\0]/);
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(maxWordLength);
        }
      }),
    );
  });

  test('folding is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });

  test('the parts of joined texts are the parts of each text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (pieces) => {
        expect(partsOf(pieces.join(' ; '))).toEqual(pieces.flatMap(partsOf));
      }),
    );
  });
});

test('the slices of a long text have the terms of the whole text, in its order', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ' ',
      '\n',
      '\u00a0',
      '\ufeff',
      '\u0301',
      'Σ',
      'SR:C03',
      '-',
      '束流',
      'x'.repeat(5_000),
      'ab '.repeat(3_000),
    ),
    fc.string({ maxLength: 12, unit: 'grapheme' }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const text = pieces.join('');
      const parts: string[] = [];
      const names: string[] = [];
      const slices: string[] = [];
      forEachSlice(text, (slice) => {
        slices.push(slice);
        const terms = termsOf(slice);
        parts.push(...terms.parts);
        names.push(...terms.names);
      });
      expect(slices.join('')).toBe(text);
      expect({ parts, names }).toEqual(termsOf(text));
    }),
  );
});

test('a long text is not cut at an invisible character within a word', () => {
  const text = `${'x '.repeat(4_090)}${'a\ufeffb\u200bc'.repeat(20)} ${'y '.repeat(9_000)}`;
  const slices: string[] = [];
  forEachSlice(text, (slice) => slices.push(slice));
  expect(slices.length).toBeGreaterThan(1);
  expect(slices.flatMap(partsOf)).toEqual(partsOf(text));
});
