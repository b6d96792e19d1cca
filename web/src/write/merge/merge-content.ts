import type { DraftContent, DraftFile, DraftProperty } from '../../drafts/draft.ts';
import { joinParts, type MergePart, mergeLines, removed } from './merge-lines.ts';

/** A place where the versions differ. */
export interface MergeChange {
  /** Identifies the place and its three texts: a decision holds only for these. */
  readonly id: string;
  readonly field: 'text' | 'title' | 'level' | 'logbooks' | 'tags' | 'files' | 'property';
  /** Line in the text, from 1, or name of the attribute. */
  readonly where?: string | undefined;
  readonly kind: 'mine' | 'theirs' | 'alike' | 'both' | 'conflict';
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** Decided texts, by the ids of the conflicts. */
export type Decisions = Readonly<Record<string, string>>;

export interface Merge {
  readonly changes: readonly MergeChange[];
  /** Returns the merged content. Open conflicts keep the version of the other user. */
  readonly result: (decisions: Decisions) => DraftContent;
}

/** Merges two changes of one entry. Only different changes of the same place need a decision. */
export function mergeContents(base: DraftContent, mine: DraftContent, theirs: DraftContent): Merge {
  const parts = mergeLines(base.text, mine.text, theirs.text);
  const title = scalar('title', base.title, mine.title, theirs.title);
  const level = scalar('level', base.level, mine.level, theirs.level);
  const properties = propertyChanges(base, mine, theirs);
  const lists = (['logbooks', 'tags'] as const).map((field) =>
    listChange(field, base[field], mine[field], theirs[field]),
  );
  const files = listChange('files', fileNames(base), fileNames(mine), fileNames(theirs));
  const all = [title, ...textChanges(parts), level, ...lists, ...properties, files];
  return {
    changes: all.filter((change) => change !== undefined),
    result: (decisions) => ({
      ...theirs,
      title: settle(title, decisions, theirs.title),
      level: settle(level, decisions, theirs.level),
      text: joinParts(parts, (part) => decisions[textChange(part, 'conflict').id] ?? part.theirs),
      logbooks: mergeSets(base.logbooks, mine.logbooks, theirs.logbooks),
      tags: mergeSets(base.tags, mine.tags, theirs.tags),
      properties: mergeProperties(base, mine, theirs, (id) => decisions[id]),
      files: mergeFiles(base, mine, theirs),
    }),
  };
}

function scalar(
  field: MergeChange['field'],
  base: string,
  mine: string,
  theirs: string,
  where?: string,
): MergeChange | undefined {
  if (base === mine && base === theirs) return undefined;
  const kind = mine === theirs ? 'alike' : base === mine ? 'theirs' : base === theirs ? 'mine' : 'conflict';
  return identified({ field, where, kind, base, mine, theirs });
}

function identified(change: Omit<MergeChange, 'id'>): MergeChange {
  const { field, where, base, mine, theirs } = change;
  return { ...change, id: JSON.stringify([field, where, base, mine, theirs]) };
}

function settle(change: MergeChange | undefined, decisions: Decisions, present: string): string {
  if (!change) return present;
  if (change.kind === 'conflict') return decisions[change.id] ?? change.theirs;
  return change.kind === 'mine' ? change.mine : change.theirs;
}

function textChanges(parts: readonly MergePart[]): MergeChange[] {
  return parts.flatMap((part) => (part.kind === 'same' ? [] : [textChange(part, part.kind)]));
}

function textChange({ line, base, mine, theirs }: MergePart, kind: MergeChange['kind']): MergeChange {
  const shown = (text: string) => (text === removed ? '' : text);
  const [one, own, other] = [shown(base), shown(mine), shown(theirs)];
  return identified({ field: 'text', where: String(line), kind, base: one, mine: own, theirs: other });
}

/** Applies the additions and removals of both versions. */
function mergeSets(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  const kept = theirs.filter((name) => mine.includes(name) || !base.includes(name));
  return [...kept, ...mine.filter((name) => !base.includes(name) && !theirs.includes(name))];
}

function listChange(
  field: 'logbooks' | 'tags' | 'files',
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): MergeChange | undefined {
  const differs = (one: readonly string[]) =>
    one.some((name) => !base.includes(name)) || base.some((name) => !one.includes(name));
  const [isMine, isTheirs] = [differs(mine), differs(theirs)];
  if (!isMine && !isTheirs) return undefined;
  const kind = isMine && isTheirs ? 'both' : isMine ? 'mine' : 'theirs';
  const [one, own, other] = [base.join('\n'), mine.join('\n'), theirs.join('\n')];
  return identified({ field, kind, base: one, mine: own, theirs: other });
}

const fileNames = ({ files }: DraftContent): string[] => files.map(({ name }) => name);

function mergeFiles(base: DraftContent, mine: DraftContent, theirs: DraftContent): DraftFile[] {
  const has = ({ files }: DraftContent, id: string) => files.some((file) => file.id === id);
  const kept = theirs.files.filter(({ id }) => has(mine, id) || !has(base, id));
  return [...kept, ...mine.files.filter(({ id }) => !has(base, id) && !has(theirs, id))];
}

/** Values by the names of property and attribute, with a separator that no name can contain between them. */
type Values = ReadonlyMap<string, string>;
const separator = '\u0000';

function valuesOf({ properties }: DraftContent): Values {
  return new Map(
    properties.flatMap(({ name, attributes }) =>
      attributes.map((attribute) => [`${name}${separator}${attribute.name}`, attribute.value] as const),
    ),
  );
}

function propertyChanges(base: DraftContent, mine: DraftContent, theirs: DraftContent): MergeChange[] {
  const [baseValues, mineValues, theirValues] = [valuesOf(base), valuesOf(mine), valuesOf(theirs)];
  const keys = new Set([...baseValues.keys(), ...mineValues.keys(), ...theirValues.keys()]);
  return [...keys].flatMap((key) => propertyChange(key, baseValues, mineValues, theirValues) ?? []);
}

function mergeProperties(
  base: DraftContent,
  mine: DraftContent,
  theirs: DraftContent,
  decided: (id: string) => string | undefined,
): DraftProperty[] {
  const namesOf = ({ properties }: DraftContent) => properties.map(({ name }) => name);
  const kept = mergeSets(namesOf(base), namesOf(mine), namesOf(theirs));
  const values = [valuesOf(base), valuesOf(mine), valuesOf(theirs)] as const;
  return [...new Set([...namesOf(theirs), ...namesOf(mine)])].flatMap((name) => {
    const own = [...theirs.properties, ...mine.properties].filter((property) => property.name === name);
    const attributes = [...new Set(own.flatMap((property) => property.attributes.map((attribute) => attribute.name)))];
    const merged = attributes.map((attribute) => mergeAttribute(name, attribute, values, decided));
    // One user has removed the property and the other has changed it: a chosen value restores it.
    if (!kept.includes(name) && !merged.some(({ isConflict, value }) => isConflict && value !== '')) return [];
    return [{ name, attributes: merged.map(({ name: attribute, value }) => ({ name: attribute, value })) }];
  });
}

function mergeAttribute(
  property: string,
  name: string,
  [base, mine, theirs]: readonly [Values, Values, Values],
  decided: (id: string) => string | undefined,
): { readonly name: string; readonly value: string; readonly isConflict: boolean } {
  const key = `${property}${separator}${name}`;
  const change = propertyChange(key, base, mine, theirs);
  const isConflict = change?.kind === 'conflict';
  if (isConflict) return { name, value: decided(change.id) ?? change.theirs, isConflict };
  // If one user has removed the property, the other still has its unchanged values.
  const [own, other] = [mine.get(key), theirs.get(key)];
  const value = other === undefined || own === undefined ? (other ?? own) : change?.kind === 'mine' ? own : other;
  return { name, value: value ?? '', isConflict };
}

function propertyChange(key: string, base: Values, mine: Values, theirs: Values): MergeChange | undefined {
  const [one, own, other] = [base.get(key) ?? '', mine.get(key) ?? '', theirs.get(key) ?? ''];
  return scalar('property', one, own, other, key.replace(separator, ' · '));
}
