import { findPlotBlocks, type PlotRequest, readPlotBlock } from '../../packages/control-system/plot-block.js';
import { plotFileName, plotLines } from '../../packages/control-system/plot-file-name.js';
import { maxAttachments } from '../attachments/attach-uploads.js';
import type { Entry } from './entry.js';

/** A plot in the text of an entry whose samples are not stored yet. */
export interface PlotToStore extends PlotRequest {
  /** Name of the file that will contain the samples. */
  readonly filename: string;
}

/** Maximum number of plots of one entry for which samples are stored. */
const maxPlots = 10;

/** Returns the plots in the text of an entry that have no samples, each once. */
export function plotsToStore(entry: Entry): PlotToStore[] {
  const { source, createdDate, modifyDate, events, attachments } = entry;
  const moments = { aroundMs: createdDate, writtenMs: modifyDate ?? createdDate, events };
  const present = new Set(attachments.map(({ filename }) => filename));
  const lacking = new Map<string, PlotToStore>();
  for (const block of findPlotBlocks(source).slice(0, maxPlots)) {
    const lines = plotLines(block);
    const filename = plotFileName(lines);
    const request = readPlotBlock(lines, moments);
    if (request.names.length > 0 && !present.has(filename)) lacking.set(filename, { ...request, filename });
  }
  return [...lacking.values()].slice(0, maxAttachments - attachments.length);
}
