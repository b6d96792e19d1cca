import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainTextOf } from './markup.js';

describe('plain text of CommonMark', () => {
  test.each([
    ['**bold** _and_ `code`', 'bold and code'],
    ['# Title\n\ntext', 'Title\ntext'],
    ['- a\n- b\n  1. c', 'a\nb\nc'],
    ['> quoted\n> more', 'quoted\nmore'],
    ['[a link](http://x "title") <http://y>', 'a link http://y'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a b\n1 2'],
    ['> | a | b |\n> |---|---|\n> | 1 \\| 2 | 3 |', 'a b\n1 | 2 3'],
    ['| a |\n|---|\n| 1 | 2 |', '| a |\n|---|\n| 1 | 2 |'],
    ['```\ncode\n  indented\n```\nafter', 'code\n  indented\nafter'],
    ['![a photo](attachment/1){width=640 height=480} behind', 'a photo behind'],
    ['{width=1 height=2} and `{width=3}`', '{width=1 height=2} and {width=3}'],
    ['<b>not markup</b> &amp; &lt;', '<b>not markup</b> & <'],
    ['a\\\nb  \nc', 'a\nb\nc'],
    ['one\n\n---\n\ntwo', 'one\ntwo'],
    ['\\*stars\\*', '*stars*'],
    ['', ''],
  ])('%j becomes %j', (source, plain) => {
    expect(plainTextOf(source)).toBe(plain);
  });

  test.each(['> '.repeat(80), '- '.repeat(80)])('no word is lost in deeply nested text', (nesting) => {
    expect(plainTextOf(`${nesting}deep`)).toContain('deep');
  });

  test('every word of a text is in its plain text', () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    const mark = fc.constantFrom(
      '',
      '*',
      '**',
      '`',
      '# ',
      '> ',
      '- ',
      '1. ',
      '| ',
      ' ',
      '\n',
      '\n\n',
      '    ',
      '---\n',
      '![',
      '](',
      '<',
      '&',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(mark, word, mark), { maxLength: 30 }), (pieces) => {
        const plain = plainTextOf(pieces.map((piece) => piece.join('')).join(' '));
        const shown = pieces.filter(([before, , after]) => !/[[\]()<&!]/.test(before + after));
        if (pieces.length !== shown.length) return;
        for (const [, one] of pieces) expect(plain).toContain(one);
      }),
    );
  });
});
