import { Fault, quoted } from '../kernel/fault.js';
import type { LogbookAccess } from './logbook-access.js';
import type { Principal, Role } from './principal.js';

/** Something that not everybody who is signed in may do. */
export const rights = ['entries', 'templates', 'logbooks', 'tags', 'properties', 'levels', 'admin'] as const;
export type Right = (typeof rights)[number];

/** Which role each right needs; an administrator needs no other. */
const roleFor: Readonly<Record<Right, Role>> = {
  entries: 'LOG',
  templates: 'LOG',
  logbooks: 'LOGBOOK',
  tags: 'TAG',
  properties: 'PROPERTY',
  levels: 'ADMIN',
  admin: 'ADMIN',
};

const meaning: Readonly<Record<Right, string>> = {
  entries: 'write entries',
  templates: 'keep templates',
  logbooks: 'keep logbooks',
  tags: 'keep tags',
  properties: 'keep properties',
  levels: 'keep levels',
  admin: 'administer the service',
};

/** `signed-in`: whoever is signed in may write, the service has no roles but the administrator's; `roles`: see roleFor. */
export type PermissionMode = 'signed-in' | 'roles';

interface Filed {
  readonly logbooks: readonly { readonly name: string }[];
}

interface Owned extends Filed {
  readonly owner: string;
}

/** Who may do what. */
export class Permissions {
  constructor(
    private readonly mode: PermissionMode,
    private readonly access: LogbookAccess,
  ) {}

  /** Whether what is read depends on who reads. */
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
        `The token ${quoted(token.name)} may not ${meaning[right]}: it has not the right “${right}”. Make one that has it.`,
      );
    }
    if (this.mayAlways(principal) || (this.mode === 'signed-in' && right !== 'admin')) return;
    const needed = roleFor[right];
    if (!principal.roles.includes(needed)) {
      throw new Fault(
        'forbidden',
        'auth.role-missing',
        `${quoted(principal.userName)} may not ${meaning[right]}: that needs the role ${needed}. Ask the administrator for it.`,
      );
    }
  }

  /**
   * Whether something filed under these logbooks is there for a reader: each of the logbooks must be open to them, so
   * that filing under a second one publishes nothing.
   */
  mayRead(reader: Principal | undefined, { logbooks }: Filed): boolean {
    return logbooks.every(({ name }) => this.access.mayRead(reader, name));
  }

  /** Logbooks whose entries are not there for a reader, as they are compared. */
  hiddenLogbooksFor(reader: Principal | undefined): string[] {
    return this.access.hiddenLogbooksFor(reader);
  }

  /** @throws Fault forbidden `auth.logbook-closed` */
  checkWriteAccess(author: Principal, { logbooks }: Filed): void {
    const closed = logbooks.find(({ name }) => !this.access.mayWrite(author, name));
    if (!closed) return;
    throw new Fault(
      'forbidden',
      'auth.logbook-closed',
      `${quoted(author.userName)} may not write in the logbook ${quoted(closed.name)}. Ask the administrator for it.`,
    );
  }

  /**
   * To be asked of what is there for the editor.
   * @throws Fault forbidden `auth.not-the-author`, `auth.logbook-closed`
   */
  checkEdit(editor: Principal, stored: Owned): void {
    if (this.mode === 'roles' && !this.mayAlways(editor) && stored.owner !== editor.userName) {
      throw new Fault(
        'forbidden',
        'auth.not-the-author',
        `This is of ${quoted(stored.owner)}: only its author and those with the role ADMIN may change it. Reply to it instead.`,
      );
    }
    this.checkWriteAccess(editor, stored);
  }

  private mayAlways({ roles }: Principal): boolean {
    return roles.includes('ADMIN');
  }
}
