import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachment, entryDraft, property, tag } from '../../test/fixtures/entries.js';
import type { Entry } from './entry.js';
import { decodeEntry, encodeEntry, StoredEntry } from './entry-json.js';

const text = fc.string({ unit: 'grapheme' });
const entry: fc.Arbitrary<Entry> = fc
  .record({
    id: fc.nat(),
    version: fc.nat(),
    title: text,
    source: text,
    description: text,
    modifyDate: fc.option(fc.nat()),
    modifiedBy: fc.option(text),
    tags: fc.array(text.map(tag)),
    properties: fc.array(
      fc.tuple(text, fc.dictionary(text, text, { noNullPrototype: true })).map(([a, b]) => property(a, b)),
    ),
    attachments: fc.array(fc.record({ filename: text, size: fc.nat() }).map((fields) => attachment(fields))),
    events: fc.array(fc.record({ name: text, instant: fc.integer() })),
  })
  .map((fields) => ({ ...entryDraft(fields), id: fields.id, version: fields.version }));

test('decoding an encoded entry returns an equal entry', () => {
  fc.assert(
    fc.property(entry, (one) => {
      expect(decodeEntry(encodeEntry(one))).toEqual(one);
    }),
  );
});

test('a field that the interface does not know is left out', () => {
  const one = { ...entryDraft({ tags: [{ ...tag('a'), secret: 1 } as never] }), id: 1, version: 1, secret: 1 };
  expect(encodeEntry(one).toString()).not.toContain('secret');
});

test('a stored entry is decoded once, on first use', () => {
  const one = { ...entryDraft(), id: 7, version: 1 };
  const stored = new StoredEntry(7, 1, new Uint8Array(encodeEntry(one)));
  expect(stored.entry).toEqual(one);
  expect(stored.entry).toBe(stored.entry);
  expect(() => new StoredEntry(7, 1, Buffer.from('{'))).not.toThrow();
});
