import { expect, test } from 'vitest';
import { Fault, type FaultKind } from '../../kernel/fault.js';
import { parseQuery } from '../../search/parse-query.js';
import { SearchByMeaning } from './search-by-meaning.js';

let outcome: () => Promise<[]> = async () => [];
const warnings: string[] = [];
const log = { warn: (_: object, message: string) => void warnings.push(message) };
const byMeaning = new SearchByMeaning({ similar: () => outcome() });
const query = parseQuery({}, { nowMs: 0, zone: 'UTC', hiddenLogbooks: [] });
const find = () => byMeaning.find({ to: 'leak', query, size: 10 }, log as never, new AbortController().signal);
const fail = (kind: FaultKind, code: string) => async () => {
  throw new Fault(kind, code, 'Try again.');
};

test('a failed comparison differs from one that finds nothing, and is logged once until the next success', async () => {
  expect(await find()).toEqual([]);
  for (const code of ['unavailable', 'too-slow', 'index-building', 'lagging']) {
    outcome = fail('unavailable', `search.${code}`);
    expect(await find()).toBeUndefined();
  }
  outcome = fail('busy', 'search.busy');
  expect(await find()).toBeUndefined();
  expect(warnings).toEqual(['searches lack entries of similar meaning']);
  outcome = async () => [];
  expect(await find()).toEqual([]);
  outcome = fail('busy', 'search.busy');
  await find();
  expect(warnings).toHaveLength(2);
});

test('other faults and errors are thrown', async () => {
  for (const code of ['search.damaged', 'search.cancelled', 'entry.damaged']) {
    outcome = fail('unavailable', code);
    await expect(find()).rejects.toMatchObject({ code });
  }
  outcome = async () => {
    throw new TypeError('a mistake');
  };
  await expect(find()).rejects.toThrow('a mistake');
});
