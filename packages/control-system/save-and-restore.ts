import type { SavedValue } from './device-view.js';
import { isRecord, parseLenient, toNumber } from './lenient-json.js';
import { parseSnapshot } from './parse-snapshot.js';
import { shownValue } from './shown-value.js';
import {
  isSample,
  type LatestSavedValues,
  type Missing,
  type Sample,
  type SavedItem,
  type SavedValues,
  SourceUnavailable,
} from './sources.port.js';
import { toText, WebSource, type WebSourceOptions } from './web-source.js';

/** Maximum number of configurations whose snapshots are read. */
const maxConfigurations = 10;
/**
 * Maximum size of the list of a configuration's snapshots, in bytes. It corresponds to about 4,000 snapshots. Parsing a
 * larger one would block the process.
 */
const maxListBytes = 1_048_576;
/** Maximum size of a snapshot, in bytes. It corresponds to about 8,000 devices. */
const maxSnapshotBytes = 4_194_304;
/** Maximum number of concurrent requests for one reader. */
const maxRequests = 3;

type SnapshotNode = Omit<SavedValue, 'value'>;

interface FoundSnapshots {
  readonly snapshots: SnapshotNode[];
  /** Whether these are the snapshots of all configurations. */
  readonly areAll: boolean;
}

interface SavedInSnapshot {
  readonly values: readonly SavedValue[];
  /** False when the snapshot cannot be read. */
  readonly isReadable: boolean;
}

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
  async latest(name: string, max: number, signal: AbortSignal): Promise<LatestSavedValues | Missing> {
    signal.throwIfAborted();
    const timeout = AbortSignal.timeout(this.latestMs);
    const inTime = AbortSignal.any([signal, timeout]);
    const found: (SavedInSnapshot | undefined)[] = [];
    let areListed = false;
    try {
      const { snapshots, areAll } = await this.snapshotsWith(name, inTime);
      const newest = snapshots.sort((one, other) => other.at - one.at).slice(0, max);
      areListed = areAll && snapshots.length <= max;
      found.push(...newest.map(() => undefined));
      await inTurns(newest, async (snapshot, index) => {
        found[index] = await this.valueIn(snapshot, name, inTime);
      });
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      if (!found[0]) throw new SourceUnavailable(`no answer within ${this.latestMs / 1_000} s`);
    }
    const end = found.indexOf(undefined);
    const read = found.slice(0, end < 0 ? found.length : end).filter((one) => one !== undefined);
    const isRead = end < 0 && read.every(({ isReadable }) => isReadable);
    return { values: read.flatMap(({ values }) => values), isCut: !areListed || !isRead };
  }

  /** Lists the snapshots, which are children of the configurations that contain the device. */
  private async snapshotsWith(name: string, signal: AbortSignal): Promise<FoundSnapshots> {
    const query = new URLSearchParams({ pvs: name, size: String(maxConfigurations) });
    const found = await this.get(`/search?${query}`, signal);
    const nodes = isRecord(found) && Array.isArray(found.nodes) ? found.nodes.filter(isRecord) : [];
    const configurations = nodes.filter((node) => node.nodeType === 'CONFIGURATION').slice(0, maxConfigurations);
    let areAll = ((isRecord(found) ? toNumber(found.hitCount) : undefined) ?? nodes.length) <= configurations.length;
    const snapshots: SnapshotNode[] = [];
    const options = { maxBytes: maxListBytes, whenTooLarge: tooLarge, parse: parseLenient };
    await inTurns(configurations, async ({ uniqueId }) => {
      const path = `/node/${encodeURIComponent(toText(uniqueId))}/children`;
      const children = await this.get<unknown>(path, signal, options);
      areAll &&= children !== tooLarge;
      for (const node of Array.isArray(children) ? children.filter(isRecord) : []) {
        const at = toNumber(node.created);
        if (node.nodeType !== 'SNAPSHOT' || at === undefined) continue;
        snapshots.push({ id: toText(node.uniqueId), name: toText(node.name), at: Math.trunc(at) });
      }
    });
    return { snapshots, areAll };
  }

  /** Reads the value of a device in a snapshot, which may lack the device or be too large. */
  private async valueIn(snapshot: SnapshotNode, name: string, signal: AbortSignal): Promise<SavedInSnapshot> {
    const items = await this.snapshot(snapshot.id, signal);
    if ('missing' in items) return { values: [], isReadable: items.code === 'unknown' };
    const saved = items.find((item) => item.name === name)?.saved;
    return { values: isSample(saved) ? [{ ...snapshot, value: toShown(saved) }] : [], isReadable: true };
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
