import { expect, test } from 'vitest';
import { replaceEntry } from './replace-entry.ts';

const entry = { id: 7, title: 'Removed', source: 'Removed.', description: 'Removed.', properties: [] };

test('nothing of the earlier text stays in a list', () => {
  const hit = { id: 7, title: 'secret', snippet: 'secret', highlights: { title: [[0, 6]] }, thread: { id: 'g' } };
  const replaced = replaceEntry(JSON.stringify({ hitCount: 2, logs: [{ id: 8, title: 'other' }, hit] }), entry);
  expect(JSON.parse(replaced ?? '')).toEqual({
    hitCount: 2,
    logs: [
      { id: 8, title: 'other' },
      { id: 7, title: 'Removed', properties: [], snippet: 'Removed.', thread: { id: 'g' } },
    ],
  });
});

test('a thread keeps whole entries', () => {
  const replaced = replaceEntry(JSON.stringify({ logs: [{ id: 7, source: 'secret', ownerName: 'A' }] }), entry);
  expect(JSON.parse(replaced ?? '')).toEqual({ logs: [entry] });
});

test('an answer without the entry is left alone', () => {
  expect(replaceEntry('{"logs":[{"id":8}]}', entry)).toBeUndefined();
  expect(replaceEntry('{"id":7}', entry)).toBeUndefined();
});
