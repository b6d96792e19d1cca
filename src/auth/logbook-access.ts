import { foldCase } from '../kernel/text.js';
import type { Principal } from './principal.js';

/**
 * Users who may read a logbook, and users who may write to it. Undefined: every user with the general right to do so.
 */
export interface LogbookRule {
  readonly logbook: string;
  readonly read: readonly Grantee[] | undefined;
  readonly write: readonly Grantee[] | undefined;
}

/** Every signed-in user, the members of a directory group, or one user. */
export type Grantee =
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'user'; readonly name: string };

/** Restricts logbooks to grantees and administrators. Names of logbooks and groups are compared ignoring case. */
export class LogbookAccess {
  private readonly rules: ReadonlyMap<string, LogbookRule>;

  /** @throws Error for two rules for the same logbook: the second would undo the restriction of the first */
  constructor(rules: readonly LogbookRule[]) {
    this.rules = new Map(rules.map((rule) => [foldCase(rule.logbook), rule]));
    if (this.rules.size < rules.length) throw new Error('two rules name the same logbook in two spellings');
  }

  /** Returns the rules in the order in which they were given. */
  listRules(): LogbookRule[] {
    return [...this.rules.values()];
  }

  /** Whether at least one logbook is not readable by everyone. */
  get hidesAny(): boolean {
    return [...this.rules.values()].some(({ read }) => read !== undefined);
  }

  /** @param reader undefined: not signed in */
  mayRead(reader: Principal | undefined, logbook: string): boolean {
    return isAmong(reader, this.rules.get(foldCase(logbook))?.read);
  }

  /** Returns the case-folded names of the logbooks that the reader may not read. */
  hiddenLogbooksFor(reader: Principal | undefined): string[] {
    return [...this.rules].filter(([, { read }]) => !isAmong(reader, read)).map(([name]) => name);
  }

  /**
   * Whether the author may write to the logbook. Writing also needs read access, so that authors can see their entries.
   */
  mayWrite(author: Principal, logbook: string): boolean {
    const rule = this.rules.get(foldCase(logbook));
    return isAmong(author, rule?.read) && isAmong(author, rule?.write);
  }
}

/** Returns true when the principal is one of the grantees or an administrator, or when there is no restriction. */
function isAmong(principal: Principal | undefined, grantees: readonly Grantee[] | undefined): boolean {
  if (grantees === undefined) return true;
  if (principal === undefined) return false;
  if (principal.roles.includes('ADMIN')) return true;
  return grantees.some((grantee) => {
    if (grantee.kind === 'signed-in') return true;
    // Directories ignore the case of group names.
    if (grantee.kind === 'group') return principal.groups.some((group) => foldCase(group) === foldCase(grantee.name));
    return principal.userName === grantee.name;
  });
}
