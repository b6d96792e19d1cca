import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { markupCorpus, shownText } from '../../test/fixtures/markup-corpus.js';
import { renderBlocks, renderHtml } from './html.js';
import { closeFence } from './open-fence.js';
import { plainTextOf } from './plain-text.js';
import { toggleTask } from './task-lists.js';

const page = {
  link: (href: string) => ({ href }),
  image: (src: string) => (/^\w+:/.test(src) ? undefined : { src }),
};
const examples = Object.values(markupCorpus).flat();

describe('texts as people type them', () => {
  test.each(examples)('$source is described as $description', ({ source, description }) => {
    expect(plainTextOf(source)).toBe(description);
  });

  test.each(examples)('$source is shown as typed', ({ source, description, page: shown = description }) => {
    const spaced = (text: string) => text.replace(/ +/g, ' ').replace(/^ /gm, '');
    expect(spaced(shownText(renderHtml(source, page)))).toBe(spaced(shown));
  });
});

test.each([
  ['{width=640 height=480}', '640', '480'],
  ['{height=480 width=640}', '640', '480'],
  ['{width="640" height="480"}', '640', '480'],
  ['{width=640px,height=2cm}', '640', '75.6'],
  ['{width = 12,5 %}', '12.5%', undefined],
  ['{style="width: 50%; height: 1in"}', '50%', '96'],
  ['{width=1e3px height=auto}', undefined, undefined],
])('an image with %s is shown at that size', (size, width, height) => {
  const html = renderHtml(`![Plot](attachment/1)${size}`, page);
  expect(/ width="([^"]*)"/.exec(html)?.[1]).toBe(width);
  expect(/ height="([^"]*)"/.exec(html)?.[1]).toBe(height);
});

/** Words that are never markup, and marks in any order around them. */
const word = fc.stringMatching(/^[a-zäé]{3,8}[0-9]{0,2}$/);
const marks =
  '* ** _ __ ` ``` ~~~ # ## > >> - + 1. 12) 007. | \\ \\\\ [ ] ][ ]: ]( ![ ) < > & " \' : {width= } --- === *** |-| 3 C:\\ https:// #'.split(
    ' ',
  );
const space = fc.constantFrom('', ' ', '  ', '\n', '\n\n', '\n    ', '\t', '\r\n', '\u2028', '\f');
const piece = fc.oneof(word, fc.constantFrom(...marks), space, space);
const scattered = fc.array(fc.tuple(space, piece, space), { maxLength: 40 }).map((pieces) => pieces.flat().join(''));
/** Lines of tables, definitions and their uses, code and lists. `A` is one of a few words, so that labels recur. */
const other = fc.stringMatching(/^[a-z]{5,8}$/);
const known = fc.constantFrom('trip', 'back', 'lost', 'valve', 'dump', 'ramp');
const line = fc
  .tuple(
    fc.constantFrom('', '', '', '> ', '- ', '12. ', '    '),
    fc.constantFrom(
      'A',
      'A B',
      '| A | B |',
      '|---|---|',
      '| A | B |\n|---|---|\n| B | C | D |',
      '| A | B | C | D |',
      '|---|',
      '[A]: B',
      '[A]: https://x.org/B "C"',
      '[A]',
      'see [A][B]',
      '[A](https://x.org/B "C")',
      '![A](attachment/1 "B"){width=50%}',
      '![A][B]',
      '``` A',
      '```',
      '~~~A B',
      '# A',
      '#A',
      '===',
      '---',
      '<A> <B:C>',
      'A[B](C)',
      '**A** _B_',
      '',
      '',
    ),
    known,
    other,
    other,
    other,
  )
  .map(([mark, form, ...words]) => mark + form.replace(/[ABCD]/g, (letter) => words['ABCD'.indexOf(letter)] ?? ''));
const text = fc.oneof(
  scattered,
  fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n')),
);

/** Returns the words of a text, without the sizes of images and the addresses of shown images. */
const wordsOf = (source: string) =>
  source
    .replace(/\{:?\s*width\s*=[^}]*\}/g, ' ')
    .replaceAll('](attachment/1', ' ')
    .match(/[a-zäé]{3,8}[0-9]{0,2}/g) ?? [];

describe('every word', () => {
  test('is in the description', () => {
    fc.assert(
      fc.property(text, (source) => {
        const plain = plainTextOf(source);
        for (const one of wordsOf(source)) expect(plain).toContain(one);
      }),
      { numRuns: 3_000 },
    );
  });

  test('is on the page', () => {
    fc.assert(
      fc.property(text, (source) => {
        const html = renderHtml(source, page);
        const shown = shownText(html) + decodeURI(html.replace(/%(?![\dA-F]{2})/g, '%25'));
        for (const one of wordsOf(source)) expect(shown).toContain(one);
      }),
      { numRuns: 3_000 },
    );
  });

  test('and every digit is in the description in the order of the text, without images, links and tables', () => {
    const line = fc
      .array(
        fc.oneof(
          fc.constantFrom('- ', '+ ', '> ', '# ', '1. ', '18. ', '07) ', '[x]: '),
          fc.constantFrom('3 mA', '12:03 trip', 'of 5'),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const digits = (some: string) => some.replace(/\D/g, '');
        const source = lines.join('\n');
        expect(digits(plainTextOf(source))).toBe(digits(source));
      }),
      { numRuns: 1_000 },
    );
  });
});

