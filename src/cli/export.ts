import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';
import {
  type ElnOptions,
  type ExportFormat,
  exportEndings,
  exportEntries,
  exportFormats,
  findExportFormat,
  readElnSigning,
} from '../app/export-entries.js';
import { keepOwner } from '../app/keep-owner.js';
import type { LoadedConfig } from '../config/load-config.js';
import { ConfigurationError } from '../kernel/configuration-error.js';
import { describeFileError } from '../kernel/file-error.js';
import { counted } from '../kernel/text.js';
import { directoriesOf } from './backup-target.js';
import { commandDestination } from './command-log.js';
import { ProgressLine } from './progress-line.js';
import { UsageError } from './usage-error.js';

export interface ExportFlags {
  readonly format?: string;
  readonly roCrate: string;
  readonly signKey?: string;
  readonly keysUrl?: string;
}

interface ReadOptions extends ElnOptions {
  readonly signing: ReturnType<typeof readElnSigning> | undefined;
}

const shownProblems = 20;

/** Writes the whole logbook to a file. Exit code 2 when some content could not be written. */
export async function exportCommand(
  { options, logLevel }: LoadedConfig,
  file: string,
  flags: ExportFlags,
  stop: AbortSignal,
): Promise<void> {
  checkFile(file);
  const format = chooseFormat(file, flags.format);
  const eln = readElnOptions(format, flags, options.http.publicUrl);
  const level = logLevel === 'info' ? 'warn' : logLevel;
  const log = pino({ level, base: null }, commandDestination());
  const line = new ProgressLine();
  const problems: string[] = [];
  let entries = 0;
  const events = {
    onProgress: (exported: number, all: number) => {
      entries = all;
      line.show(`${exported} of ${counted(all, 'entry')}`, all === 0 ? 1 : exported / all);
    },
    onProblem: (sentence: string) => problems.push(sentence),
  };
  try {
    await keepOwner(directoriesOf(options.storage, undefined), () =>
      exportEntries(options, { file, format, eln }, { ...events, log, signal: stop }),
    );
    line.end();
  } catch (error) {
    line.end();
    if (!stop.aborted || error !== stop.reason) throw error;
    process.exitCode = 1;
    console.error('The export was stopped; nothing was written.');
    return;
  }
  console.log(`${file} has ${counted(entries, 'entry')}.`);
  if (eln.signing) {
    console.log(`It is signed. To check it: minisign -Vm ro-crate-metadata.json -P ${eln.signing.publicKey}`);
  }
  for (const problem of problems.slice(0, shownProblems)) console.log(`  ${problem}`);
  if (problems.length > shownProblems) console.log(`  … ${problems.length} problems in all.`);
  if (problems.length > 0) process.exitCode = 2;
}

/**
 * Checks the file before the logbook is read.
 * @throws UsageError when the file cannot be written
 */
function checkFile(file: string): void {
  if (file === '' || file === '-') {
    throw new UsageError('FILE: the export is written to a file. Give its name, such as logbook.zip');
  }
  if (existsSync(file) && statSync(file).isDirectory()) {
    throw new UsageError(`FILE: ${file} is a directory. Give the name of a file, such as ${file}/logbook.zip`);
  }
  const dir = dirname(file);
  if (!existsSync(dir)) throw new UsageError(`FILE: the directory ${dir} does not exist. Create it first`);
}

/** @throws UsageError when neither the option nor the file name determines a format */
function chooseFormat(file: string, wanted: string | undefined): ExportFormat {
  if (wanted === undefined) {
    const found = findExportFormat(file);
    if (found) return found;
    throw new UsageError(
      `FILE: the name ${file} does not determine a format. Use a name that ends with ${exportEndings.join(', ')}, or --format ${exportFormats.join('|')}`,
    );
  }
  const format = exportFormats.find((one) => one === wanted.toLowerCase());
  if (format) return format;
  throw new UsageError(`--format: ${wanted} is not one of ${exportFormats.join(', ')}`);
}

function readElnOptions(
  format: ExportFormat,
  { roCrate, signKey, keysUrl }: ExportFlags,
  publicUrl: string | undefined,
): ReadOptions {
  if (roCrate !== '1.1' && roCrate !== '1.2') throw new UsageError(`--ro-crate: ${roCrate} is not 1.1 or 1.2`);
  if (signKey === undefined) return { roCrate, signing: undefined, publisherUrl: publicUrl };
  if (format !== 'eln') throw new UsageError(`--sign-key signs .eln files; use --format eln instead of ${format}`);
  const address = keysUrl ?? (publicUrl === undefined ? undefined : new URL('/.well-known/keys.json', publicUrl).href);
  if (address === undefined) {
    throw new UsageError('--sign-key needs --keys-url, the address of the list of your public keys, or publicUrl');
  }
  if (!/^https?:\/\/\S+$/.test(address) || !URL.canParse(address)) {
    throw new UsageError(`--keys-url: ${address} is not an address with http:// or https://`);
  }
  return { roCrate, signing: readSigning(signKey, address), publisherUrl: publicUrl };
}

function readSigning(file: string, keysUrl: string) {
  try {
    return readElnSigning(readFileSync(file, 'utf8'), keysUrl);
  } catch (error) {
    const reason = describeFileError(error) ?? `${file} cannot be used: ${(error as Error).message}`;
    throw new ConfigurationError(`--sign-key: ${reason}`);
  }
}
