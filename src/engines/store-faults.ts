import { Fault, quoted } from '../kernel/fault.js';

/** Faults that the ports promise for identifiers already in use, shared by all engines. */

export function attachmentIdTaken(id: string): Fault {
  return new Fault(
    'conflict',
    'attachment.id-taken',
    `An attachment cannot have the id ${quoted(id)}. Choose another id, for example a new UUID.`,
  );
}

export function entryIdTaken(id: number): Fault {
  return new Fault('conflict', 'entry.id-taken', `An entry with the id ${id} is stored already; it was not replaced.`);
}

export function templateNameTaken(name: string): Fault {
  return new Fault(
    'invalid',
    'template.name-taken',
    `A template cannot be named ${quoted(name)} (case does not matter). Choose another name. To change the template with this name, send its id.`,
  );
}

/** Folds the name of a template. Folded names are unique. */
export function foldTemplateName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
