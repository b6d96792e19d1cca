import { Fault, quoted } from '../kernel/fault.js';
import type { LogbookAccess, LogbookRule } from './logbook-access.js';
import type { Principal, Role } from './principal.js';

/** Rights that a route can require of a token or a role. */
export const rights = ['entries', 'templates', 'logbooks', 'tags', 'properties', 'levels', 'admin'] as const;
export type Right = (typeof rights)[number];

/** The role that each right needs when roles are enforced; `ADMIN` includes all of them. */
const roleFor: Readonly<Record<Right, Role>> = {
  entries: 'LOG',
  templates: 'LOG',
  logbooks: 'LOGBOOK',
  tags: 'TAG',
  properties: 'PROPERTY',
  levels: 'ADMIN',
  admin: 'ADMIN',
};

/** End of a sentence that begins with “The token may not”. */
const action: Readonly<Record<Right, string>> = {
  entries: 'write entries',
  templates: 'manage templates',
  logbooks: 'manage logbooks',
  tags: 'manage tags',
  properties: 'manage properties',
  levels: 'manage levels',
  admin: 'administer the service',
};

/**
 * Mode of the permissions. `signed-in`: every signed-in user has all rights except `admin`; `roles`: each right needs
 * its role in `roleFor`.
 */
export type PermissionMode = 'signed-in' | 'roles';

/** Something that is in logbooks, such as an entry or a template. */
interface InLogbooks {
  readonly logbooks: readonly { readonly name: string }[];
}

interface Owned extends InLogbooks {
  readonly owner: string;
}

/** Decides what a principal may do. */
export class Permissions {
  constructor(
    readonly mode: PermissionMode,
    private readonly access: LogbookAccess,
  ) {}

  /** Whether different readers can see different entries. */
  get hasReadRestrictions(): boolean {
    return this.access.hidesAny;
  }

  /** The logbooks whose readers or writers are restricted. */
  get logbookRules(): LogbookRule[] {
    return this.access.listRules();
  }

  /** Returns the rights that the principal has, in the order of `rights`. */
  rightsOf(principal: Principal): Right[] {
    return rights.filter((right) => this.hasRight(principal, right));
  }

  /** @throws Fault forbidden `auth.role-missing`, `auth.right-missing` */
  check(principal: Principal, right: Right): void {
    this.checkToken(principal, right);
    if (this.hasRole(principal, right)) return;
    throw new Fault(
      'forbidden',
      'auth.role-missing',
      `${quoted(principal.userName)} may not ${action[right]}: this requires the role ${roleFor[right]}. Ask your administrator for it.`,
    );
  }

  /**
   * Checks the token that authenticated a request, if any. Does not check the roles of its owner.
   * @throws Fault forbidden `auth.right-missing`
   */
  checkToken({ token }: Principal, right: Right): void {
    if (!token || isGranted(token, right)) return;
    throw new Fault(
      'forbidden',
      'auth.right-missing',
      `The token ${quoted(token.name)} may not ${action[right]}: it does not have the right “${right}”. Create a token with this right.`,
    );
  }

  private hasRight(principal: Principal, right: Right): boolean {
    return isGranted(principal.token, right) && this.hasRole(principal, right);
  }

  private hasRole(principal: Principal, right: Right): boolean {
    if (isAdmin(principal) || (this.mode === 'signed-in' && right !== 'admin')) return true;
    return principal.roles.includes(roleFor[right]);
  }

  /**
   * Returns true when the reader may read all of these logbooks. One is not enough: adding an entry of a closed logbook
   * to an open one would publish it.
   * @param reader undefined: not signed in
   */
  mayRead(reader: Principal | undefined, { logbooks }: InLogbooks): boolean {
    return logbooks.every(({ name }) => this.access.mayRead(reader, name));
  }

  /** Returns the case-folded names of the logbooks that the reader may not read. */
  hiddenLogbooksFor(reader: Principal | undefined): string[] {
    return this.access.hiddenLogbooksFor(reader);
  }

  mayWriteEntries(author: Principal, logbook: string): boolean {
    return this.hasRight(author, 'entries') && this.access.mayWrite(asGranted(author), logbook);
  }

  /** @throws Fault forbidden `auth.logbook-closed` */
  checkWriteAccess(author: Principal, { logbooks }: InLogbooks): void {
    const closed = logbooks.find(({ name }) => !this.access.mayWrite(asGranted(author), name));
    if (!closed) return;
    throw new Fault(
      'forbidden',
      'auth.logbook-closed',
      `${quoted(author.userName)} may not write to the logbook ${quoted(closed.name)}. Ask your administrator for access.`,
    );
  }

  /**
   * Checks whether the editor may change an item that they may read. The caller must check `mayRead` first.
   * @throws Fault forbidden `auth.not-the-author`, `auth.logbook-closed`
   */
  checkEdit(editor: Principal, stored: Owned): void {
    if (this.mode === 'roles' && !isAdmin(asGranted(editor)) && stored.owner !== editor.userName) {
      throw new Fault(
        'forbidden',
        'auth.not-the-author',
        `This belongs to ${quoted(stored.owner)}: only its author and users with the role ADMIN may change it. Reply to it instead.`,
      );
    }
    this.checkWriteAccess(editor, stored);
  }
}

/** Returns true unless a token without the right authenticated the request. */
function isGranted(token: Principal['token'], right: Right): boolean {
  return token === undefined || token.rights.includes(right);
}

/**
 * Returns the principal, without the role ADMIN if a token without the right to administer authenticated the request.
 */
function asGranted(author: Principal): Principal {
  if (isGranted(author.token, 'admin')) return author;
  return { ...author, roles: author.roles.filter((role) => role !== 'ADMIN') };
}

function isAdmin({ roles }: Principal): boolean {
  return roles.includes('ADMIN');
}
