import { expect, test } from 'vitest';
import { encodeRecords, insert, upsert } from './dialect.js';

test('an insert has all columns that the database does not assign, in the order of the schema', () => {
  const add = insert('dead_letter', 'RETURNING id');
  expect(add({ document: '{}', crc: 1, subscriber: 'chat', retry_requested: 0 })).toEqual([
    'INSERT INTO dead_letter (subscriber, retry_requested, document, crc) VALUES (?, ?, ?, ?) RETURNING id',
    ...['chat', 0, '{}', 1],
  ]);
});

test('a row without one of the columns does not compile', () => {
  const add = insert('catalog_item');
  // @ts-expect-error The column crc is missing.
  add({ kind: 'tags', name: 'Vacuum', document: '{}' });
  // @ts-expect-error There is no column colour.
  add({ kind: 'tags', name: 'Vacuum', document: '{}', crc: 1, colour: 'red' });
});

test('a row replaces the one with the same key', () => {
  const [sql] = upsert('audit_chain')({ part: 'head', id: 1, hash: '' });
  expect(sql.replaceAll(/\s+/g, ' ')).toBe(
    'INSERT INTO audit_chain (part, id, hash) VALUES (?, ?, ?) ON CONFLICT (part) DO UPDATE SET id = excluded.id, hash = excluded.hash',
  );
});

test('records have no character that a database cannot store', () => {
  expect(encodeRecords([{ key: 'a\0b\ud800', target: null, version: 1 }])).toBe(
    '[{"key":"a\ufffdb\ufffd","target":null,"version":1}]',
  );
});
