import { expect, test } from 'vitest';
import { plotFileName } from '../../packages/control-system/plot-file-name.js';
import { attachment, entryDraft } from '../../test/fixtures/entries.js';
import { markupCorpus, shownText } from '../../test/fixtures/markup-corpus.js';
import { renderEntry } from './entry-page.js';

const spaced = (text: string) => text.replace(/ +/g, ' ').replace(/^ /gm, '');

test.each(Object.values(markupCorpus).flat())(
  '$source is shown as typed in an export; an image without a file as a link',
  ({ source, description, page = description }) => {
    if (source.includes('![')) return;
    const entry = { ...entryDraft({ source, description }), id: 7, version: 1 };
    expect(spaced(shownText(renderEntry(entry, { pathOf: () => 'files/a', link: undefined })))).toContain(spaced(page));
  },
);

test('a plot is shown as its stored picture; without one, as its lines', () => {
  const source = '```plot\nSR:I\n-1h..0\n```\n\n```\nSR:I\n-1h..0\n```';
  const attachments = [attachment({ filename: plotFileName(['SR:I', '-1h..0']) })];
  const pathOf = ({ filename }: { readonly filename: string }) => `files/a/${filename}`;
  const render = (more: object) =>
    renderEntry({ ...entryDraft({ source, ...more }), id: 7, version: 1 }, { pathOf, link: undefined });
  expect(render({ attachments }).match(/<img src="files\/a\/plot-[\da-f]{8}\.svg"/g)).toHaveLength(1);
  expect(render({ attachments }).match(/<code>/g)).toHaveLength(1);
  expect(render({}).match(/<code>SR:I/g)).toHaveLength(2);
});
