import { Fault, quoted } from '../kernel/fault.js';

export type State = 'Active' | 'Inactive';

export interface Tag {
  readonly name: string;
  readonly state: State;
}

export interface Logbook {
  readonly name: string;
  readonly owner: string;
  readonly state: State;
  /** Devices whose values its new entries receive; undefined: none. */
  readonly devices?: readonly string[];
}

export interface Level {
  readonly name: string;
  readonly defaultLevel: boolean;
}

export interface AttributeDefinition {
  readonly name: string;
  /** Value that clients propose in a new entry; null: none. */
  readonly value: string | null;
  readonly state: State;
}

export interface PropertyDefinition {
  readonly name: string;
  readonly owner: string;
  readonly state: State;
  readonly attributes: readonly AttributeDefinition[];
}

/** The four lists with which a facility organises its entries, by kind of item. */
export interface CatalogItems {
  readonly tags: Tag;
  readonly logbooks: Logbook;
  readonly levels: Level;
  readonly properties: PropertyDefinition;
}

export type CatalogKind = keyof CatalogItems;

/** Word for one item of a kind in messages and error codes. */
export const itemWord: Record<CatalogKind, string> = {
  tags: 'tag',
  logbooks: 'logbook',
  levels: 'level',
  properties: 'property',
};

/** True when the item can be used in new entries. Levels have no state: deleting one removes it. */
export function isActive(item: CatalogItems[CatalogKind]): boolean {
  return !('state' in item) || item.state === 'Active';
}

const maxNameLength = 255;

/** @throws Fault invalid `catalog.bad-name` */
export function checkName(kind: CatalogKind, name: string): void {
  if (name.trim() === '' || name.trim() !== name || name.length > maxNameLength || /\p{Cc}|^\.{1,2}$/u.test(name)) {
    throw new Fault(
      'invalid',
      'catalog.bad-name',
      `${quoted(name)} cannot be the name of a ${itemWord[kind]}: use 1 to ${maxNameLength} characters, no control characters, and no space at either end.`,
    );
  }
}
