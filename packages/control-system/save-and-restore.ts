import type { SavedValue } from './device-view.js';
import { isRecord, toNumber } from './lenient-json.js';
import { parseSnapshot } from './parse-snapshot.js';
import { shownValue } from './shown-value.js';
import {
  isSample,
  type Missing,
  type Sample,
  type SavedItem,
  type SavedValues,
  SourceUnavailable,
} from './sources.port.js';
import { toText, WebSource, type WebSourceOptions } from './web-source.js';

/** Maximum number of configurations whose snapshots are read. */
const maxConfigurations = 3;
/** Maximum size of a snapshot, in bytes. It corresponds to about 8,000 devices. */
const maxSnapshotBytes = 4_194_304;
/** Maximum number of concurrent requests for one reader. */
const maxRequests = 3;

/** The save-and-restore service of Phoebus. */
export class SaveAndRestore extends WebSource implements SavedValues {
  protected readonly name = 'save-and-restore';
  /** Maximum time for all requests of one reader: twice the time limit of a request. */
  private readonly latestMs: number;

  constructor(options: WebSourceOptions) {
    super(options);
    this.latestMs = 2 * options.timeoutMs;
  }

  /** Returns the latest saved values. Values that cannot be read in time are omitted, together with all older ones. */
  async latest(name: string, max: number, signal: AbortSignal): Promise<readonly SavedValue[] | Missing> {
    signal.throwIfAborted();
    const timeout = AbortSignal.timeout(this.latestMs);
    const inTime = AbortSignal.any([signal, timeout]);
    const values: (readonly SavedValue[] | undefined)[] = [];
    try {
      const nodes = await this.snapshotsWith(name, inTime);
      const newest = nodes.sort((one, other) => other.at - one.at).slice(0, max);
      await inTurns(newest, async ({ id, name: title, at }, index) => {
        const value = await this.valueIn(id, name, inTime);
        values[index] = value === undefined ? [] : [{ id, name: title, at, value }];
      });
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      if (!values[0]) throw new SourceUnavailable(`no answer within ${this.latestMs / 1_000} s`);
    }
    const saved: SavedValue[] = [];
    for (const value of values) {
      if (!value) break;
      saved.push(...value);
    }
    return saved;
  }

  /** Lists the snapshots, which are children of the configurations that contain the device. */
  private async snapshotsWith(name: string, signal: AbortSignal) {
    const found = await this.get(`/search?${new URLSearchParams({ pvs: name, size: '20' })}`, signal);
    const nodes = isRecord(found) && Array.isArray(found.nodes) ? found.nodes.filter(isRecord) : [];
    const configurations = nodes.filter((node) => node.nodeType === 'CONFIGURATION').slice(0, maxConfigurations);
    const snapshots: { readonly id: string; readonly name: string; readonly at: number }[] = [];
    await inTurns(configurations, async ({ uniqueId }) => {
      const children = await this.get(`/node/${encodeURIComponent(toText(uniqueId))}/children`, signal);
      for (const node of Array.isArray(children) ? children.filter(isRecord) : []) {
        const at = toNumber(node.created);
        if (node.nodeType !== 'SNAPSHOT' || at === undefined) continue;
        snapshots.push({ id: toText(node.uniqueId), name: toText(node.name), at: Math.trunc(at) });
      }
    });
    return snapshots;
  }

  /** Returns undefined when the snapshot does not contain the device, or is too large to be read. */
  private async valueIn(id: string, name: string, signal: AbortSignal): Promise<string | undefined> {
    const items = await this.snapshot(id, signal);
    if ('missing' in items) return undefined;
    const saved = items.find((item) => item.name === name)?.saved;
    return isSample(saved) ? toShown(saved) : undefined;
  }

  async snapshot(id: string, signal: AbortSignal): Promise<readonly SavedItem[] | Missing> {
    const options = { maxBytes: maxSnapshotBytes, whenTooLarge: tooLarge, parse: parseSnapshot };
    const items = await this.get(`/snapshot/${encodeURIComponent(id)}`, signal, options);
    return items ?? { missing: 'save-and-restore does not have it', code: 'unknown' };
  }
}

/** Calls `run` for all items in order, a few concurrently. Rejects with the first failure. */
async function inTurns<T>(items: readonly T[], run: (item: T, index: number) => Promise<void>): Promise<void> {
  const rest = items.entries();
  const work = async () => {
    for (const [index, item] of rest) await run(item, index);
  };
  await Promise.all(Array.from({ length: maxRequests }, work));
}

const tooLarge: Missing = { missing: 'the snapshot is too large' };

function toShown(saved: Sample): string {
  const shown = shownValue(saved);
  return saved.severity === 'NONE' ? shown : `${shown} (${saved.severity})`;
}
