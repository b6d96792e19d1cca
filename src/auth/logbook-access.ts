import { foldCase } from '../kernel/text.js';
import type { Principal } from './principal.js';

/** Who may read a logbook and write in it; undefined: everybody who may read or write at all. */
export interface LogbookRule {
  readonly logbook: string;
  readonly read: readonly Grantee[] | undefined;
  readonly write: readonly Grantee[] | undefined;
}

/** Everybody who is signed in, a group of the directory, or one user. */
export type Grantee =
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'user'; readonly name: string };

/** What logbooks are open to whom. An administrator reads and writes all. */
export class LogbookAccess {
  private readonly rules: ReadonlyMap<string, LogbookRule>;

  /** @throws Error for two rules of one logbook: the second would open what the first closes */
  constructor(rules: readonly LogbookRule[]) {
    this.rules = new Map(rules.map((rule) => [foldCase(rule.logbook), rule]));
    if (this.rules.size < rules.length) throw new Error('the rules for logbooks name one of them in two spellings');
  }

  get hidesAny(): boolean {
    return [...this.rules.values()].some(({ read }) => read !== undefined);
  }

  mayRead(reader: Principal | undefined, logbook: string): boolean {
    return isAmong(reader, this.rules.get(foldCase(logbook))?.read);
  }

  /** Names of closed logbooks as they are compared. */
  hiddenLogbooksFor(reader: Principal | undefined): string[] {
    return [...this.rules].filter(([, { read }]) => !isAmong(reader, read)).map(([name]) => name);
  }

  /** Whoever may not read may not write either: what they file would be out of their sight. */
  mayWrite(author: Principal, logbook: string): boolean {
    const rule = this.rules.get(foldCase(logbook));
    return isAmong(author, rule?.read) && isAmong(author, rule?.write);
  }
}

function isAmong(principal: Principal | undefined, parties: readonly Grantee[] | undefined): boolean {
  if (parties === undefined) return true;
  if (principal === undefined) return false;
  if (principal.roles.includes('ADMIN')) return true;
  return parties.some((party) => {
    if (party.kind === 'signed-in') return true;
    // Directories do not mind the case of a group's name.
    if (party.kind === 'group') return principal.groups.some((group) => foldCase(group) === foldCase(party.name));
    return principal.userName === party.name;
  });
}
