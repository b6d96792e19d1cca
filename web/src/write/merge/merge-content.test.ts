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
  const open = changes.filter(({ kind }) => kind === 'conflict').map(({ id }) => id);
  expect(open).toEqual(['title', 'text-1']);
  expect(result({})).toMatchObject({ title: 'Beam dump', text: 'First.\n\nTheirs.' });
  expect(result({ title: 'Both', 'text-1': 'Theirs.\nMine.' })).toMatchObject({
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
  expect(conflict.changes).toMatchObject([{ id: 'property-Device · name', kind: 'conflict' }]);
  expect(conflict.result({ 'property-Device · name': 'Q9' }).properties).toEqual(withValues('Q9', ''));
});
