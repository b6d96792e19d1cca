import { pino } from 'pino';
import { type AdoptedDataDir, type AdoptOptions, adoptDataDir } from '../app/adopt-data-dir.js';
import { keepOwner } from '../app/keep-owner.js';
import type { LoadedConfig } from '../config/load-config.js';
import { commandFor } from '../kernel/command-hint.js';
import { counted } from '../kernel/text.js';
import { commandDestination } from './command-log.js';

export type AdoptFlags = Pick<AdoptOptions, 'newLogbook' | 'acceptMissingFiles' | 'keepLog'>;

/** Records that the parts of the data directory belong together, and prints its content. */
export async function adopt({ options, logLevel }: LoadedConfig, flags: AdoptFlags): Promise<void> {
  // Information is not logged, because the output already reports success.
  const level = logLevel === 'debug' ? logLevel : 'error';
  const log = pino({ level, base: null }, commandDestination());
  const { dataDir } = options.storage;
  const adopted = await keepOwner({ ownedBy: [dataDir], written: [dataDir] }, () =>
    adoptDataDir(options.storage, { ...flags, log }),
  );
  const lines = flags.newLogbook ? describeNew(adopted, dataDir) : describeAdopted(adopted, dataDir);
  for (const line of [...lines, ...describeChanges(adopted, dataDir)]) console.log(line);
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

function describeNew({ storeId }: AdoptedDataDir, dataDir: string): string[] {
  return [
    `${dataDir} now contains the new, empty logbook ${storeId}.`,
    'No entry gets the id of an earlier one. Until the first entry, each start may warn that the database is older than the ids already given.',
  ];
}

function describeChanges({ unreferencedFiles: files, removedIndexes }: AdoptedDataDir, dataDir: string): string[] {
  const lines = removedIndexes.map(
    (file) => `The search index ${file} of another logbook was removed; the start builds a new one.`,
  );
  if (files === 0) return lines;
  const [are, them] = files === 1 ? ['is', 'it'] : ['are', 'them'];
  return [
    ...lines,
    `${counted(files, 'file')} in ${dataDir}/attachments ${are} not of this logbook: no entry refers to ${them}. The service moves ${them} to attachments/quarantine after 24 hours and removes ${them} 30 days later. If you need ${them}, copy ${them} elsewhere before.`,
  ];
}
