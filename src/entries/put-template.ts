import { randomUUID } from 'node:crypto';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import type { Clock } from '../kernel/clock.js';
import { Fault, quoted } from '../kernel/fault.js';
import { checkLength, checkParts, type EntryDraft, entryLimits } from './entry-draft.js';
import type { EntryStorage } from './entry-storage.js';
import { defaultLevelName, resolveReferences } from './references.js';
import type { Template } from './template.js';
import type { Markup, TextRenderer } from './text-renderer.js';

export interface TemplateDraft extends Omit<EntryDraft, 'events'> {
  /** Undefined: the title. */
  readonly name: string | undefined;
  /** Of the template to replace; one that is not known yet is taken as the id of a new one. */
  readonly id: string | undefined;
}

/** @throws Fault invalid `template.…`, `entry.…` */
export async function putTemplate(
  deps: {
    readonly storage: EntryStorage;
    readonly texts: TextRenderer;
    readonly clock: Clock;
    readonly permissions: Permissions;
  },
  draft: TemplateDraft,
  author: Principal,
  markup: Markup,
): Promise<Template> {
  const name = (draft.name ?? draft.title).trim();
  if (name === '') {
    throw new Fault(
      'invalid',
      'template.missing-name',
      'The template has neither a name nor a title. Give it one of them.',
    );
  }
  checkLength('name', name, entryLimits.titleLength);
  checkLength('title', draft.title, entryLimits.titleLength);
  checkLength('level', draft.level ?? '', entryLimits.nameLength);
  checkLength('id', draft.id ?? '', entryLimits.nameLength);
  checkParts({ ...draft, events: [] });
  const text = await deps.texts.render(draft.text, markup);
  return deps.storage.write(async (tx) => {
    const stored = draft.id === undefined ? undefined : await tx.templates.find(draft.id);
    if (stored) checkMayChange(deps.permissions, author, stored);
    const references = await resolveReferences(tx.catalog, draft, stored);
    deps.permissions.checkWriteAccess(author, references);
    const nowMs = deps.clock.nowMs();
    const template: Template = {
      id: draft.id ?? randomUUID(),
      name,
      owner: stored?.owner ?? author.userName,
      title: draft.title,
      ...text,
      level: draft.level ?? (await defaultLevelName(tx.catalog)),
      createdDate: stored?.createdDate ?? nowMs,
      modifyDate: stored ? nowMs : null,
      modifiedBy: stored ? author.userName : null,
      ...references,
    };
    await tx.templates.put(template);
    return template;
  });
}

/** @throws Fault missing `template.not-found` */
export async function removeTemplate(
  deps: { readonly storage: EntryStorage; readonly permissions: Permissions },
  id: string,
  author: Principal,
): Promise<void> {
  await deps.storage.write(async (tx) => {
    const stored = await tx.templates.find(id);
    if (!stored) throw templateNotFound(id);
    checkMayChange(deps.permissions, author, stored);
    await tx.templates.remove(id);
  });
}

function checkMayChange(permissions: Permissions, author: Principal, stored: Template): void {
  if (!permissions.mayRead(author, stored)) throw templateNotFound(stored.id);
  permissions.checkEdit(author, stored);
}

export function templateNotFound(id: string): Fault {
  return new Fault('missing', 'template.not-found', `There is no template ${quoted(id)}.`);
}
