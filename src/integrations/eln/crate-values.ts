import { isRecord, type Loose, textOf } from '../../imports/entry-values.js';

const maxReferences = 1_000_000;

/** Parses a node. Values with a language or a type, and lists that say that they are lists, become their content. */
export function parseNode(json: Buffer): unknown {
  const text = json.toString('utf8');
  return /"@(?:value|list|set)"/.test(text) ? JSON.parse(text, unwrap) : JSON.parse(text);
}

function unwrap(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return value['@value'] ?? value['@list'] ?? value['@set'] ?? value;
}

/** Returns the id of a node, the same for all ways in which programs write it: the root has an empty one. */
export function idOf(node: Loose): string | undefined {
  const id = textOf(node['@id']);
  if (id === undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(id)) return id;
  return id.replace(/\/{2,}/g, '/').replace(/^([.]\/)+|\/$/g, '');
}

/** Returns the elements of a value that may be a single one or a list. */
export function listIn(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value.slice(0, maxReferences) : [value];
}

/** Returns a text; of several, such as one in each language, all of them. Undefined when there is none. */
export function textIn(value: unknown, separator = ', '): string | undefined {
  const texts = listIn(value).flatMap((one) => textOf(one) ?? []);
  return texts.length === 0 ? undefined : texts.join(separator);
}

/** Returns the ids of the nodes to which a value refers. */
export function idsIn(value: unknown): string[] {
  return listIn(value).flatMap((one) => (isRecord(one) ? (idOf(one) ?? []) : []));
}

export function hasType(node: Loose, type: string): boolean {
  return listIn(node['@type']).includes(type);
}
