import { randomUUID } from 'node:crypto';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import { defaultLevelName } from '../catalog/edit-catalog.js';
import type { Clock } from '../kernel/clock.js';
import { Fault, quoted } from '../kernel/fault.js';
import { checkGrowth, type ListLimits } from '../kernel/list-limits.js';
import { checkLength, checkParts, type EntryDraft, entryLimits } from './entry-draft.js';
import type { EntryStorage } from './entry-storage.js';
import { resolveReferences } from './references.js';
import type { Template } from './template.js';
import type { Markup, TextRenderer } from './text-renderer.js';

export interface TemplateDraft extends Omit<EntryDraft, 'events'> {
  /** Undefined: the title. */
  readonly name: string | undefined;
  /** Id of the template to replace; when no template has it, a new one is created with this id. */
  readonly id: string | undefined;
}

interface PutTemplateDeps {
  readonly storage: EntryStorage;
  readonly texts: TextRenderer;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly templateLimits: ListLimits;
}

const templateList = {
  name: 'the list of templates',
  codes: { full: 'template.list-full', tooLarge: 'template.list-too-large' },
  itemsSetting: 'maxTemplates',
  bytesSetting: 'maxTemplatesSize',
  advice: 'Delete templates that are no longer needed, or ask the administrator to raise the setting.',
};

/**
 * Stores a new template, or replaces the one with the id of the draft.
 * @throws Fault invalid `template.…`, `entry.…`; conflict `template.list-…`; missing `template.not-found` when the
 * author may not read the stored one; forbidden `auth.…`
 */
export async function putTemplate(
  deps: PutTemplateDeps,
  draft: TemplateDraft,
  author: Principal,
  markup: Markup,
): Promise<Template> {
  const name = checkTemplate(draft);
  const text = await deps.texts.render(draft.text, markup);
  return deps.storage.write(async (tx) => {
    const stored = draft.id === undefined ? undefined : (await tx.templates.find(draft.id))?.template;
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
    const before = await tx.templates.measure();
    await tx.templates.put(template);
    checkGrowth(templateList, { before, after: await tx.templates.measure() }, deps.templateLimits);
    return template;
  });
}

/**
 * Checks the limits and returns the name of the template.
 * @throws Fault invalid `template.missing-name`, `entry.…`
 */
function checkTemplate(draft: TemplateDraft): string {
  const name = (draft.name ?? draft.title).trim();
  if (name === '') {
    throw new Fault(
      'invalid',
      'template.missing-name',
      'The template has neither a name nor a title. Add one of them.',
    );
  }
  checkLength('name', name, entryLimits.titleLength);
  checkLength('title', draft.title, entryLimits.titleLength);
  checkLength('level', draft.level ?? '', entryLimits.nameLength);
  checkLength('id', draft.id ?? '', entryLimits.nameLength);
  checkParts({ ...draft, events: [] });
  return name;
}

/** @throws Fault missing `template.not-found`; forbidden `auth.…` */
export async function removeTemplate(
  deps: { readonly storage: EntryStorage; readonly permissions: Permissions },
  id: string,
  author: Principal,
): Promise<void> {
  await deps.storage.write(async (tx) => {
    const stored = (await tx.templates.find(id))?.template;
    if (!stored) throw templateNotFound(id);
    checkMayChange(deps.permissions, author, stored);
    await tx.templates.remove(id);
  });
}

/** @throws Fault missing `template.not-found` when the author may not read it; forbidden `auth.…` */
function checkMayChange(permissions: Permissions, author: Principal, stored: Template): void {
  if (!permissions.mayRead(author, stored)) throw templateNotFound(stored.id);
  permissions.checkEdit(author, stored);
}

export function templateNotFound(id: string): Fault {
  return new Fault('missing', 'template.not-found', `Template ${quoted(id)} not found.`);
}
