import type { Grantee, LogbookRule } from '../auth/logbook-access.js';
import { spellingsOfGroup, splitNames } from './group-names.js';
import { readPropertiesFile } from './properties-file.js';

/**
 * Reads a file with lines such as `operations.write = operators, user:jane`. A grantee is a group of the directory, by
 * name or by DN in double quotes; `user:` followed by a name; or `signed-in` for every signed-in user.
 * @throws Error that states the problem of the file
 */
export function readLogbookAccess(file: string): LogbookRule[] {
  const rules = new Map<string, { read?: Grantee[]; write?: Grantee[] }>();
  for (const [key, value] of Object.entries(readPropertiesFile(file))) {
    const [, logbook, right] = /^(.+)\.(read|write)$/.exec(key) ?? [];
    if (logbook === undefined) {
      throw new Error(`“${key}” must be the name of a logbook followed by .read or .write`);
    }
    // Logbook names are not case-sensitive. With two spellings in two rules, the second rule would override the first.
    const name = logbook.normalize('NFC').toLowerCase();
    const rule = rules.get(name) ?? {};
    const kind = right as 'read' | 'write';
    if (rule[kind] !== undefined) throw new Error(`“${key}” is given twice, in different spellings`);
    rule[kind] = splitNames(value).flatMap(parseGrantee);
    rules.set(name, rule);
  }
  return [...rules].map(([logbook, { read, write }]) => ({ logbook, read, write }));
}

function parseGrantee(text: string): Grantee[] {
  if (text === 'signed-in') return [{ kind: 'signed-in' }];
  if (text.startsWith('user:')) return [{ kind: 'user', name: text.slice('user:'.length).trim() }];
  return spellingsOfGroup(text).map((name) => ({ kind: 'group', name }));
}
