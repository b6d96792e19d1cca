import { expect, test } from 'vitest';
import { readPastedHtml } from './rich-text.ts';

const site = { origin: 'https://log.example', rootPath: '/logbook' };
const paste = (html: string) => readPastedHtml(html, site)?.markdown;

test.each([
  [
    'a table of a spreadsheet',
    '<html><style><!--td{mso-x:1}--></style><body><!--StartFragment--><table><col width=64><tr><td class=xl65>PV</td><td>Value</td></tr><tr><td>SR:RF{Cav:2}</td><td align=right>9.8</td></tr></table><!--EndFragment--></body></html>',
    '| PV | Value |\n| --- | --- |\n| SR:RF{Cav:2} | 9.8 |',
  ],
  [
    'headings, lists and links',
    '<h2>Trips</h2><ul><li>first <a href="https://a.example/x">report</a></li><li>second<ol><li>deep</li></ol></li></ul>',
    '## Trips\n\n- first [report](https://a.example/x)\n- second\n  1. deep',
  ],
  [
    'emphasis and code',
    '<p><b>Beam lost</b> in <i>sector 3</i>, see <code>SR:RF{Cav:2}</code></p>',
    '**Beam lost** in *sector 3*, see `SR:RF{Cav:2}`',
  ],
  ['a block of code', '<pre>caget A\n  12</pre>', '```\ncaget A\n  12\n```'],
  [
    'task lists',
    '<ul><li><input type=checkbox checked> done</li><li><input type=checkbox> open</li></ul>',
    '- [x] done\n- [ ] open',
  ],
  [
    'entries and images of this service',
    '<p><a href="https://log.example/entries/7">#7</a> <img alt="Plot" src="https://log.example/logbook/attachment/a-1?inline=true"></p>',
    '[#7](#7) ![Plot](attachment/a-1)',
  ],
  [
    'images of the machine, and embedded ones',
    '<p><b>a</b> <img src="file:///C:/x/clip_1.png"> <img alt="b" src="data:image/png;base64,AAAA"></p>',
    '**a** (clip\\_1) b',
  ],
])('%s are kept', (_name, html, markdown) => {
  expect(paste(html)).toBe(markdown);
});

test.each([
  ['text without formatting', '<meta charset="utf-8"><p>Beam lost</p><p>back</p>'],
  ['an address alone', '<a href="https://a.example/">https://a.example</a>'],
  [
    'Markdown from a code editor',
    '<div style="font-family: Consolas, monospace;white-space: pre;"><div><span style="font-weight: bold;"># A</span></div></div>',
  ],
])('%s is pasted as it is', (_name, html) => {
  expect(paste(html)).toBeUndefined();
});
