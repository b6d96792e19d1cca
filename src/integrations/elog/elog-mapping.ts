import { readFileSync } from 'node:fs';
import { Fault } from '../../kernel/fault.js';

/** Target of an attribute of an ELOG. */
export type AttributeTarget =
  | { readonly kind: 'title' | 'owner' | 'level' | 'tags' | 'ignore' }
  | { readonly kind: 'property'; readonly property: string; readonly attribute: string };

export interface ElogMapping {
  /** Names of logbooks, by folder; null: the folder is left out. Other folders keep their names. */
  readonly logbooks: Readonly<Record<string, string | null>>;
  /** Targets by the name of the attribute, in lower case. */
  readonly attributes: ReadonlyMap<string, AttributeTarget>;
  /** IANA name of the zone for dates without one. */
  readonly timeZone: string;
  /** Addresses of the server: links to the host of one of them may lead to this ELOG. */
  readonly addresses: readonly string[];
}

/** Headers of the ELOG itself. */
export const ownHeaders = new Set(['date', 'reply to', 'in reply to', 'attachment', 'encoding', 'locked by', 'draft']);

const simpleTargets = ['title', 'owner', 'level', 'tags', 'ignore'] as const;
const defaults: readonly [string, AttributeTarget][] = [
  ['author', { kind: 'owner' }],
  ['subject', { kind: 'title' }],
];

/** Returns the target of an attribute; by default, an attribute of the property `ELOG`. */
export function targetOf({ attributes }: ElogMapping, name: string): AttributeTarget {
  return attributes.get(name.toLowerCase()) ?? { kind: 'property', property: 'ELOG', attribute: name };
}

/** Returns a target in the form of a mapping file. */
export function describeTarget(target: AttributeTarget): string {
  return target.kind === 'property' ? `property:${target.property}.${target.attribute}` : target.kind;
}

/**
 * Reads a mapping such as `{"logbooks": {"Ops": "operations", "Test": null}, "attributes": {"Type": "tags", "System":
 * "property:machine.system"}}`.
 * @param file path of the mapping; undefined: the defaults
 * @throws Fault invalid `import.bad-mapping`
 */
export function readMapping(file: string | undefined): ElogMapping {
  const attributes = new Map(defaults);
  const { timeZone: ownZone } = Intl.DateTimeFormat().resolvedOptions();
  if (file === undefined) return { logbooks: {}, attributes, timeZone: ownZone, addresses: [] };
  const content = parse(file);
  for (const [name, target] of Object.entries(asRecord(content.attributes ?? {}, 'attributes'))) {
    attributes.set(name.toLowerCase(), parseTarget(name, target));
  }
  const logbooks = asRecord(content.logbooks ?? {}, 'logbooks');
  for (const [name, logbook] of Object.entries(logbooks)) {
    if (logbook !== null && typeof logbook !== 'string') throw bad(`the logbook ${name} must be a name or null`);
  }
  const unknown = Object.keys(content).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw bad(`it has ${unknown}, but only ${keys.map((key) => `“${key}”`).join(', ')} are known`);
  return {
    logbooks: logbooks as Record<string, string | null>,
    attributes,
    timeZone: parseTimeZone(content.timeZone ?? ownZone),
    addresses: parseAddresses(content.addresses ?? []),
  };
}

const keys = ['logbooks', 'attributes', 'timeZone', 'addresses'];

function parseTimeZone(value: unknown): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: String(value) }).resolvedOptions().timeZone;
  } catch {
    throw bad(`${String(value)} is not a time zone; use a name such as Europe/Zurich`);
  }
}

function parseAddresses(value: unknown): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && URL.canParse(one))) return value;
  throw bad('the addresses must be a list such as ["https://elog.example.org/"]');
}

function parse(file: string): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(readFileSync(file, 'utf8')), 'the file');
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw bad(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

function asRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw bad(`${what} must be an object`);
}

function parseTarget(name: string, target: unknown): AttributeTarget {
  const kind = simpleTargets.find((one) => one === target);
  if (kind) return { kind };
  const [, property, attribute] = /^property:([^.]+)[.](.+)$/.exec(String(target)) ?? [];
  if (property !== undefined && attribute !== undefined) return { kind: 'property', property, attribute };
  throw bad(`the attribute ${name} must be one of ${simpleTargets.join(', ')}, or property:NAME.ATTRIBUTE`);
}

function bad(reason: string): Fault {
  return new Fault('invalid', 'import.bad-mapping', `The mapping cannot be used: ${reason}.`);
}
