import { expect, test } from 'vitest';
import { entryDraft } from '../../test/fixtures/entries.js';
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
