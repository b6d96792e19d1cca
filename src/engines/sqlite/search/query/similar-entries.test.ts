import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OpenSearchableStorage } from '../../../../../test/contract/storage.suite.js';
import { entryDraft, tag } from '../../../../../test/fixtures/entries.js';
import { sqliteEngine } from '../../../../../test/fixtures/sqlite-engine.js';
import { parseQuery } from '../../../../search/parse-query.js';

const dayMs = 24 * 3_600_000;

let opened: OpenSearchableStorage;
beforeEach(async () => {
  opened = await sqliteEngine.open();
});
afterEach(() => opened.destroy());

const store = async (draft: Parameters<typeof entryDraft>[0]) =>
  (await opened.storage.write((tx) => tx.entries.insert(entryDraft({ description: '', source: '', ...draft })))).entry;

async function similarTo(id: number): Promise<number[]> {
  await opened.searchIndex.waitUntilIndexed();
  const query = parseQuery({}, { nowMs: 0, zone: 'UTC' });
  const found = (await opened.searchIndex.similar?.({ to: id, query, size: 10 })) ?? [];
  return found.map(({ entry }) => (entry as { readonly id: number }).id);
}

test('of entries with the same words, those with its tags come first, then those of its level, and those of its time', async () => {
  const words = { title: 'Vacuum gauge of the cavity drifts' };
  const createdDate = 100 * dayMs;
  const to = await store({ ...words, createdDate, tags: [tag('maintenance'), tag('repair')], level: 'Problem' });
  const drafts = {
    tags: { tags: [tag('maintenance'), tag('repair')] },
    levelAndTime: { level: 'Problem', createdDate: createdDate + dayMs },
    level: { level: 'Problem' },
    plain: {},
  };
  const ids: number[] = [];
  for (const draft of Object.values(drafts)) {
    ids.push((await store({ ...words, createdDate: createdDate + 20 * dayMs, ...draft })).id);
  }
  expect(await similarTo(to.id)).toEqual(ids);
});

test('the same tags, level and time make no entry similar that says something else', async () => {
  const shared = { tags: [tag('maintenance')], level: 'Problem', createdDate: dayMs };
  const to = await store({ ...shared, title: 'Vacuum gauge of the cavity drifts' });
  await store({ ...shared, title: 'Parking lot closed on Monday' });
  expect(await similarTo(to.id)).toEqual([]);
});
