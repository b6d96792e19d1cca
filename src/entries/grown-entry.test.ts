import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachment, entryDraft, property } from '../../test/fixtures/entries.js';
import { digestAnnotated, digestEntry } from '../ledger/entry-digest.js';
import type { Entry } from './entry.js';
import { encodeEntry, StoredEntry } from './entry-json.js';
import { encodeGrown } from './grown-entry.js';

/** Any text, including unpaired surrogates and parts of JSON. */
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: jsonPart() }));

function jsonPart() {
  return fc.constantFrom(',', '"', '\\', ':', '\n', '\uD83D', '\uDE00', ',"title":', ',"source":""', 'description');
}

const grown = fc.record({ owner: text, title: text, source: text, description: text, more: text, moreText: text });

test('a grown entry has the same bytes and the same digest whether or not it is encoded from the former one', () => {
  fc.assert(
    fc.property(grown, ({ owner, title, source, description, more, moreText }) => {
      const draft = entryDraft({
        owner,
        title,
        source,
        description,
        properties: [property(owner, { [title]: source })],
      });
      const former: Entry = { ...draft, id: 7, version: 1, run: { status: 'running', blocks: 1, changedDate: 5 } };
      const next: Entry = {
        ...former,
        source: source + more,
        description: description + moreText,
        attachments: [attachment({ filename: more })],
        run: { status: 'running', blocks: 2, changedDate: 6 },
      };
      const { json, texts } = encodeGrown(next, new StoredEntry(7, 1, encodeEntry(former), former));
      expect(json.toString()).toBe(encodeEntry(next).toString());
      const isHalf = [more, moreText].some((added) => /^[\uDC00-\uDFFF]/.test(added));
      expect(texts === undefined).toBe(isHalf);
      // Both versions have the attachment, so that no random salt is drawn and the digests can be compared.
      const { salts } = digestEntry({ ...former, attachments: next.attachments }, null);
      const before = { ...former, attachments: next.attachments };
      expect(digestAnnotated(next, null, salts, { former: before, texts })).toEqual(
        digestAnnotated(next, null, salts, { former: before }),
      );
    }),
  );
});

test('the JSON of a former entry that was read from storage, or whose text is not continued, is not reused', () => {
  const former: Entry = { ...entryDraft({ source: 'one', description: 'one' }), id: 7, version: 1 };
  const json = encodeEntry(former);
  const next = { ...former, source: 'one two' };
  expect(encodeGrown(next, new StoredEntry(7, 1, json))).toEqual({ json: encodeEntry(next) });
  const other = { ...former, source: 'two' };
  expect(encodeGrown(other, new StoredEntry(7, 1, json, former))).toEqual({ json: encodeEntry(other) });
});
