import { Fault, quoted } from '../kernel/fault.js';
import type { LogbookAccess } from './logbook-access.js';
import type { Principal, Role } from './principal.js';

/** What a token, or a role, can be required for. */
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

/** The rest of a sentence such as “The token may not …”. */
const action: Readonly<Record<Right, string>> = {
  entries: 'write entries',
  templates: 'manage templates',
  logbooks: 'manage logbooks',
  tags: 'manage tags',
  properties: 'manage properties',
  levels: 'manage levels',
  admin: 'administer the service',
};

/** `signed-in`: every signed-in user may write, and only `ADMIN` is enforced; `roles`: see roleFor. */
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
    private readonly mode: PermissionMode,
    private readonly access: LogbookAccess,
  ) {}

  /** True when what a reader can see depends on who the reader is. */
  get hasReadRestrictions(): boolean {
    return this.access.hidesAny;
  }

  /** @throws Fault forbidden `auth.role-missing`, `auth.right-missing` */
  check(principal: Principal, right: Right): void {
    const { token } = principal;
    if (token && !token.rights.includes(right)) {
      throw new Fault(
        'forbidden',
        'auth.right-missing',
        `The token ${quoted(token.name)} may not ${action[right]}: it does not have the right “${right}”. Create a token with this right.`,
      );
    }
    if (isAdmin(principal) || (this.mode === 'signed-in' && right !== 'admin')) return;
    const needed = roleFor[right];
    if (!principal.roles.includes(needed)) {
      throw new Fault(
        'forbidden',
        'auth.role-missing',
        `${quoted(principal.userName)} may not ${action[right]}: this requires the role ${needed}. Ask your administrator for it.`,
      );
    }
  }

  /**
   * True when the reader may read all of these logbooks. All, not one: otherwise adding an entry of a closed logbook to
   * an open one would publish it.
   * @param reader undefined: not signed in
   */
  mayRead(reader: Principal | undefined, { logbooks }: InLogbooks): boolean {
    return logbooks.every(({ name }) => this.access.mayRead(reader, name));
  }

  /** Returns the logbooks that the reader may not read, with case folded as for comparison. */
  hiddenLogbooksFor(reader: Principal | undefined): string[] {
    return this.access.hiddenLogbooksFor(reader);
  }

  /** @throws Fault forbidden `auth.logbook-closed` */
  checkWriteAccess(author: Principal, { logbooks }: InLogbooks): void {
    const closed = logbooks.find(({ name }) => !this.access.mayWrite(author, name));
    if (!closed) return;
    throw new Fault(
      'forbidden',
      'auth.logbook-closed',
      `${quoted(author.userName)} may not write to the logbook ${quoted(closed.name)}. Ask your administrator for access.`,
    );
  }

  /**
   * Checks whether the editor may change something that they may read; `mayRead` must be checked first.
   * @throws Fault forbidden `auth.not-the-author`, `auth.logbook-closed`
   */
  checkEdit(editor: Principal, stored: Owned): void {
    if (this.mode === 'roles' && !isAdmin(editor) && stored.owner !== editor.userName) {
      throw new Fault(
        'forbidden',
        'auth.not-the-author',
        `This belongs to ${quoted(stored.owner)}: only its author and users with the role ADMIN may change it. Reply to it instead.`,
      );
    }
    this.checkWriteAccess(editor, stored);
  }
}

function isAdmin({ roles }: Principal): boolean {
  return roles.includes('ADMIN');
}
