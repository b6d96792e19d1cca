import { diffWordsWithSpace } from 'diff';
import type { Entry } from '../api/types.ts';
import { shownProperties } from './entry-queries.ts';

/** A piece of a text that is in both versions or in only one of them. */
export interface Piece {
  readonly text: string;
  readonly kind: 'same' | 'added' | 'removed';
}

export interface ListChange {
  readonly kept: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface Comparison {
  readonly title: readonly Piece[] | undefined;
  readonly level: readonly [string, string] | undefined;
  readonly lists: readonly (readonly ['logbooks' | 'tags' | 'properties' | 'attachments', ListChange])[];
  readonly text: readonly Piece[];
  readonly changeCount: number;
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
}

/** Comparing two unrelated long texts word by word would take minutes; they are then shown one after the other. */
const timeoutMs = 1_000;

function comparePieces(from: string, to: string): Piece[] {
  const parts = diffWordsWithSpace(from, to, { timeout: timeoutMs });
  if (!parts) {
    return [
      { text: from, kind: 'removed' },
      { text: to, kind: 'added' },
    ];
  }
  return parts.map(({ value, added, removed }) => ({
    text: value,
    kind: added ? 'added' : removed ? 'removed' : 'same',
  }));
}

/** Compares two versions: the fields, and the text word by word. */
export function compareVersions(from: Entry, to: Entry, form: 'source' | 'description'): Comparison {
  const text = comparePieces(from[form], to[form]);
  const title = from.title === to.title ? undefined : comparePieces(from.title, to.title);
  const level = from.level === to.level ? undefined : ([from.level, to.level] as const);
  const lists = (['logbooks', 'tags', 'properties', 'attachments'] as const)
    .map((field) => [field, compareLists(namesOf(from, field), namesOf(to, field))] as const)
    .filter(([, { added, removed }]) => added.length + removed.length > 0);
  const words = (kind: Piece['kind']) =>
    text
      .filter((piece) => piece.kind === kind)
      .reduce((sum, piece) => sum + (piece.text.match(/\S+/g)?.length ?? 0), 0);
  const fields = lists.length + (title ? 1 : 0) + (level ? 1 : 0);
  return {
    ...{ title, level, lists, text },
    changeCount: fields + countChanges(text),
    wordsAdded: words('added'),
    wordsRemoved: words('removed'),
  };
}

/** A removal directly followed by an addition is one change. */
function countChanges(pieces: readonly Piece[]): number {
  return pieces.filter(({ kind }, at) => kind !== 'same' && (pieces[at - 1]?.kind ?? 'same') === 'same').length;
}

function namesOf(entry: Entry, field: 'logbooks' | 'tags' | 'properties' | 'attachments'): string[] {
  if (field === 'attachments') return entry.attachments.map(({ filename }) => filename);
  if (field !== 'properties') return entry[field].map(({ name }) => name);
  return shownProperties(entry).flatMap(({ name, attributes }) =>
    attributes.map(({ name: attribute, value }) => `${name}.${attribute}: ${value ?? ''}`),
  );
}

function compareLists(from: readonly string[], to: readonly string[]): ListChange {
  return {
    kept: to.filter((name) => from.includes(name)),
    added: to.filter((name) => !from.includes(name)),
    removed: from.filter((name) => !to.includes(name)),
  };
}
