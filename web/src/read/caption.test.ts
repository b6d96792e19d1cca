import { expect, test } from 'vitest';
import { renderHtml } from '../../../packages/markup/html.ts';
import { captionOf, withCaption } from './caption.ts';
import { textPage } from './text-page.ts';

const page = textPage({ origin: 'https://log.example.org', rootPath: '' });
const text = 'See ![a](attachment/a-1){width=5 height=5} and ![b](attachment/a-12).';

test.each([
  'Beam at 3 a.m.',
  'A "quoted" word',
  String.raw`C:\data\ and &amp; (so)`,
  "it's 5 > 3",
  'ends with \\',
  'between ',
])('the caption %j is read as it was written, and shown under its picture alone', (caption) => {
  const captioned = withCaption(text, 'a-1', caption);
  expect(captionOf(captioned, 'a-1')).toBe(caption);
  expect(captionOf(captioned, 'a-12')).toBe('');
  const shown = /<span class="caption">(.*?)<\/span>/.exec(renderHtml(captioned, page))?.[1];
  const typed = shown?.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  expect(typed).toBe(caption.trim());
  expect(withCaption(captioned, 'a-1', '')).toBe(text);
});

test('a picture without a caption has no frame for one; that of a picture outside the text is undefined', () => {
  expect(renderHtml(text, page)).not.toContain('caption');
  expect(captionOf(text, 'other')).toBeUndefined();
});
