import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainTextOf } from '../../../packages/markup/plain-text.js';
import { addressesOf } from '../../../packages/rich-text/text-addresses.js';
import type { Target } from '../../../packages/rich-text/text-model.js';
import { writeCommonmark } from '../../../packages/rich-text/write-commonmark.js';
import { readPlain } from '../../imports/texts/read-plain.js';
import { findLostWords } from '../../imports/texts/visible-words.js';
import { readElcode } from './read-elcode.js';

const convert = (text: string, read = readElcode): string => {
  const { blocks } = read(text);
  const { images, links } = addressesOf(blocks);
  const targets = Object.fromEntries(
    [...images, ...links].map((address): [string, Target] => {
      const [, id] = /^elog:(?:Shift Log\/)?(\d+)$/.exec(address) ?? [];
      if (id !== undefined) return [address, { kind: 'entry', id: Number(id) + 100 }];
      return [
        address,
        /^[a-z]+:\/\/|^mailto:/.test(address) ? { kind: 'page', address } : { kind: 'attachment', id: 'F' },
      ];
    }),
  );
  return writeCommonmark(blocks, targets).source;
};

describe('ELCode becomes CommonMark', () => {
  test.each([
    ['[b]bold[/b] [I]x[/I] 10[sup]-9[/sup] H[sub]2[/sub]O', '**bold** *x* 10^-9 H\\_2O'],
    ['a\r\nb\r\n\r\nc', 'a\\\nb\n\nc'],
    ['[size=5]big[/size][center]mid[/center]end', 'big\n\nmid\n\nend'],
    ['[LIST=1]\r\n[*]one\r\n[*]two [b]open\r\n[/LIST]', '1. one\n2. two **open**'],
    ['[list]\n[*]a\n[list=a]\n[*]b\n[/list]\n[*]c[/list]', '- a\n  - a. b\n- c'],
    ['[code]a[0] * b\r\n  [b]c[/b][/code]', '```\na[0] * b\n  [b]c[/b]\n```'],
    ['[TABLE border="1"]\r\nA|B\r\n|-\r\nC|[b]D[/b]\r\n[/TABLE]', '| A | B |\n| --- | --- |\n| C | **D** |'],
    ['[quote="Joe Doe"]said[/quote] x', '> **Joe Doe wrote:**\n>\n> said\n\nx'],
    [
      '[url=https://a.example/x y]site[/url] [url=www.psi.ch]psi[/url] [url]http://b.example/[/url]',
      '[site](https://a.example/x%20y) [psi](http://www.psi.ch) <http://b.example/>',
    ],
    [
      '[IMG]elog:2/1[/IMG] elog:5, (elog:6) [url=elog:7]seven[/url]',
      '![](attachment/F) [elog:5](#105), ([elog:6](#106)) [seven](#107)',
    ],
    ['\\[b] [unknown] <i>x</i> a|b [12:03]: 12.', '\\[b\\] \\[unknown\\] \\<i\\>x\\</i\\> a\\|b \\[12:03\\]: 12.'],
    [
      'see http://x.example/a_b. [line][h1]Top[/h1][color=red]r[/color]<br>y',
      'see <http://x.example/a_b>.\n\n***\n\n# Top\n\nr\\\ny',
    ],
    [
      '[anchor]top[/anchor] [youtube]abc123[/youtube] [center]c[/center]',
      'top [abc123](https://www.youtube.com/watch?v=abc123)\n\nc',
    ],
    ['[justify]j[/justify][left]l[/left][right]r[/right]x', 'j\n\nl\n\nr\n\nx'],
    ['[font=arial]f[/font] [u]u[/u] [s]s[/s] [code1]a[0] b[/code1]', 'f u s\n\n```\na[0] b\n```'],
    ['a[hr]b[h2]Two[/h2][H6]Six[/H6]', 'a\n\n***\n\nb\n\n## Two\n\n###### Six'],
    ['[email]a@b.org[/email] [email=a@b.org]mail[/email]', '[a@b.org](mailto:a@b.org) [mail](mailto:a@b.org)'],
    ['[list=A][*]a[*]b[/list][LIST=i][*]x[/LIST]', '- A. a\n- B. b\n\n* i. x'],
    [
      '[img=https://x.example/a.png] after [youtube="abc"]',
      '![](https://x.example/a.png) after [abc](https://www.youtube.com/watch?v=abc)',
    ],
    ['[quote="Ann [x]"]said[/quote] 10[sup]-9[/sup]', '> **Ann \\[x\\] wrote:**\n>\n> said\n\n10^-9'],
    ['[quote]said[/quote][url="https://x.example/"]q[/url]', '> said\n\n[q](https://x.example/)'],
    ['[IMG width=50]elog:/1[/IMG] [anchor=top] [code]open', '![](attachment/F)\n\n```\nopen\n```'],
  ])('%s', (elcode, source) => {
    expect(convert(elcode)).toBe(source);
  });

  test('formatting that CommonMark lacks counts as a loss', () => {
    for (const text of ['[u]x[/u]', '[s]x[/s]', '[color=red]x[/color]', '[center]x[/center]'])
      expect(readElcode(text).isLossy).toBe(true);
    expect(readElcode('[b]x[/b] [unknown] [list][*]a[/list]').isLossy).toBe(false);
  });

  test('deep and unclosed markup does no harm', () => {
    for (const tag of ['[b]', '[/b]', '[code]', '[table]', '[quote]', '[', '[url=', '[list][*]', '[*]', '|', 'elog:'])
      expect(convert(`${tag.repeat(20_000)}x${' '.repeat(20_000)}y`)).toContain('y');
  });

  test('each word is in the description', () => {
    const tags =
      '[b] [/b] [i] [/i] [list] [list=1] [*] [/list] [table] | |- [/table] [quote="A B"] [/quote] [code] [/code] [h1] [/h1] [sup] [/sub] [color=red] [img] \\[ [unknown] elog:5 http://x.example/a_b';
    const part = fc.oneof(
      fc.constantFrom(...tags.split(' '), '\n', '\r\n\r\n', ' ', '12.', '#1', '> 200 mA', '[12:03]:'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('').replace(/[\0-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, '');
        expect(findLostWords(readElcode(text).visible, plainTextOf(convert(text)))).toEqual([]);
        expect(findLostWords([text], plainTextOf(convert(text, readPlain)))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('plain text', () => {
  test('shows no character as markup, and keeps its columns', () => {
    expect(convert('* a_b_ <i>\n1. [x](y)', readPlain)).toBe('\\* a\\_b\\_ \\<i\\>\\\n1\\. \\[x\\](y)');
    for (const read of [readPlain, readElcode]) {
      expect(convert('see elog:Shift Log/4, elog:4 and 5/6', read)).toBe(
        'see [elog:Shift Log/4](#104), [elog:4](#104) and 5/6',
      );
    }
    expect(convert('see elog:4\n\na    1\n\nb    elog:5\n\nend', readPlain)).toBe(
      'see [elog:4](#104)\n\n```\na    1\n\nb    elog:5\n```\n\n[elog:5](#105)\n\nend',
    );
  });
});