test('blocks together are the page, and each is one element', () => {
  fc.assert(
    fc.property(text, (source) => {
      const blocks = renderBlocks(source, page);
      expect(blocks.join('')).toBe(renderHtml(source, page));
      for (const block of blocks)
        expect(parseDocument(block).children.filter(({ type }) => type === 'tag')).toHaveLength(1);
    }),
    { numRuns: 1_000 },
  );
});

test('a text after the end of an open code block is shown as it would be alone', () => {
  const next = '**Next** text `follows`.';
  const spaced = (html: string) => html.replace(/\s+/g, ' ').replace(/ (?=<\/code>)/g, '');
  fc.assert(
    fc.property(text, (source) => {
      fc.pre(!/\]:/.test(source));
      const closed = closeFence(source);
      const pageOf = (one: string) => spaced(renderHtml(one, page));
      expect(pageOf(closed)).toBe(pageOf(source));
      expect(pageOf(`${closed}\n\n${next}`).trimEnd().endsWith(pageOf(next).trimEnd())).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a change in a long text leaves most of its pieces as they were', () => {
  const lines = Array.from(
    { length: 20_000 },
    (_, at) => `${at} The beam was lost in sector 3.${at % 7 === 0 ? '\n' : ''}`,
  );
  const blocksOf = (text: string) => renderBlocks(text, page);
  const before = blocksOf(lines.join('\n'));
  const after = new Set(blocksOf(lines.with(9_000, `${lines[9_000]} And`).join('\n')));
  expect(before.length).toBeGreaterThan(100);
  expect(before.filter((block) => !after.has(block)).length).toBeLessThan(20);
});

describe('task lists', () => {
  const withTasks = { ...page, task: (line: number) => ({ 'data-line': String(line) }) };

  test('have boxes with the state, the line and the text of the task', () => {
    const html = renderHtml('Today:\n\n- [ ] open *valve*\n- [x] done\n\n1. [X] also', withTasks);
    const boxes = [...html.matchAll(/<input[^>]*>/g)].map(([box]) => box);
    expect(boxes).toEqual([
      '<input type="checkbox" aria-label="open valve" data-line="2" />',
      '<input type="checkbox" aria-label="done" checked="" data-line="3" />',
      '<input type="checkbox" aria-label="also" checked="" data-line="5" />',
    ]);
    expect(html).not.toContain('[');
  });

  test.each(['[ ] no list', '- [ ]', '- [y] a', '- \\[ ] a', '- [x](https://a.example) a', '- a [ ] b', '    - [ ] a'])(
    '%j has none, and is shown as typed',
    (source) => {
      expect(renderHtml(source, withTasks)).not.toContain('<input');
    },
  );

  test('stay in the description, and on pages without boxes', () => {
    expect(plainTextOf('- [ ] open\n- [x] done')).toBe('- [ ] open\n- [x] done');
    expect(renderHtml('- [x] done', page)).toContain('[x] done');
  });

  test('are ticked where the box is, whatever the lines before it are', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('- ', '> - ', '1. ', '- - '),
        fc.constantFrom('\n', '\r\n'),
        (before, start, end) => {
          const source = `${before}${end}${end}***${end}${end}${start}[ ] the task`;
          const line = Number(/aria-label="the task" data-line="(\d+)"/.exec(renderHtml(source, withTasks))?.[1]);
          fc.pre(!Number.isNaN(line));
          expect(toggleTask(source, line)).toBe(source.replace(/\[ \] the task$/, '[x] the task'));
          expect(toggleTask(toggleTask(source, line) ?? '', line)).toBe(source);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('nothing is ticked in a line without a box', () => {
    expect(toggleTask('- [ ] a\nb', 1)).toBeUndefined();
    expect(toggleTask('a', 9)).toBeUndefined();
  });
});

test('HTML contains no element, attribute or address of the text', () => {
  const hostile = fc.constantFrom(
    '<script>',
    '"',
    "'",
    '<img src=x onerror=y>',
    'javascript:',
    '&Tab;',
    'data:text/html,',
    '![',
    '](',
    ')',
    '[',
    '<',
    '>',
    '`',
    '\n',
    '{width="',
    '}',
    'attachment/1',
    'https://x/',
    '| a |\n|--|\n',
  );
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 20 }), (parts) => {
      for (const [tag, name = ''] of renderHtml(parts.join(''), page).matchAll(/<\/?(\w*)[^>]*>?/g)) {
        expect(
          'p a img code pre span ul ol li br hr em strong h1 h2 blockquote table thead tbody tr th td'.split(' '),
        ).toContain(name);
        expect(tag).toMatch(/^<[^<>"]*(?: [a-z]+="[^"<>]*")* ?\/?>$/);
        expect(tag).not.toMatch(/(?:href|src)="\s*(?:javascript|vbscript|data|file):/i);
      }
    }),
    { numRuns: 2_000 },
  );
});
