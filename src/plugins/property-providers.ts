import { isGroupName, isSamePropertyName } from '../entries/entry.js';
import { checkParts, entryLimits, type PropertyDraft } from '../entries/entry-draft.js';
import type { NewEntry } from '../entries/entry-extensions.port.js';
import { callContained, describeThrown } from '../kernel/contained-calls.js';
import { quoted } from '../kernel/fault.js';
import type { Log } from '../kernel/log.js';
import { timeoutError, untilAborted } from '../kernel/with-timeout.js';
import type { NamedPlugin } from './plugin.js';

const timeLimitMs = 2_000;
/** Maximum number of pending calls per provider. A provider whose calls never settle is thus soon no longer called. */
const maxPending = 100;

type Provided = { readonly name: string; readonly properties: unknown };

/**
 * Collects properties for new entries from plug-ins. A failure is logged, and the entry is stored without these
 * properties.
 */
export class PropertyProviders {
  private readonly pending = new Map<string, number>();

  constructor(
    private readonly providers: readonly NamedPlugin[],
    private readonly log: Log,
    /** Maximum total size of all provided properties of one entry, in bytes of JSON. */
    private readonly maxBytes: number,
  ) {}

  async provideProperties(entry: NewEntry): Promise<PropertyDraft[]> {
    if (this.providers.length === 0) return [];
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(timeoutError(timeLimitMs)), timeLimitMs);
    const late: string[] = [];
    try {
      const provided = await Promise.all(
        this.providers.map((provider) => this.call(provider, entry, limit.signal, late)),
      );
      return this.choose(
        entry,
        provided.filter((one) => one !== undefined),
      );
    } finally {
      clearTimeout(timer);
      if (late.length > 0) {
        this.log.warn({ plugins: late }, 'property providers timed out; entry stored without their properties');
      }
    }
  }

  private async call(
    provider: NamedPlugin,
    entry: NewEntry,
    signal: AbortSignal,
    late: string[],
  ): Promise<Provided | undefined> {
    const { name, plugin } = provider;
    const pending = this.pending.get(name) ?? 0;
    if (pending >= maxPending) {
      late.push(name);
      return undefined;
    }
    this.pending.set(name, pending + 1);
    const providing = Promise.resolve()
      // Each plug-in receives a copy, so that it cannot change the entry for the others.
      .then(() => callContained(provider, () => plugin.propertyProvider?.(structuredClone(entry), signal)))
      .finally(() => this.pending.set(name, (this.pending.get(name) ?? 1) - 1));
    try {
      return { name, properties: await untilAborted(signal, () => providing) };
    } catch (error) {
      providing.catch(() => undefined);
      if (signal.aborted) late.push(name);
      else this.log.warn({ err: describeThrown(error), plugin: name }, 'property provider failed');
      return undefined;
    }
  }

  /**
   * Selects the properties to add, within the limits. Skips names that the entry already has, and all but the first
   * property with the same name.
   */
  private choose(entry: NewEntry, provided: readonly Provided[]): PropertyDraft[] {
    const chosen: PropertyDraft[] = [];
    let bytes = 0;
    const choose = (property: PropertyDraft) => {
      const all = [...entry.properties, ...chosen];
      if (all.some((other) => isSamePropertyName(other.name, property.name))) return;
      checkParts({ logbooks: [], tags: [], events: [], properties: [...all, property] });
      const more = Buffer.byteLength(JSON.stringify(property));
      if (bytes + more > this.maxBytes) {
        throw new Error(`together, the provided properties exceed ${this.maxBytes} bytes`);
      }
      bytes += more;
      chosen.push(property);
    };
    for (const { name: plugin, properties } of provided) {
      this.attempt(plugin, () => {
        for (const given of checkList(properties)) this.attempt(plugin, () => choose(readProperty(given)));
      });
    }
    return chosen;
  }

  private attempt(plugin: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.log.warn({ plugin, problem: describeThrown(error).message }, 'provided property rejected');
    }
  }
}

function checkList(properties: unknown): readonly unknown[] {
  if (!Array.isArray(properties)) throw new Error('the result is not an array of properties');
  if (properties.length > entryLimits.properties)
    throw new Error(`the result has ${properties.length} properties; the limit is ${entryLimits.properties}`);
  return properties;
}

/** @throws Error whose message states the problem of the property */
function readProperty(given: unknown): PropertyDraft {
  const { name, attributes = [] } = (given ?? {}) as { name?: unknown; attributes?: unknown };
  if (typeof name !== 'string') throw new Error('a property has no name');
  const label = quoted(name);
  if (isGroupName(name)) throw new Error(`${label} groups entries and cannot be provided by plug-ins`);
  if (!Array.isArray(attributes)) throw new Error(`the attributes of ${label} are not an array`);
  if (attributes.length > entryLimits.attributes)
    throw new Error(`${label} has ${attributes.length} attributes; the limit is ${entryLimits.attributes}`);
  return {
    name,
    attributes: attributes.map((attribute: unknown) => {
      const read = (attribute ?? {}) as { name?: unknown; value?: unknown };
      if (typeof read.name !== 'string' || typeof read.value !== 'string') {
        throw new Error(`the name and value of each attribute of ${label} must be strings`);
      }
      return { name: read.name, value: read.value };
    }),
  };
}
