import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { keepOwner } from '../app/keep-owner.js';
import { makeCheckpoint } from '../app/ledger/make-checkpoint.js';
import { proveVersion } from '../app/ledger/prove-version.js';
import { stampCheckpoint } from '../app/ledger/stamp-checkpoint.js';
import { storeCheckpoint } from '../app/ledger/store-checkpoint.js';
import { describeFinding } from '../backup/data-finding.js';
import type { LoadedConfig } from '../config/load-config.js';
import { createSigningKeys, readPrivateKey, readPublicKey } from '../kernel/signing-keys.js';
import { counted } from '../kernel/text.js';
import { openCheckpoint, readCheckpoint, type SignedHead } from '../ledger/checkpoint.js';
import { directoriesOf } from './backup-target.js';
import { commandLog } from './command-log.js';
import { UsageError } from './usage-error.js';

export interface CheckpointFlags {
  readonly key: string;
  readonly out: string;
  readonly previous?: readonly string[];
  readonly publicKey?: readonly string[];
  readonly despiteProblems?: boolean;
  readonly acceptLoss?: string;
  readonly timestamp?: string;
}

export interface StampFlags {
  readonly timestamp: string;
}

/** Exit code when the checkpoint was written, but its time stamp is missing or the logbook has not stored it. */
const incomplete = 3;

export interface ProveFlags {
  readonly entryVersion?: string;
  readonly checkpoint?: string;
  readonly out: string;
}

export async function createKey(file: string): Promise<void> {
  const { privateKey, publicKey } = createSigningKeys();
  await writeNew(file, privateKey, 0o600);
  try {
    await writeNew(`${file}.pub`, publicKey, 0o644);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  console.log(
    `The private key is in ${file}: move it off this machine; anyone who can change the logbook could sign with it.`,
  );
  console.log(`The public key is in ${file}.pub: give it to those who verify.`);
}

export async function checkpoint(
  { options, logLevel }: LoadedConfig,
  flags: CheckpointFlags,
  signal: AbortSignal,
): Promise<void> {
  const {
    key,
    out,
    timestamp: timestampUrl,
    previous = [],
    publicKey = [],
    despiteProblems = false,
    acceptLoss,
  } = flags;
  if (acceptLoss !== undefined) requireReason(acceptLoss);
  if (timestampUrl !== undefined) requireUrl(timestampUrl);
  if (existsSync(out)) throw new Error(`${out} exists. Choose another name with --out.`);
  const log = commandLog(logLevel);
  const pem = await readFile(key, 'utf8');
  const privateKey = await Promise.resolve(pem).then(readPrivateKey).catch(naming(key));
  const keys = [createPublicKey(privateKey), ...(await readPublicKeys(publicKey))];
  const heads = await Promise.all(previous.map((file) => readSignedHead(file, keys)));
  const places = directoriesOf(options.storage, undefined);
  const made = await keepOwner(places, () =>
    makeCheckpoint(options.storage, privateKey, {
      heads,
      keys,
      despiteProblems,
      log,
      signal,
      ...(acceptLoss !== undefined && { acceptLoss }),
      onFinding: (finding) => console.log(describeFinding(finding)),
    }),
  );
  // The checkpoint is written before its time stamp is requested. Without the stamp, it proves everything but the time.
  await writeNew(out, made.signed, 0o644);
  await keepOwner(places, () => storeCheckpoint(options.storage, made.stored, log)).catch((error: unknown) => {
    process.exitCode = incomplete;
    console.error(`The checkpoint is not stored in the logbook. ${(error as Error).message}`);
    console.error(`Give it to the next one: --previous ${out}`);
  });
  const { size, root } = made.checkpoint;
  console.log(`The checkpoint in ${out} covers ${counted(size, 'record')}; the root of their tree is ${root}.`);
  if (made.waiting > 0)
    console.log(`Not entered yet: ${counted(made.waiting, 'newer record')}. The service enters them in a moment.`);
  if (timestampUrl === undefined) return;
  try {
    await writeStamp(out, await stampCheckpoint(timestampUrl, made.signed, signal));
  } catch (error) {
    process.exitCode = incomplete;
    console.error(`The checkpoint has no time stamp. ${(error as Error).message}`);
    console.error(`Add it later: logbook stamp ${out} --timestamp ${timestampUrl}`);
  }
}

/** Adds a time stamp to a checkpoint that has none. */
export async function stamp(file: string, { timestamp: url }: StampFlags, signal: AbortSignal): Promise<void> {
  requireUrl(url);
  const signed = await readFile(file, 'utf8');
  await Promise.resolve(signed.replaceAll('\r\n', '\n')).then(readCheckpoint).catch(naming(file));
  if (existsSync(stampFile(file))) throw new Error(`${stampFile(file)} exists: the checkpoint has its time stamp.`);
  await writeStamp(file, await stampCheckpoint(url, signed, signal));
}

/** Maximum length of a reason, in UTF-16 code units. */
const maxReason = 500;

function requireReason(reason: string): void {
  if (reason.trim() !== '' && reason.length <= maxReason && !/\p{Cc}/u.test(reason)) return;
  throw new UsageError(`--accept-loss: give the reason in one line of at most ${maxReason} characters.`);
}

const stampFile = (file: string): string => `${file}.tsr`;

async function writeStamp(file: string, timestamp: Buffer): Promise<void> {
  await writeNew(stampFile(file), timestamp, 0o644);
  console.log(`The time stamp is in ${stampFile(file)}.`);
}

function requireUrl(url: string): void {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`--timestamp ${url}: it must be a URL with http: or https:.`);
}

