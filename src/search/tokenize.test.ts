import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldCase } from '../kernel/text.js';
import { chunksOf, fold, maxWordLength, namesOf, partsOf } from './tokenize.js';

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

  test('a device name has parts and is kept whole', () => {
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

  test('characters of scripts without spaces are parts of their own, their marks intact', () => {
    expect(partsOf('加速器とビム')).toEqual(['加', '速', '器', 'と', 'ビ', 'ム']);
    expect(namesOf('加速器')).toEqual(['加速器']);
  });

  test('emoji are words, and what cannot be seen divides none', () => {
    expect(partsOf('done👍 co\u00adoperate')).toEqual(['done', '👍', 'cooperate']);
  });

  test('emoji, kana and marks do not grow onto the word that follows', () => {
    expect(partsOf('⚠️Beam 1️⃣step')).toEqual(['⚠', 'beam', '1step']);
    expect(partsOf('センサーBPM01')).toEqual(['セ', 'ン', 'サ', 'ー', 'bpm01']);
    expect(namesOf('A束')).toEqual(['a束']);
  });

  test('what stands raised behind a word is not part of it', () => {
    expect(partsOf('LabVIEW™ at 25ºC, 3 m²')).toEqual(['labview', 'at', '25', 'c', '3', 'm2']);
  });

  test('words, Hangul among them, are kept whole', () => {
    expect(partsOf('빔 손실 потеря пучка')).toEqual(['빔', '손실', 'потеря', 'пучка']);
  });

  test('brackets, quotes, commas and equal signs end a name', () => {
    expect(namesOf('pv=SR:C03,(a-b) "x.y" <p/q>')).toEqual(['sr:c03', 'a-b', 'x.y', 'p/q']);
  });

  test('a million punctuation marks are passed in one go', () => {
    const dashes = '-'.repeat(1_000_000);
    expect(chunksOf(`a${dashes}b`)).toHaveLength(1);
    expect(chunksOf(`${dashes}a${dashes}`)).toEqual(['a']);
    expect(chunksOf('«𝒳»')).toEqual(['𝒳'.normalize('NFKD').toLowerCase()]);
    expect(chunksOf('…𐐨…')).toEqual(['𐐨']);
  });

  test('chunks keep wildcards', () => {
    expect(chunksOf('SR:*{Quad:?}, *pole.')).toEqual(['sr:*{quad:?', '*pole']);
  });

  test('a case of its own is the only thing that facets fold', () => {
    expect(foldCase('Señal ÄB')).toBe('señal äb');
  });

  test('a chunk without wildcards is found where it stands, in whatever script', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('ที่', 'ि', 'की', '⚠️', '束', 'ー', 'ß', 'é', 'a', '1', '.', ' ', '‌', '🇩') }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const said = ` ${partsOf(text).join(' ')} `;
        for (const chunk of chunksOf(text.replaceAll(/[*?]/g, ''))) {
          const asked = partsOf(chunk);
          if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(chunk)) expect(asked).not.toEqual([]);
          expect(said).toContain(asked.length === 0 ? ' ' : ` ${asked.join(' ')} `);
        }
      }),
      { numRuns: 1_000, examples: [['बिजली चली'], ['ที่นี่'], ['שָׁלוֹם'], ['❤️']] },
    );
  });

  test('a Latin word is a part whatever stands around it, but for letters, digits and marks', () => {
    const around = fc.string({ unit: 'binary-ascii' }).map((text) => text.replaceAll(/[a-z0-9]/gi, ''));
    const other = fc.constantFrom('⚠️', '✅', '束', 'ー', 'モーター', '™', '…', '°', '、', '“', '–', '​ ');
    const piece = fc.oneof(around, other).filter((text) => text !== '');
    fc.assert(
      fc.property(piece, piece, (before, after) => {
        expect(partsOf(`${before}beam${after}`)).toContain('beam');
      }),
    );
  });

  test('no text makes a word with a space, a quote or a gap in it, or one that is too long', () => {
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

  test('folding twice is folding once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });

  test('the parts of a joined text are the parts of its pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (pieces) => {
        expect(partsOf(pieces.join(' ; '))).toEqual(pieces.flatMap(partsOf));
      }),
    );
  });
});
