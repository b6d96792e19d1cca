import { expect, test } from 'vitest';
import { type DraftContent, emptyContent } from '../../drafts/draft.ts';
import { mergeContents } from './merge-content.ts';

const base: DraftContent = {
  ...emptyContent,
  title: 'Beam lost',
  text: 'First.\n\nSecond.',
  level: 'Problem',
  logbooks: ['operations'],
  tags: ['alarm'],
  properties: [
    {
      name: 'Device',
      attributes: [
        { name: 'name', value: 'Q1' },
        { name: 'ticket', value: '' },
      ],
    },
  ],
  files: [{ id: '1', name: 'a.png', size: 1, type: 'image/png', from: 'entry' }],
};

test('what only one side changed is settled, and in the result', () => {
  const mine = { ...base, level: 'Urgent', tags: ['alarm', 'trip'] };
  const theirs = { ...base, text: 'First.\n\nSecond, with a cause.', logbooks: ['operations', 'controls'] };
  const { changes, result } = mergeContents(base, mine, theirs);
  expect(changes.map(({ field, kind }) => `${field} ${kind}`)).toEqual([
    'text theirs',
    'level mine',
    'logbooks theirs',
    'tags mine',
  ]);
  expect(result({})).toEqual({
    ...base,
    level: 'Urgent',
    tags: ['alarm', 'trip'],
    text: theirs.text,
    logbooks: theirs.logbooks,
  });
});

test('what both changed is open until it is decided', () => {
  const mine = { ...base, title: 'Beam lost twice', text: 'First.\n\nMine.' };
  const theirs = { ...base, title: 'Beam dump', text: 'First.\n\nTheirs.' };
  const { changes, result } = mergeContents(base, mine, theirs);
  const open = changes.filter(({ kind }) => kind === 'conflict');
  expect(open.map(({ field, where }) => [field, where])).toEqual([
    ['title', undefined],
    ['text', '3'],
  ]);
  expect(result({})).toMatchObject({ title: 'Beam dump', text: 'First.\n\nTheirs.' });
  const [title, text] = open.map(({ id }) => id);
  expect(result({ [String(title)]: 'Both', [String(text)]: 'Theirs.\nMine.' })).toMatchObject({
    title: 'Both',
    text: 'First.\n\nTheirs.\nMine.',
  });
});

test('files that either added are kept, and those that either removed are not', () => {
  const file = (id: string, from: 'added' | 'entry') => ({ id, name: `${id}.png`, size: 1, type: 'image/png', from });
  const mine = { ...base, files: [...base.files, file('2', 'added')] };
  const theirs = { ...base, files: [file('3', 'entry')] };
  expect(
    mergeContents(base, mine, theirs)
      .result({})
      .files.map(({ id }) => id),
  ).toEqual(['3', '2']);
});

test('attributes are merged one by one', () => {
  const withValues = (name: string, ticket: string) => [
    {
      name: 'Device',
      attributes: [
        { name: 'name', value: name },
        { name: 'ticket', value: ticket },
      ],
    },
  ];
  const mine = { ...base, properties: withValues('Q1', 'T-1') };
  const theirs = { ...base, properties: withValues('Q2', '') };
  expect(mergeContents(base, mine, theirs).result({}).properties).toEqual(withValues('Q2', 'T-1'));
  const conflict = mergeContents(base, { ...base, properties: withValues('Q3', '') }, theirs);
  expect(conflict.changes).toMatchObject([{ where: 'Device · name', kind: 'conflict' }]);
  expect(conflict.result({ [String(conflict.changes[0]?.id)]: 'Q9' }).properties).toEqual(withValues('Q9', ''));
});

test('a property that one removed and the other changed is as it was decided', () => {
  const ticket = { name: 'ticket', value: 'T-1' };
  const before = { ...base, properties: [{ name: 'Device', attributes: [{ name: 'name', value: 'Q1' }, ticket] }] };
  const changed = { ...before, properties: [{ name: 'Device', attributes: [{ name: 'name', value: 'Q2' }, ticket] }] };
  const without = { ...before, properties: [] };
  for (const [mine, theirs] of [
    [changed, without],
    [without, changed],
  ] as const) {
    const { changes, result } = mergeContents(before, mine, theirs);
    const conflict = changes.find(({ kind }) => kind === 'conflict');
    expect(conflict?.where).toBe('Device · name');
    expect(result({ [String(conflict?.id)]: 'Q2' }).properties).toEqual(changed.properties);
    expect(result({ [String(conflict?.id)]: '' }).properties).toEqual([]);
  }
});

test('a decision about a place does not hold for a later change of its text', () => {
  const mine = { ...base, text: 'First.\n\nMine.' };
  const { changes, result } = mergeContents(base, mine, { ...base, text: 'First.\n\nTheirs.' });
  const decisions = { [String(changes[0]?.id)]: 'Theirs and mine.' };
  expect(result(decisions).text).toBe('First.\n\nTheirs and mine.');
  const later = mergeContents(base, mine, { ...base, text: 'First.\n\nTheirs, corrected.' });
  expect(later.changes.filter(({ id }) => decisions[id] !== undefined)).toEqual([]);
  expect(later.result(decisions).text).toBe('First.\n\nTheirs, corrected.');
});