export async function prove(
  { options, logLevel }: LoadedConfig,
  entryId: string,
  { entryVersion, checkpoint: checkpointFile, out }: ProveFlags,
): Promise<void> {
  const text = checkpointFile === undefined ? undefined : await readNote(checkpointFile);
  const proof = await proveVersion(
    options.storage,
    {
      id: toNumber(entryId, 'the id of an entry', 0),
      version: entryVersion === undefined ? undefined : toNumber(entryVersion, 'a version', 1),
      checkpoint: text === undefined ? undefined : { text, content: readCheckpoint(text) },
    },
    commandLog(logLevel),
  );
  await writeNew(out, `${JSON.stringify(proof, undefined, 2)}\n`, 0o644);
  console.log(`The proof of entry ${entryId} is in ${out}.`);
}

/** @throws Error that names the file */
export async function readPublicKeys(files: readonly string[]): Promise<KeyObject[]> {
  return Promise.all(files.map((file) => readFile(file, 'utf8').then(readPublicKey).catch(naming(file))));
}

/**
 * Reads a checkpoint that one of the keys has signed.
 * @throws Error that names the file
 */
export async function readSignedHead(file: string, keys: readonly KeyObject[]): Promise<SignedHead> {
  const text = await readNote(file);
  const checkpoint = await Promise.any(keys.map(async (key) => openCheckpoint(text, key)))
    .catch((error: AggregateError) => Promise.reject(error.errors[0]))
    .catch(naming(file));
  return { name: `the checkpoint ${file}`, ...checkpoint };
}

/** Reads a note, and restores its line endings, which mail programs may have changed. */
async function readNote(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
}

/** Returns a handler that throws an error that names the file. Errors in complete sentences remain unchanged. */
function naming(file: string) {
  return (error: unknown): never => {
    const { message } = error as Error;
    throw /^[a-z]/.test(message) ? new Error(`${file}: ${message}.`) : error;
  };
}

function toNumber(text: string, what: string, min: 0 | 1): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= min) return number;
  throw new UsageError(`“${text.slice(0, 40)}” is not ${what}: write a whole number of at least ${min}.`);
}

/**
 * Writes a new file. Removes a partial file after a failure, because it would block the next attempt.
 * @throws Error when the file exists
 */
async function writeNew(file: string, content: string | Buffer, mode: number): Promise<void> {
  const opened = await open(file, 'wx', mode);
  try {
    await opened.writeFile(content);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await opened.close();
  }
}
