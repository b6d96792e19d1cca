import { readPropertiesFile } from './properties-file.js';

/** Who may read a logbook and write in it; undefined: everybody who may read or write at all. */
export interface LogbookRuleSetting {
  readonly logbook: string;
  readonly read: readonly PartySetting[] | undefined;
  readonly write: readonly PartySetting[] | undefined;
}

export type PartySetting =
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'user'; readonly name: string };

/**
 * Reads a file with lines such as `operations.write = operators, user:jane`: of whom a logbook is, by groups of the
 * directory, `user:` and a name, or `signed-in` for everybody who is.
 * @throws Error for people
 */
export function readLogbookAccess(file: string): LogbookRuleSetting[] {
  const rules = new Map<string, { read?: PartySetting[]; write?: PartySetting[] }>();
  for (const [key, value] of Object.entries(readPropertiesFile(file))) {
    const [, logbook, what] = /^(.+)\.(read|write)$/.exec(key) ?? [];
    if (logbook === undefined) {
      throw new Error(`“${key}” is neither the name of a logbook with .read behind it nor one with .write`);
    }
    // Logbooks are told apart without their case here: two spellings of one would make it open.
    const name = logbook.normalize('NFC').toLowerCase();
    const rule = rules.get(name) ?? {};
    const kind = what as 'read' | 'write';
    if (rule[kind] !== undefined) throw new Error(`“${key}” is there twice, in another spelling`);
    rule[kind] = value
      .split(',')
      .map((party) => party.trim())
      .filter((party) => party !== '')
      .map(parseParty);
    rules.set(name, rule);
  }
  return [...rules].map(([logbook, { read, write }]) => ({ logbook, read, write }));
}

function parseParty(text: string): PartySetting {
  if (text === 'signed-in') return { kind: 'signed-in' };
  if (text.startsWith('user:')) return { kind: 'user', name: text.slice('user:'.length).trim() };
  return { kind: 'group', name: text };
}
