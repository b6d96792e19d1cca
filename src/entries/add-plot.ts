import { Readable } from 'node:stream';
import { emptyCurve, unknownKind } from '../../packages/control-system/archiver-curve.js';
import type { DeviceHistory, Problem } from '../../packages/control-system/device-view.js';
import { samplesPerCurve, toPlotFile } from '../../packages/control-system/plot-file.js';
import { type Curve, type History, SourceUnavailable } from '../../packages/control-system/sources.port.js';
import { attachUpload, type Upload, withStoredBlobs } from '../attachments/attach-uploads.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import type { Clock } from '../kernel/clock.js';
import type { DeviceNames } from './device-names.js';
import type { EntryStorage } from './entry-storage.js';
import { readFileRedactions } from './redacted-files.js';
import { type PlotToStore, plotsToStore } from './stored-plots.js';

export interface PlotsDeps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly deviceNames: DeviceNames;
}

/**
 * Time for which failed reads are retried after the end of the range or the change that added the plot, whichever is
 * later: `giveUpMs` if the archiver was unavailable for all devices, `partlyMs` for any other failure.
 */
const partlyMs = 3_600_000;
const giveUpMs = 7 * 86_400_000;
const contentType = 'image/svg+xml';
/** Maximum size of a plot file, which is never reached: `toPlotFile` limits the samples. */
const maxFileBytes = 4_194_304;

interface AddedPlot {
  readonly entryId: number;
  readonly notify: boolean;
  /** Time of the change that added the plot, in milliseconds since the epoch. */
  readonly changedMs: number;
  readonly plot: PlotToStore;
}

/**
 * Reads the samples of a plot, and adds them to the entry as a file, unless the entry has that file. Adds nothing to an
 * entry from which a file was redacted, because the samples may be the redacted content.
 * @throws SourceUnavailable while another attempt may succeed
 */
export async function addPlot(
  deps: PlotsDeps,
  history: History,
  { entryId, notify, changedMs, plot }: AddedPlot,
  signal: AbortSignal,
): Promise<void> {
  const { storage, blobs, clock } = deps;
  const before = await readFileRedactions(storage.committed.redactions, entryId, 0);
  if (before.hasRemoved) return;
  const curves = await readCurves(deps, history, { ...plot, changedMs }, signal);
  const file = toPlotFile({ start: plot.startMs, end: plot.endMs, curves });
  const blob = await blobs.stage(Readable.from([Buffer.from(file)]), maxFileBytes);
  const upload: Upload = { filename: plot.filename, contentType, blob };
  await withStoredBlobs(deps, [upload], () =>
    storage.write(async (tx) => {
      const stored = await tx.entries.find(entryId);
      // An edit may have removed the plot, or another node may have added it.
      if (!stored || !plotsToStore(stored.entry).some(({ filename }) => filename === plot.filename)) return;
      if ((await readFileRedactions(tx.redactions, entryId, before.newest)).hasRemoved) return;
      const added = await attachUpload(tx, upload, { id: undefined, fileMetadataDescription: undefined });
      const attachments = [...stored.entry.attachments, added];
      const { revision } = await tx.entries.annotate({ ...stored.entry, attachments }, stored);
      await tx.feed.append({ kind: 'annotated', entryId, revision, notify, atMs: clock.nowMs() });
    }),
  );
}

async function readCurves(
  { clock, deviceNames }: PlotsDeps,
  history: History,
  { names, startMs, endMs, changedMs }: PlotToStore & Pick<AddedPlot, 'changedMs'>,
  signal: AbortSignal,
): Promise<DeviceHistory[]> {
  const range = { startMs, endMs, points: samplesPerCurve(names.length) };
  const curves: DeviceHistory[] = [];
  const failures: Problem[] = [];
  for (const name of names) {
    const curve = deviceNames.isDevice(name)
      ? await history.readRange(name, range, signal).catch(asMissing(signal))
      : missing('unknown', 'not a device of this logbook');
    const failed = curve.problems.find(({ code }) => code === 'unavailable' || code === 'unreadable');
    if (failed && curve.samples.length === 0) failures.push(failed);
    curves.push({ name, start: startMs, end: endMs, ...curve });
  }
  const isDown = failures.filter(({ code }) => code === 'unavailable').length === names.length;
  const nowMs = clock.nowMs();
  // A change in the future was recorded by a clock that was ahead.
  const waitsSinceMs = changedMs > nowMs ? endMs : Math.max(endMs, changedMs);
  const [failure] = failures;
  if (failure && nowMs < waitsSinceMs + (isDown ? giveUpMs : partlyMs)) throw new SourceUnavailable(failure.reason);
  return curves;
}

function asMissing(signal: AbortSignal): (error: unknown) => Curve {
  return (error) => {
    if (signal.aborted || !(error instanceof SourceUnavailable)) throw error;
    return missing('unavailable', error.message);
  };
}

const missing = (code: 'unavailable' | 'unknown', reason: string): Curve => emptyCurve(code, reason, unknownKind);
