import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { makeCheckpoint } from '../app/ledger/make-checkpoint.js';
import { proveVersion } from '../app/ledger/prove-version.js';
import { stampCheckpoint } from '../app/ledger/stamp-checkpoint.js';
import type { LoadedConfig } from '../config/load-config.js';
import { counted } from '../kernel/text.js';
import { createSigningKeys, openCheckpoint, readCheckpoint, readPublicKey } from '../ledger/checkpoint.js';
import { commandLog } from './command-log.js';

export interface CheckpointFlags {
  readonly key: string;
  readonly out: string;
  readonly timestamp?: string;
}

export interface StampFlags {
  readonly timestamp: string;
}

/** The exit code when the checkpoint was written, and its time stamp is missing. */
const unstamped = 3;

export interface ProveFlags {
  readonly entryVersion?: string;
  readonly checkpoint?: string;
  readonly out: string;
}

/** A checkpoint in a file, whose signature is right. */
export interface SignedHead {
  readonly name: string;
  readonly storeId: string;
  readonly size: number;
  readonly root: string;
}

export async function createKey(file: string): Promise<void> {
  const { privateKey, publicKey } = createSigningKeys();
  await writeNew(file, privateKey, 0o600);
  await writeNew(`${file}.pub`, publicKey, 0o644);
  console.log(
    `The private key is in ${file}: move it off this machine; anyone who can change the logbook could sign with it.`,
  );
  console.log(`The public key is in ${file}.pub: give it to those who verify.`);
}

export async function checkpoint(
  { options, logLevel }: LoadedConfig,
  { key, out, timestamp: timestampUrl }: CheckpointFlags,
  signal: AbortSignal,
): Promise<void> {
  if (timestampUrl !== undefined) requireUrl(timestampUrl);
  const privateKey = await readFile(key, 'utf8');
  const made = await makeCheckpoint(options.storage, privateKey, commandLog(logLevel)).catch(naming(key));
  // First: it is worth as much without a time stamp, except for the time.
  await writeNew(out, made.signed, 0o644);
  const { size, root } = made.checkpoint;
  console.log(`The checkpoint in ${out} covers ${counted(size, 'record')}; the root of their tree is ${root}.`);
  if (made.waiting > 0)
    console.log(`${made.waiting} newer records are not entered yet: the service does so in a moment.`);
  if (timestampUrl === undefined) return;
  try {
    await writeStamp(out, await stampCheckpoint(timestampUrl, made.signed, signal));
  } catch (error) {
    process.exitCode = unstamped;
    console.error(`The checkpoint has no time stamp. ${(error as Error).message}`);
    console.error(`Add it later: logbook stamp ${out} --timestamp ${timestampUrl}`);
  }
}

/** Adds the time stamp of a checkpoint that has none. */
export async function stamp(file: string, { timestamp: url }: StampFlags, signal: AbortSignal): Promise<void> {
  requireUrl(url);
  const signed = await readFile(file, 'utf8');
  await Promise.resolve(signed.replaceAll('\r\n', '\n')).then(readCheckpoint).catch(naming(file));
  if (existsSync(stampFile(file))) throw new Error(`${stampFile(file)} exists: the checkpoint has its time stamp.`);
  await writeStamp(file, await stampCheckpoint(url, signed, signal));
}

const stampFile = (file: string): string => `${file}.tsr`;

async function writeStamp(file: string, timestamp: Buffer): Promise<void> {
  await writeNew(stampFile(file), timestamp, 0o644);
  console.log(`The time stamp is in ${stampFile(file)}.`);
}

function requireUrl(url: string): void {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new Error(`--timestamp ${url}: it must be a URL with http: or https:.`);
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
export async function readSignedHead(file: string, publicKeyFile: string): Promise<SignedHead> {
  const text = await readNote(file);
  const pem = await readFile(publicKeyFile, 'utf8');
  const key = await Promise.resolve(pem).then(readPublicKey).catch(naming(publicKeyFile));
  const { storeId, size, root } = await Promise.resolve(text)
    .then((signed) => openCheckpoint(signed, key))
    .catch(naming(file));
  return { name: `the checkpoint ${file}`, storeId, size, root };
}

/** Mail changes how lines end. */
async function readNote(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
}

/** Returns a handler that throws an error which names the file; errors in whole sentences are left as they are. */
function naming(file: string) {
  return (error: unknown): never => {
    const { message } = error as Error;
    throw /^[a-z]/.test(message) ? new Error(`${file}: ${message}.`) : error;
  };
}

function toNumber(text: string, what: string, min: 0 | 1): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= min) return number;
  throw new Error(`“${text.slice(0, 40)}” is not ${what}: write a whole number from ${min} on.`);
}

/** @throws Error when the file exists */
async function writeNew(file: string, content: string | Buffer, mode: number): Promise<void> {
  await writeFile(file, content, { flag: 'wx', mode });
}
