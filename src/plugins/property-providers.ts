import { isGroupName, isSamePropertyName } from '../entries/entry.js';
import { checkParts, entryLimits, type PropertyDraft } from '../entries/entry-draft.js';
import type { NewEntry } from '../entries/entry-extensions.port.js';
import { quoted } from '../kernel/fault.js';
import type { Log } from '../kernel/log.js';
import type { NamedPlugin } from './plugin.js';
import { tooLate, untilAborted } from './with-timeout.js';

const limitMs = 2_000;
/** Entries that one provider may still be busy with; a provider that never answers is soon not asked any more. */
const maxPending = 100;

type Answer = { readonly name: string; readonly properties: unknown };

/** Asks plug-ins for the properties of new entries. Whatever goes wrong is logged, and the entry goes without. */
export class PropertyProviders {
  private readonly pending = new Map<string, number>();

  constructor(
    private readonly providers: readonly NamedPlugin[],
    private readonly log: Log,
    /** Bytes of JSON that the provided properties of one entry may have together. */
    private readonly maxBytes: number,
  ) {}

  async provideProperties(entry: NewEntry): Promise<PropertyDraft[]> {
    if (this.providers.length === 0) return [];
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(tooLate(limitMs)), limitMs);
    const late: string[] = [];
    try {
      const answers = await Promise.all(
        this.providers.map((provider) => this.ask(provider, entry, limit.signal, late)),
      );
      return this.choose(
        entry,
        answers.filter((answer) => answer !== undefined),
      );
    } finally {
      clearTimeout(timer);
      if (late.length > 0) {
        this.log.warn(
          { plugins: late, title: entry.title },
          'an entry is stored without the properties of plug-ins that took too long',
        );
      }
    }
  }

  private async ask(
    { name, plugin }: NamedPlugin,
    entry: NewEntry,
    signal: AbortSignal,
    late: string[],
  ): Promise<Answer | undefined> {
    const pending = this.pending.get(name) ?? 0;
    if (pending >= maxPending) {
      late.push(name);
      return undefined;
    }
    this.pending.set(name, pending + 1);
    const answering = Promise.resolve()
      // Its own copy, so that no plug-in changes what others see.
      .then(() => plugin.propertyProvider?.(structuredClone(entry), signal))
      .finally(() => this.pending.set(name, (this.pending.get(name) ?? 1) - 1));
    try {
      return { name, properties: await untilAborted(signal, () => answering) };
    } catch (error) {
      answering.catch(() => undefined);
      if (signal.aborted) late.push(name);
      else this.log.warn({ err: error, plugin: name }, 'a plug-in failed to provide properties');
      return undefined;
    }
  }

  /** What of the answers the entry gets: nothing that it has, of two with one name the first, and no more than fits. */
  private choose(entry: NewEntry, answers: readonly Answer[]): PropertyDraft[] {
    const chosen: PropertyDraft[] = [];
    let bytes = 0;
    const choose = (property: PropertyDraft) => {
      const all = [...entry.properties, ...chosen];
      if (all.some((other) => isSamePropertyName(other.name, property.name))) return;
      checkParts({ logbooks: [], tags: [], events: [], properties: [...all, property] });
      const more = Buffer.byteLength(JSON.stringify(property));
      if (bytes + more > this.maxBytes) {
        throw new Error(`the properties of plug-ins are larger than ${this.maxBytes} bytes together`);
      }
      bytes += more;
      chosen.push(property);
    };
    for (const { name: plugin, properties } of answers) {
      this.attempt(plugin, () => {
        for (const given of listOf(properties)) this.attempt(plugin, () => choose(readProperty(given)));
      });
    }
    return chosen;
  }

  private attempt(plugin: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.log.warn(
        { plugin, problem: String((error as Error | null)?.message ?? error) },
        'a property of a plug-in was left out',
      );
    }
  }
}

function listOf(properties: unknown): readonly unknown[] {
  if (!Array.isArray(properties)) throw new Error('what it answers is not an array of properties');
  if (properties.length > entryLimits.properties) throw new Error(`it answers with ${properties.length} properties`);
  return properties;
}

/** @throws Error for people */
function readProperty(given: unknown): PropertyDraft {
  const { name, attributes = [] } = (given ?? {}) as { name?: unknown; attributes?: unknown };
  if (typeof name !== 'string') throw new Error('a property has no name');
  const called = quoted(name);
  if (isGroupName(name)) throw new Error(`${called} ties entries together and cannot be provided`);
  if (!Array.isArray(attributes)) throw new Error(`the attributes of ${called} are not an array`);
  if (attributes.length > entryLimits.attributes) throw new Error(`${called} has ${attributes.length} attributes`);
  return {
    name,
    attributes: attributes.map((attribute: unknown) => {
      const read = (attribute ?? {}) as { name?: unknown; value?: unknown };
      if (typeof read.name !== 'string' || typeof read.value !== 'string') {
        throw new Error(`an attribute of ${called} has a name or a value that is not a text`);
      }
      return { name: read.name, value: read.value };
    }),
  };
}
