import { type AttributeName, covers, isOperational, isSecret, parseAttributeName } from './attribute-name.js';
import {
  type DistinguishedName,
  formatName,
  InvalidName,
  keyOfName,
  parseName,
  type RelativeName,
} from './distinguished-name.js';
import { type LdifAttribute, LdifError, type LdifRecord } from './ldif.js';
import { ruleOfType } from './matching-rule.js';
import { parseUserPassword, type UserPassword } from './user-password.js';

export interface Attribute {
  /** As the file spells it. */
  readonly label: string;
  readonly name: AttributeName;
  readonly values: readonly Buffer[];
  /** The values as its matching rule compares them. */
  readonly keys: ReadonlySet<string>;
  readonly isOperational: boolean;
}

export interface Entry {
  /** As the file spells it. */
  readonly dn: string;
  readonly name: DistinguishedName;
  /** Without the secret ones, so that nothing that reads attributes can tell anything about them. */
  readonly attributes: readonly Attribute[];
  readonly passwords: readonly UserPassword[];
  /** Everything below the entry stands between its own place and this one. */
  readonly end: number;
}

/** The entries of a file, in the order of the tree: each one before those below it. */
export class Directory {
  private readonly places = new Map<string, number>();

  constructor(readonly entries: readonly Entry[]) {
    entries.forEach((entry, place) => {
      this.places.set(keyOfName(entry.name), place);
    });
  }

  /** The place of an entry among the others; undefined when there is none of that name. */
  findPlace(name: DistinguishedName): number | undefined {
    return this.places.get(keyOfName(name));
  }

  find(name: DistinguishedName): Entry | undefined {
    const place = this.findPlace(name);
    return place === undefined ? undefined : this.entries[place];
  }

  /** The deepest entry above one that is not there; undefined when nothing is. */
  findAbove(name: DistinguishedName): Entry | undefined {
    for (let level = 1; level < name.length; level += 1) {
      const entry = this.find(name.slice(level));
      if (entry) return entry;
    }
    return undefined;
  }

  /** The entries that have none above them. */
  topEntries(): Entry[] {
    const top: Entry[] = [];
    for (let entry = this.entries[0]; entry; entry = this.entries[entry.end]) top.push(entry);
    return top;
  }
}

interface Node {
  readonly record: LdifRecord;
  readonly name: DistinguishedName;
  readonly children: Node[];
}

/** @throws LdifError when the entries do not make up a tree, or one of them cannot be used */
export function buildDirectory(records: readonly LdifRecord[]): Directory {
  const entries: Entry[] = [];
  // Those whose parents are through; from its end, so that the tree may be of any depth.
  const pending: (Node | { readonly finish: () => void })[] = treeOf(records).reverse();
  for (let next = pending.pop(); next; next = pending.pop()) {
    if ('finish' in next) {
      next.finish();
      continue;
    }
    const entry = { ...buildEntry(next), end: 0 };
    entries.push(entry);
    pending.push({
      finish: () => {
        entry.end = entries.length;
      },
    });
    pending.push(...next.children.reverse());
  }
  return new Directory(entries);
}

function treeOf(records: readonly LdifRecord[]): Node[] {
  const nodes = new Map<string, Node>();
  for (const record of records) {
    const name = nameOf(record);
    const key = keyOfName(name);
    const other = nodes.get(key);
    if (other) throw new LdifError(record.line, `${record.dn} is there already, in line ${other.record.line}.`);
    nodes.set(key, { record, name, children: [] });
  }
  const top: Node[] = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(keyOfName(node.name.slice(1)));
    if (parent) parent.children.push(node);
    else if (node.name.some((_, level) => level > 1 && nodes.has(keyOfName(node.name.slice(level))))) {
      const missing = formatName(node.name.slice(1));
      throw new LdifError(node.record.line, `${node.record.dn} is below ${missing}, and there is no such entry.`);
    } else top.push(node);
  }
  return top;
}

function nameOf({ dn, line }: LdifRecord): DistinguishedName {
  let name: DistinguishedName;
  try {
    name = parseName(dn);
  } catch (error) {
    if (error instanceof InvalidName) throw new LdifError(line, error.message);
    throw error;
  }
  if (name.length === 0) throw new LdifError(line, 'the name of the entry is empty.');
  return name;
}

function buildEntry({ record, name, children }: Node): Omit<Entry, 'end'> {
  const open = record.attributes.filter(({ name }) => !isSecret(attributeName(name)));
  if (!open.some(({ name }) => attributeName(name).type === 'objectclass')) {
    throw new LdifError(record.line, `${record.dn} has no objectClass.`);
  }
  const named = namedValues(name[0] ?? [], record);
  const computed: LdifAttribute[] = [
    { name: 'entryDN', value: Buffer.from(record.dn), line: record.line },
    { name: 'hasSubordinates', value: Buffer.from(children.length > 0 ? 'TRUE' : 'FALSE'), line: record.line },
  ];
  const own = [...open, ...named].filter(
    ({ name }) => !computed.some((attribute) => attribute.name.toLowerCase() === name.toLowerCase()),
  );
  return {
    dn: record.dn,
    name,
    attributes: collectAttributes([...own, ...computed]),
    passwords: record.attributes.flatMap((attribute) => passwordOf(attribute)),
  };
}

/** The values in the entry's name are values of the entry, written there once more or not. */
function namedValues(level: RelativeName, { line }: LdifRecord): LdifAttribute[] {
  return level
    .map(({ type, value }) => ({ name: type, value: Buffer.from(value), line }))
    .filter(({ name }) => !isSecret(attributeName(name)));
}

export function collectAttributes(given: readonly Pick<LdifAttribute, 'name' | 'value'>[]): Attribute[] {
  const collected = new Map<string, { label: string; name: AttributeName; values: Buffer[]; keys: Set<string> }>();
  for (const { name: label, value } of given) {
    const name = attributeName(label);
    const key = [name.type, ...name.options.toSorted()].join(';');
    const attribute = collected.get(key) ?? { label, name, values: [], keys: new Set() };
    collected.set(key, attribute);
    const valueKey = ruleOfType(name.type).keyOf(value);
    if (valueKey !== undefined && attribute.keys.has(valueKey)) continue;
    if (valueKey !== undefined) attribute.keys.add(valueKey);
    attribute.values.push(value);
  }
  return [...collected.values()].map((attribute) => ({ ...attribute, isOperational: isOperational(attribute.name) }));
}

function passwordOf({ name, value, line }: LdifAttribute): UserPassword[] {
  if (attributeName(name).type !== 'userpassword') return [];
  try {
    return [parseUserPassword(value)];
  } catch (error) {
    throw new LdifError(line, (error as Error).message);
  }
}

/** Entries share the names of their attributes: what is compared in every search is then near at hand. */
const knownNames = new Map<string, AttributeName>();

function attributeName(label: string): AttributeName {
  const name = knownNames.get(label) ?? parseAttributeName(label);
  if (!name) throw new Error(`${label} is no name of an attribute`);
  knownNames.set(label, name);
  return name;
}

/** What an entry holds under a name; `cn` covers `cn;lang-de` too. */
export function attributesNamed(entry: Pick<Entry, 'attributes'>, name: AttributeName): Attribute[] {
  return entry.attributes.filter((attribute) => covers(name, attribute.name));
}
