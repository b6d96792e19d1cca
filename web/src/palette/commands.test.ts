import { List } from 'lucide-react';
import { expect, test } from 'vitest';
import { type Command, labelParts, matchingCommands } from './commands.ts';

const command = (label: string, group: Command['group'] = 'goTo', isFirst = false): Command => ({
  id: label,
  group,
  label,
  icon: List,
  isFirst,
  run: () => undefined,
});

test('every word must occur, accents and case aside; what begins with the first word comes first', () => {
  const commands = [command('Share: copy the link'), command('Hand-over'), command('Übergabe'), command('Wall')];
  expect(matchingCommands(commands, 'ha').map(({ label }) => label)).toEqual(['Hand-over', 'Share: copy the link']);
  expect(matchingCommands(commands, 'LINK copy').map(({ label }) => label)).toEqual(['Share: copy the link']);
  expect(matchingCommands(commands, 'uber').map(({ label }) => label)).toEqual(['Übergabe']);
  expect(matchingCommands(commands, 'nothing')).toEqual([]);
});

test('before anything is typed, only the first ones are shown', () => {
  expect(matchingCommands([command('a', 'goTo', true), command('b')], ' ').map(({ label }) => label)).toEqual(['a']);
});

test('groups keep their order', () => {
  const found = matchingCommands([command('x entries', 'entries'), command('x goto', 'goTo')], 'x');
  expect(found.map(({ group }) => group)).toEqual(['goTo', 'entries']);
});

test('the matching parts of a label', () => {
  expect(labelParts('Hand-over', 'ha')).toEqual([
    { text: 'Ha', isMatch: true },
    { text: 'nd-over', isMatch: false },
  ]);
  expect(labelParts('Wall', '')).toEqual([{ text: 'Wall', isMatch: false }]);
});
