import { expect, test } from 'vitest';
import { LogbookAccess } from './logbook-access.js';

test('two rules for the same logbook are refused: the second would open what the first closes', () => {
  const closed = { read: [{ kind: 'group', name: 'safety' }], write: undefined } as const;
  const open = { read: undefined, write: undefined };
  const rules = [
    { logbook: 'shift\tlog', ...closed },
    { logbook: 'Shift log', ...open },
  ];
  expect(() => new LogbookAccess(rules)).toThrow('two spellings');
});
