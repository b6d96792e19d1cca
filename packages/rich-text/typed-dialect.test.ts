import fc from 'fast-check';
import type { Token } from 'markdown-it';
import { expect, test } from 'vitest';
import { createParser } from '../markup/parse.js';
import { readHtml } from './read-html.js';
import { writeCommonmark } from './write-commonmark.js';

const convert = (html: string) => writeCommonmark(readHtml(html).blocks, {}, 'typed').source;

test.each([
  [
    'names stay as they are',
    '<p>SR:C03-MG:G02A{Quad:1}I-SP tripped, set_point &gt; 200 mA &amp; rising ~3 % <b>now</b></p>',
    'SR:C03-MG:G02A{Quad:1}I-SP tripped, set_point > 200 mA & rising ~3 % **now**',
  ],
  ['lines end as they did', '<p>a<br>b</p>', 'a\nb'],
  ['marks stay signs', '<p>2*3 [x](y) &lt;b&gt; _a_ `c`</p>', '2\\*3 \\[x\\](y) \\<b> \\_a\\_ \\`c\\`'],
  [
    'a backslash before other formatting stays one',
    '<p><i>\\</i><b>a</b> <i>\\</i><b>*</b> \\</p>',
    '\\a \\\\\\* \\\\',
  ],
  [
    'names in tables stay, bars do not end a cell',
    '<table><tr><td>PV</td><td>a|b</td></tr><tr><td>SR:RF{Cav:2}</td><td>x_y</td></tr></table>',
    '| PV | a\\|b |\n| --- | --- |\n| SR:RF{Cav:2} | x_y |',
  ],
])('%s', (_name, html, source) => {
  expect(convert(html)).toBe(source);
});

test('a document in an element b that is not bold is not bold', () => {
  const html = '<b style="font-weight:normal"><p><span>a</span> <span style="font-weight:700">b</span></p></b>';
  expect(convert(html)).toBe('a **b**');
});

const word = fc.oneof(
  fc.constantFrom(
    ...'12. #1 # > - + * _ ** [12:03]: === --- ~~~ ``` ` | |---| \\ \\* <x> <a@b> &amp; {width=3} 1) a_b_c _a a_ ! ]( [x] SR:{Q:1}'.split(
      ' ',
    ),
  ),
  fc.stringMatching(/^[a-zé0-9]{1,4}$/),
);
const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
const asHtml = (one: string) => one.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
const block = fc
  .tuple(fc.constantFrom('p', 'b', 'i', 'h2', 'blockquote', 'td', 'br'), text, text)
  .map(([tag, one, other]) =>
    tag === 'td'
      ? `<table><tr><td>${asHtml(one)}</td><td>${asHtml(other)}</td></tr><tr><td>x</td><td>y</td></tr></table>`
      : tag === 'br'
        ? `<p>${asHtml(one)}<br>${asHtml(other)}</p>`
        : `<${tag}>${asHtml(one)}</${tag}>`,
  );

test('every character is shown once', () => {
  const parser = createParser();
  const shown = (tokens: readonly Token[]): string =>
    tokens.map((one) => (one.children ? shown(one.children) : one.content)).join('');
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
      const html = blocks.join('');
      const visible = readHtml(html).visible.join('').replace(/\s/g, '');
      expect(shown(parser.parse(convert(html)).tokens).replace(/\s/g, '')).toBe(visible);
    }),
    { numRuns: 2_000 },
  );
});
