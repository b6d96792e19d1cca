import { type AttributeName, covers, isOperational, isSecret, parseAttributeName } from './attribute-name.js';
import { type DistinguishedName, formatName, InvalidName, normalizeName, parseName } from './distinguished-name.js';
import { type LdifAttribute, LdifError, type LdifRecord } from './ldif.js';
import { equalityRule } from './matching-rule.js';
import { parseUserPassword, type UserPassword } from './user-password.js';

export interface Attribute {
  /** Attribute name as spelled in the file. */
  readonly label: string;
  readonly name: AttributeName;
  readonly values: readonly Buffer[];
  /** Values in the form that the equality rule of the attribute compares. */
  readonly normalizedValues: ReadonlySet<string>;
  readonly isOperational: boolean;
}

export interface Entry {
  /** DN as spelled in the file. */
  readonly dn: string;
  readonly name: DistinguishedName;
  /** Attributes except secret ones, so that no operation on attributes can reveal them. */
  readonly attributes: readonly Attribute[];
  readonly passwords: readonly UserPassword[];
  /** Index after the last descendant. The subtree extends from the entry's own index up to this one. */
  readonly subtreeEnd: number;
}

/** The entries of a file in tree order: each entry is followed by its descendants. */
export class Directory {
  private readonly indexes = new Map<string, number>();
  private readonly depth: number;

  constructor(readonly entries: readonly Entry[]) {
    for (const [index, { name }] of entries.entries()) this.indexes.set(normalizeName(name), index);
    this.depth = entries.reduce((depth, { name }) => Math.max(depth, name.length), 0);
  }

  findIndex(name: DistinguishedName): number | undefined {
    return name.length > this.depth ? undefined : this.indexes.get(normalizeName(name));
  }

  find(name: DistinguishedName): Entry | undefined {
    const index = this.findIndex(name);
    return index === undefined ? undefined : this.entries[index];
  }

  /** Returns the closest existing ancestor. */
  findAncestor(name: DistinguishedName): Entry | undefined {
    // Levels deeper than any entry are skipped, because trying each level of a name with thousands of levels would take
    // minutes.
    for (let level = Math.max(1, name.length - this.depth); level < name.length; level += 1) {
      const entry = this.find(name.slice(level));
      if (entry) return entry;
    }
    return undefined;
  }

  listRoots(): Entry[] {
    const roots: Entry[] = [];
    for (let entry = this.entries[0]; entry; entry = this.entries[entry.subtreeEnd]) roots.push(entry);
    return roots;
  }
}

interface Node {
  readonly record: LdifRecord;
  readonly name: DistinguishedName;
  readonly children: Node[];
}

/** @throws LdifError when the records do not form a tree, or one of them is invalid */
export function buildDirectory(records: readonly LdifRecord[]): Directory {
  const entries: Entry[] = [];
  const append = (node: Node) => {
    const entry = { ...buildEntry(node), subtreeEnd: 0 };
    entries.push(entry);
    node.children.forEach(append);
    entry.subtreeEnd = entries.length;
  };
  buildTrees(records).forEach(append);
  return new Directory(entries);
}

function buildTrees(records: readonly LdifRecord[]): Node[] {
  const nodes = new Map<string, Node>();
  for (const record of records) {
    const name = parseEntryName(record);
    const key = normalizeName(name);
    const other = nodes.get(key);
    if (other) throw new LdifError(record.line, `${record.dn} already exists, in line ${other.record.line}.`);
    nodes.set(key, { record, name, children: [] });
  }
  const roots: Node[] = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(normalizeName(node.name.slice(1)));
    if (parent) parent.children.push(node);
    else if (node.name.some((_, level) => level > 1 && nodes.has(normalizeName(node.name.slice(level))))) {
      const missing = formatName(node.name.slice(1));
      throw new LdifError(node.record.line, `the parent entry of ${node.record.dn} is missing: ${missing}.`);
    } else roots.push(node);
  }
  return roots;
}

function parseEntryName({ dn, line }: LdifRecord): DistinguishedName {
  try {
    const name = parseName(dn);
    if (name.length > 0) return name;
  } catch (error) {
    if (error instanceof InvalidName) throw new LdifError(line, error.message);
    throw error;
  }
  throw new LdifError(line, 'the name of the entry is empty.');
}

const computedTypes = ['entrydn', 'hassubordinates'];

function buildEntry({ record, name, children }: Node): Omit<Entry, 'subtreeEnd'> {
  // The values in the name of an entry are values of the entry, even when the record does not repeat them.
  const named = (name[0] ?? []).map(({ type, value }) => ({ name: type, value: Buffer.from(value) }));
  const stored = [...record.attributes, ...named].filter((attribute) => {
    const attributeName = toAttributeName(attribute.name);
    return !isSecret(attributeName) && !computedTypes.includes(attributeName.type);
  });
  if (!record.attributes.some((attribute) => toAttributeName(attribute.name).type === 'objectclass')) {
    throw new LdifError(record.line, `${record.dn} has no objectClass.`);
  }
  return {
    dn: record.dn,
    name,
    attributes: collectAttributes([
      ...stored,
      { name: 'entryDN', value: Buffer.from(record.dn) },
      { name: 'hasSubordinates', value: Buffer.from(children.length > 0 ? 'TRUE' : 'FALSE') },
    ]),
    passwords: record.attributes
      .filter((attribute) => toAttributeName(attribute.name).type === 'userpassword')
      .map(readPassword),
  };
}

/** Groups values by attribute, without duplicates. */
export function collectAttributes(given: readonly { readonly name: string; readonly value: Buffer }[]): Attribute[] {
  const collected = new Map<string, Attribute & { values: Buffer[]; normalizedValues: Set<string> }>();
  for (const { name: label, value } of given) {
    const name = toAttributeName(label);
    const key = [name.type, ...name.options.toSorted()].join(';');
    const attribute = collected.get(key) ?? {
      label,
      name,
      values: [],
      normalizedValues: new Set(),
      isOperational: isOperational(name),
    };
    collected.set(key, attribute);
    const normalized = equalityRule(name.type).normalize(value);
    if (normalized !== undefined && attribute.normalizedValues.has(normalized)) continue;
    if (normalized !== undefined) attribute.normalizedValues.add(normalized);
    attribute.values.push(value);
  }
  return [...collected.values()];
}

function readPassword({ value, line }: LdifAttribute): UserPassword {
  try {
    return parseUserPassword(value);
  } catch (error) {
    throw new LdifError(line, (error as Error).message);
  }
}

/** Attributes of the same label share one name object, which saves memory and time in every search. */
const knownNames = new Map<string, AttributeName>();

function toAttributeName(label: string): AttributeName {
  const name = knownNames.get(label) ?? parseAttributeName(label);
  if (!name) throw new Error(`${label} is not an attribute name`);
  knownNames.set(label, name);
  return name;
}

/** Finds the attributes that a request for a name includes: `cn` includes `cn;lang-de`. */
export function findAttributes(entry: Pick<Entry, 'attributes'>, name: AttributeName): Attribute[] {
  return entry.attributes.filter((attribute) => covers(name, attribute.name));
}
