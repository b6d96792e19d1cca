import { pino } from 'pino';
import { type AdoptedDataDir, type AdoptOptions, adoptDataDir } from '../app/adopt-data-dir.js';
import type { LoadedConfig } from '../config/load-config.js';
import { commandFor } from '../kernel/command-hint.js';
import { counted } from '../kernel/text.js';

export type AdoptFlags = Pick<AdoptOptions, 'newLogbook' | 'acceptMissingFiles'>;

/** Records that the parts of the data directory belong together, and prints what is in it. */
export async function adopt({ options, logLevel }: LoadedConfig, flags: AdoptFlags): Promise<void> {
  const log = pino({ level: logLevel, base: null }, pino.destination({ fd: 2, sync: true }));
  const { dataDir } = options.storage;
  const adopted = await adoptDataDir(options.storage, { ...flags, log });
  for (const line of flags.newLogbook ? describeNew(adopted, dataDir) : describeAdopted(adopted, dataDir)) {
    console.log(line);
  }
  console.log(`Start the service now: ${commandFor('', dataDir)}`);
}

function describeAdopted(
  { storeId, highestEntryId, attachments, missingFiles }: AdoptedDataDir,
  dataDir: string,
): string[] {
  const entries = highestEntryId === 0 ? 'It has no entries' : `Its highest entry id is ${highestEntryId}`;
  return [
    `All parts of ${dataDir} now belong to the logbook ${storeId}.`,
    `${entries}; it has ${describeFiles(attachments, missingFiles)}.`,
  ];
}

function describeFiles(attachments: number, missing: number): string {
  if (attachments === 0) return 'no attachments';
  const all = counted(attachments, 'attachment');
  if (missing === 0) return `${all}, and ${attachments === 1 ? 'its file is' : 'their files are all'} there`;
  if (attachments === 1) return `${all}, which has no file and cannot be downloaded`;
  return `${all}, of which ${missing} ${missing === 1 ? 'has no file' : 'have no files'} and cannot be downloaded`;
}

function describeNew({ storeId, unreferencedFiles }: AdoptedDataDir, dataDir: string): string[] {
  const lines = [`${dataDir} now contains the new, empty logbook ${storeId}.`];
  if (unreferencedFiles > 0) {
    lines.push(
      `${counted(unreferencedFiles, 'file')} of another logbook ${unreferencedFiles === 1 ? 'is' : 'are'} still in ${dataDir}/attachments. No entry refers to ${unreferencedFiles === 1 ? 'it, so it is' : 'them, so they are'} moved to attachments/quarantine after 24 hours and removed 30 days later. Copy what you need elsewhere before.`,
    );
  }
  return lines;
}
