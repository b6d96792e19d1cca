import { expect, test } from 'vitest';
import type { Hit } from '../api/types.ts';
import { foldAt } from './automatic-folds.ts';

/** A list by letters: `a` automatic, `p` by a person, `d` automatic and the first of its day. */
const folds = (letters: string, changed: Readonly<Record<number, Partial<Hit>>> = {}) => {
  const hits = [...letters].map((letter, id) => ({ id, level: 'Info', ...(letter !== 'p' && { automatic: true }) }));
  const deps = {
    hitAt: (index: number) => hits[index] && ({ ...hits[index], ...changed[index] } as Hit),
    pageSize: 6,
    startsGroup: (index: number) => letters[index] === 'd',
  };
  return [...letters].map((_, index) => {
    const fold = foldAt(deps, index);
    return fold ? `${fold.first}-${fold.last}` : '';
  });
};

test('three or more consecutive automatic entries of a day are folded, those of persons are not', () => {
  expect(folds('paaap')).toEqual(['', '1-3', '1-3', '1-3', '']);
  expect(folds('aapa')).toEqual(['', '', '', '']);
  expect(folds('aaadaa')).toEqual(['0-2', '0-2', '0-2', '3-5', '3-5', '3-5']);
});

test('a fold ends with its page', () => {
  expect(folds('aaaaaaaaa').slice(5, 7)).toEqual(['0-5', '6-8']);
});

test('answered, urgent and growing entries stay in the list', () => {
  const shown: Partial<Hit>[] = [
    { level: 'Urgent' },
    { level: 'Problem' },
    { thread: { id: 'x', size: 2, position: 1, lastDate: 0, lastOwner: '' } },
    { run: { status: 'running', blocks: 1, changedDate: 0 } },
  ];
  for (const one of shown) expect(folds('aaaaaa', { 3: one })).toEqual(['0-2', '0-2', '0-2', '', '', '']);
  expect(folds('aaaaaa', { 3: { run: { status: 'done', blocks: 1, changedDate: 0 } } })[3]).toBe('0-5');
});
