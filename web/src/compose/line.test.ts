import { expect, test } from 'vitest';
import { readLine, typedName, writeLine } from './line.ts';

const names = {
  levels: ['Info', 'Problem', 'Urgent'],
  logbooks: ['operations', 'Control room'],
  tags: ['rf', 'rf-cavity', '5'],
};

test.each([
  ['Cavity 2 tripped', { title: 'Cavity 2 tripped', level: '', logbooks: [], tags: [] }],
  [
    'Cavity 2 tripped !problem @operations #rf',
    { title: 'Cavity 2 tripped', level: 'Problem', logbooks: ['operations'], tags: ['rf'] },
  ],
  ['!urgent  Beam lost #RF', { title: 'Beam lost', level: 'Urgent', logbooks: [], tags: ['rf'] }],
  ['Call @"control ROOM"', { title: 'Call', level: '', logbooks: ['Control room'], tags: [] }],
  ['Ask @operations about it', { title: 'Ask @operations about it', level: '', logbooks: [], tags: [] }],
  ['Thanks @anna', { title: 'Thanks @anna', level: '', logbooks: [], tags: [] }],
  ['See #5', { title: 'See #5', level: '', logbooks: [], tags: [] }],
  ['Wrong !nothing @operations', { title: 'Wrong !nothing', level: '', logbooks: ['operations'], tags: [] }],
  ['!problem #rf', { title: '!problem #rf', level: '', logbooks: [], tags: [] }],
  ['', { title: '', level: '', logbooks: [], tags: [] }],
])('%j is read by its first and last words', (line, content) => {
  expect(readLine(line, names)).toEqual(content);
});

test('content that was read is written as a line that reads the same', () => {
  const content = readLine('#rf Pump !Problem @"Control room" @operations', names);
  expect(writeLine(content)).toBe('Pump !Problem @"Control room" @operations #rf');
  expect(readLine(writeLine(content), names)).toEqual(content);
});

test.each([
  ['Pump !p', ['!Problem']],
  ['Pump #', ['#rf', '#rf-cavity', '#"5"']],
  ['Pump @room', ['@"Control room"']],
  ['Pump @"control r', ['@"Control room"']],
  ['Pump #5', undefined],
  ['Pump !problem', undefined],
  ['Pump @anna', undefined],
  ['a@op', undefined],
  ['Pump ', undefined],
])('%j offers %j', (line, options) => {
  expect(typedName(line, line.length, names)?.options).toEqual(options);
});

test('a name is complete if the catalogue has it', () => {
  expect(typedName('Pump #rf', 8, names)).toEqual({ from: 5, to: 8, options: ['#rf', '#rf-cavity'], isComplete: true });
});

test('a completion replaces the whole word around the cursor', () => {
  expect(typedName('#rf-x pump', 2, names)).toMatchObject({ from: 0, to: 5 });
});
